#!/bin/bash
# test.sh BUILD PYTHON [SANITIZERS]: builds the package and tests it where it was built, then as a wheel in a fresh virtual
# environment. With sanitizers the wheel is left out, and so is what measures time and memory.
set -eu
script=$(readlink -f "${BASH_SOURCE[0]}")
root=${script%/python/*}
build=$1
python=$2
sanitizers=${3-}
work=$build/python_test
rm -rf "$work"
mkdir -p "$work" "$build/results"

cmake --build "$build" --target alembert_python >"$work/build.log" || { tail -n 40 "$work/build.log"; exit 1; }

export ALEMBERT_PROGRAM=$build/bin/alembert MPLBACKEND=Agg MPLCONFIGDIR=$work PYTHONDONTWRITEBYTECODE=1
options=()
if [[ $sanitizers ]]; then
  # The interpreter is not built with them, so that they must be there before it; what it leaves behind is not ours.
  export LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"
  export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
  options+=(--deselect python/tests/test_speed.py --deselect python/tests/test_run.py::test_a_million_rows_without_copying)
fi
status=0
(cd "$root" && PYTHONPATH=$build/python "$python" -m pytest -q -p no:cacheprovider --basetemp="$work/pytest" \
  --junitxml="$build/results/python.xml" "${options[@]}" python/tests) || status=$?
[[ -z $sanitizers ]] || exit $status

# The interpreter of the wheel must find everything in the wheel itself: libraries too.
"$python" -m venv --system-site-packages --without-pip "$work/venv"
(cd "$root" && "$work/venv/bin/python" -m pip install --quiet --no-index --disable-pip-version-check .) || exit 1
cd "$work"
"$work/venv/bin/python" "$root/python/tests/installed.py" "$root" || status=1
exit $status
