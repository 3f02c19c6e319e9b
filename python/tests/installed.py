"""Run by the interpreter of a fresh environment: the wheel is complete, and its numbers are those of the build."""

import pathlib
import subprocess
import sys

import numpy

import alembert

root = pathlib.Path(sys.argv[1])
package = pathlib.Path(alembert.__file__).parent
assert root / "python" not in package.parents, f"imported from {package}"
for name in ("py.typed", "_core.pyi"):
    assert (package / name).exists(), f"{name} is not in the wheel"
(module,) = package.glob("_core*.so")
assert not list((package / "libraries").glob("libstdc++*")), "a second libstdc++ disturbs other extension modules"
for line in subprocess.run(["ldd", module], check=True, capture_output=True, text=True).stdout.splitlines():
    if "=>" not in line:
        continue
    name = line.split()[0]
    if (package / "libraries" / name).exists():
        assert str(package) in line, f"not from the wheel: {line}"
run = alembert.simulate(root / "models" / "double_pendulum.alm", step=0.01, end=1)
assert run.report.residual.position < 1e-14
run.save("installed.h5")
assert numpy.array_equal(alembert.load("installed.h5").rows, run.rows)
print("installed:", alembert.__version__, package)
