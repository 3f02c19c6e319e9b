#!/bin/bash
# test.sh BUILD PYTHON: builds the package and tests it where it was built, then as a wheel in a fresh virtual environment.
set -eu
script=$(readlink -f "${BASH_SOURCE[0]}")
root=${script%/python/*}
build=$1
python=$2
work=$build/python_test
rm -rf "$work"
mkdir -p "$work" "$build/results"

cmake --build "$build" --target alembert_python >"$work/build.log" || { tail -n 40 "$work/build.log"; exit 1; }

export ALEMBERT_PROGRAM=$build/bin/alembert MPLBACKEND=Agg MPLCONFIGDIR=$work PYTHONDONTWRITEBYTECODE=1
status=0
(cd "$root" && PYTHONPATH=$build/python "$python" -m pytest -q -p no:cacheprovider --basetemp="$work/pytest" \
  --junitxml="$build/results/python.xml" python/tests) || status=$?

# The interpreter of the wheel must find everything in the wheel itself: libraries too.
"$python" -m venv --system-site-packages --without-pip "$work/venv"
(cd "$root" && "$work/venv/bin/python" -m pip install --quiet --no-index --disable-pip-version-check .) || exit 1
cd "$work"
"$work/venv/bin/python" "$root/python/tests/installed.py" "$root" || status=1
exit $status
