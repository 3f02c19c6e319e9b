#!/bin/bash
# How many lines of src/ the tests reach: builds the preset `coverage`, runs the cases, prints the share of each folder and
# of all, and fails below 92 %. Arguments go to the test program (--gtest_filter=...).
set -eu
script=$(readlink -f "${BASH_SOURCE[0]}")
root=${script%/tools/*}
name=coverage
source "$root/tools/setup.sh"
lock_build
ensure_packages
say "building (log: build/coverage/build.log)..."
build coverage alembert_tests
unlock_build
find "$root/build/coverage" -name '*.gcda' -delete
status=0
"$root/build/coverage/bin/alembert_tests" --gtest_brief=1 "$@" || status=$?
python3 "$root/tools/coverage.py" "$root" "$root/build/coverage" || status=1
exit $status
