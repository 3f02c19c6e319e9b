#!/bin/bash
# consumer.sh BUILD: installs BUILD into a fresh folder, includes every installed header alone and all of them together,
# and builds and runs every program in examples/, and the C++ of README.md and docs/, against find_package(alembert)
# there.
set -eu
script=$(readlink -f "${BASH_SOURCE[0]}")
root=${script%/tools/*}
build=$1
work=$build/consumer
rm -rf "$work"
mkdir -p "$work"

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
"$work/prefix/bin/alembert" --version

# A header that needs another one includes it: each compiles alone, in any order, twice.
compile=("${CXX:-g++}" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I "$work/prefix/include")
headers=$(cd "$work/prefix/include" && find . -name '*.h' -printf '%P\n' | sort)
[[ $headers ]]
for header in $headers; do
  [[ $header == alembert/*.h && $header != alembert/*/* ]] || { echo "$header is installed, but not public"; exit 1; }
  printf '#include "%s"\n#include "%s"\n' "$header" "$header" >"$work/one.cpp"
  "${compile[@]}" "$work/one.cpp" || { echo "$header does not compile alone"; exit 1; }
done
sed 's/.*/#include "&"/' <<<"$headers" >"$work/all.cpp"
"${compile[@]}" "$work/all.cpp"

# Every example is given the same model; it returns 0 where its own checks hold.
for example in "$root"/examples/*/CMakeLists.txt; do
  folder=$(dirname "$example")
  name=$(basename "$folder")
  echo "example $name"
  cmake -G Ninja -S "$folder" -B "$work/$name" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" \
    >"$work/$name.log"
  cmake --build "$work/$name"
  (cd "$work/$name" && "./$name" "$root/models/double_pendulum.alm")
done

echo "C++ of the documentation"
docs=$work/docs_cpp
programs=$("$root/tools/docs_cpp.py" "$docs" "$root/README.md" "$root"/docs/*.md)
cp "$root/models/double_pendulum.alm" "$docs"
cmake -G Ninja -S "$docs" -B "$docs/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" >"$docs/configure.log"
cmake --build "$docs/build"
for program in $programs; do
  (cd "$docs" && "build/$program" >"$program.log") || { cat "$docs/$program.log"; echo "$program failed"; exit 1; }
done
