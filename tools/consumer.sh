#!/bin/bash
# consumer.sh BUILD: installs BUILD into a fresh folder, includes every installed header, builds examples/consumer
# against find_package(alembert) there, and runs it.
set -eu
script=$(readlink -f "${BASH_SOURCE[0]}")
root=${script%/tools/*}
build=$1
work=$build/consumer
rm -rf "$work"
mkdir -p "$work"

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
"$work/prefix/bin/alembert" --version

(cd "$work/prefix/include" && find alembert -name '*.h' | sort | sed 's/.*/#include "&"/') >"$work/headers.cpp"
[[ -s $work/headers.cpp ]]
"${CXX:-g++}" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I "$work/prefix/include" "$work/headers.cpp"

cmake -G Ninja -S "$root/examples/consumer" -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/configure.log"
cmake --build "$work/build"
"$work/build/consumer" "$root/models/double_pendulum.alm"
