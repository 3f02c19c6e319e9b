#!/bin/bash
# Formats all C++ files in place; --check only names the files that are not formatted, and fails where there are any.
set -eu
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
how=(-i)
[[ ${1-} == --check ]] && how=(--dry-run -Werror)
if ! found=$(find include src apps tests bench examples python -type f \( -name '*.h' -o -name '*.cpp' \) -print0 |
  xargs -0 -r -n 20 clang-format "${how[@]}" 2>&1); then
  grep -E '^[^ ]+:[0-9]+:[0-9]+:' <<<"$found" | cut -d: -f1,2 | sort -u -t: -k1,1
  echo "not formatted; tools/format.sh does it"
  exit 1
fi
