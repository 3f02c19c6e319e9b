#!/bin/bash
# Builds without LLVM and runs the same tests. Arguments go to the test program.
set -eu
script=$(readlink -f "${BASH_SOURCE[0]}")
root=${script%/tools/*}
name=nollvm
source "$root/tools/setup.sh"
lock_build
build nollvm all
unlock_build
exec "$root/build/nollvm/bin/alembert_tests" "$@"
