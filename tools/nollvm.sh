#!/bin/bash
# Configures without LLVM and compiles the sources that know it. Everything else is the same in both builds, and what the
# interpreter computes is tested by alembert_tests_interpreter.
set -eu
script=$(readlink -f "${BASH_SOURCE[0]}")
root=${script%/tools/*}
name=nollvm
source "$root/tools/setup.sh"
lock_build
build nollvm alembert_code
unlock_build
