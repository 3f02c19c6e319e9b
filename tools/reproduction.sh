#!/bin/bash
# reproduction.sh: remakes docs/reproduction.md and docs/figures from a whole run of `alembert reproduce`.
set -eu
script=$(readlink -f "${BASH_SOURCE[0]}")
root=${script%/tools/*}
out=$root/build/reproduction_whole

"$root/alembert" reproduce --out "$out"
rm -rf "$root/docs/figures"
mkdir -p "$root/docs/figures"
cp "$out/summary.md" "$root/docs/reproduction.md"
grep -o 'figures/[^)]*\.svg' "$out/summary.md" | while read -r figure; do cp "$out/$figure" "$root/docs/$figure"; done
