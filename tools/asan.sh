#!/bin/bash
# Builds everything with the address and undefined-behaviour sanitizers and runs the tests under them, those of the package
# for Python too where nothing is chosen.
# Arguments go to the test program (--gtest_filter=...).
set -eu
script=$(readlink -f "${BASH_SOURCE[0]}")
root=${script%/tools/*}
name=asan
source "$root/tools/setup.sh"
lock_build
ensure_packages
say "building (log: build/asan/build.log)..."
build asan all alembert_python
unlock_build
export ASAN_OPTIONS=${ASAN_OPTIONS-detect_stack_use_after_return=1:strict_string_checks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1:halt_on_error=1}
"$root/build/asan/bin/alembert" --version
"$root/build/asan/bin/alembert_tests" "$@"
(($#)) || exec "$root/python/test.sh" "$root/build/asan" /usr/bin/python3 address,undefined
