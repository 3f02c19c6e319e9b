#!/bin/sh
# A method that is dropped into a folder is in the program, in its table and in the conformance suite without being named
# anywhere: dummy_method.sh BUILD, with two methods of tests/dummy, one of which makes false claims.
set -eu
build=$1

cmake --build "$build" --target alembert_dummy alembert_dummy_tests >/dev/null
program=$build/bin/alembert_dummy
tests=$build/bin/alembert_dummy_tests

fail() {
  echo "dummy_method: $1" >&2
  exit 1
}

"$program" methods | grep -q '^dummy_midpoint ' || fail "not in the list of methods"
"$program" methods --markdown | grep -q '^| `dummy_midpoint` | 2 |' || fail "not in the table of the documentation"
"$program" methods dummy_midpoint | grep -q '2 in q, 2 in v' || fail "no details"
"$program" methods dummy_midpiont 2>&1 | grep -q "did you mean 'dummy_midpoint'" || fail "not suggested"
printf 'coordinate x\nkinetic x'"'"'^2/2\npotential x^2/2\ninitial x = 1\n' |
  "$program" run - --method dummy_midpoint --step 0.01 --end 1 --quiet || fail "does not run"

"$tests" --gtest_brief=1 --gtest_filter='*Conformance*/dummy_midpoint' | grep -q '1 test passed\|PASSED  . 1 test' ||
  fail "true claims were not measured, or not found true"
if "$tests" --gtest_brief=1 --gtest_filter='*Conformance*/dummy_liar' >"$build/dummy_liar.txt"; then
  fail "false claims were not found"
fi
grep -q 'FALSE CLAIM' "$build/dummy_liar.txt" || fail "the conformance suite failed for another reason"
