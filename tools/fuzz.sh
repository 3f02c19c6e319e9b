#!/bin/bash
# Fuzzes what reads files of others, with libFuzzer and the address and undefined-behaviour sanitizers (clang).
#   tools/fuzz.sh                      all targets, a minute each
#   tools/fuzz.sh 600 csv json         these targets, 600 seconds each
# New inputs are kept in build/fuzz/corpus/TARGET, faults in build/fuzz/faults. Those worth keeping go to
# tests/fuzz/corpus: ALEMBERT_FUZZ=csv build/fuzz/bin/alembert_fuzz -merge=1 tests/fuzz/corpus/csv build/fuzz/corpus/csv
set -eu
script=$(readlink -f "${BASH_SOURCE[0]}")
root=${script%/tools/*}
name=fuzz
source "$root/tools/setup.sh"
seconds=${1-60}
shift $(($# > 0))
targets=("$@")
((${#targets[@]})) || targets=(text model csv json hdf5 studio)
lock_build
ensure_packages
say "building (log: build/fuzz/build.log)..."
build fuzz alembert_fuzz
unlock_build
faults=$root/build/fuzz/faults
mkdir -p "$faults"
# The words of the language, as the documented grammar has them.
words=$root/build/fuzz/words
grep -oE '[a-z]+[0-9]?' "$root/docs/language.md" | sort -u | sed 's/.*/"&"/' >"$words"
status=0
for target in "${targets[@]}"; do
  corpus=$root/build/fuzz/corpus/$target
  mkdir -p "$corpus"
  longest=20000
  [[ $target != hdf5 ]] || longest=300000  # the smallest of its files are larger
  dictionary=()
  [[ $target != text && $target != model ]] || dictionary=(-dict="$words")
  say "$target: $seconds s"
  ALEMBERT_FUZZ=$target ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0 \
    "$root/build/fuzz/bin/alembert_fuzz" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4000 -max_len="$longest" \
    -artifact_prefix="$faults/$target-" -print_final_stats=1 "${dictionary[@]}" \
    "$corpus" "$root/tests/fuzz/corpus/${target/model/text}" 2>"$faults/$target.log" || status=1
  grep -E "stat::number_of_executed_units|ERROR|SUMMARY" "$faults/$target.log" || true
done
exit $status
