"""The build backend of `pip install .` (PEP 517): CMake makes the extension module in build/release, where ./alembert and
./test build too, so that nothing is compiled twice; this file packs it. A wheel brings along every library that a plain
system may not have.

A backend of its own, because what Debian 12 has of scikit-build-core and meson-python cannot be relied on, and because
one without requirements also works where pip isolates the build and no network is there.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path.cwd()
BUILD = ROOT / "build" / "release"
# What every Linux system of this processor has. A second libstdc++ beside that of other extension modules would be the
# one that came first, for all of them.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux.*|libc|libm|libmvec|libdl|librt|libpthread|libutil|libresolv|libgcc_s|libstdc\+\+)\.so")


def version():
    return re.search(r"project\(alembert VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def run(*command):
    print("+", *command, flush=True)
    subprocess.run(command, cwd=ROOT, check=True)


def jobs():
    """As many compilers as fit into memory, at 1.5 GB each."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    return max(1, min(os.cpu_count() or 1, memory // 1500000000))


def compile_module():
    cache = BUILD / "CMakeCache.txt"
    # The interpreter behind a virtual environment: the same for all of them, so that nothing is configured anew.
    python = os.path.realpath(sys.executable)
    options = [f"-DPython_EXECUTABLE={python}", "-DALEMBERT_PYTHON=ON"]
    home = f"CMAKE_HOME_DIRECTORY:INTERNAL={ROOT}"
    known = cache.read_text() if cache.exists() else ""
    if home not in known:
        cache.unlink(missing_ok=True)
        run("cmake", "--preset", "release", "-DALEMBERT_TESTS=OFF", *options)
    elif f"={python}\n" not in known or "ALEMBERT_PYTHON:BOOL=ON" not in known:
        run("cmake", "--preset", "release", *options)
    run("cmake", "--build", str(BUILD), "--target", "alembert_python", "-j", str(jobs()))


def libraries(module):
    """The shared libraries that come along: their paths."""
    found = []
    for line in subprocess.run(["ldd", module], check=True, capture_output=True, text=True).stdout.splitlines():
        match = re.match(r"\s*(\S+) => (/\S+)", line)
        if "not found" in line:
            raise SystemExit(f"a library is missing: {line.strip()}")
        if match and not SYSTEM.match(match[1]):
            found.append((match[1], match[2]))
    return found


def metadata():
    return (f"Metadata-Version: 2.1\nName: alembert\nVersion: {version()}\n"
            "Summary: Constrained mechanical systems: derived, compiled, and integrated with structure kept\n"
            "License: Apache-2.0\nRequires-Python: >=3.9\nRequires-Dist: numpy\n"
            "Provides-Extra: all\nRequires-Dist: matplotlib ; extra == 'all'\nRequires-Dist: pandas ; extra == 'all'\n"
            "Requires-Dist: sympy ; extra == 'all'\nRequires-Dist: tqdm ; extra == 'all'\n"
            "Requires-Dist: xarray ; extra == 'all'\n")


def tag():
    abi = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    return f"{abi}-{abi}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


class Wheel:
    def __init__(self, path):
        self.file = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        self.record = []

    def add(self, name, data, executable=False):
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        info.external_attr = (0o755 if executable else 0o644) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.file.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}\n")

    def close(self, info):
        self.file.writestr(f"{info}/RECORD", "".join(self.record) + f"{info}/RECORD,,\n")
        self.file.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    compile_module()
    package = BUILD / "python" / "alembert"
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    module = package / f"_core{suffix}"
    name = f"alembert-{version()}-{tag()}.whl"
    wheel = Wheel(pathlib.Path(wheel_directory) / name)
    for path in sorted((ROOT / "python" / "alembert").iterdir()):
        if path.suffix in (".py", ".pyi") or path.name == "py.typed":
            wheel.add(f"alembert/{path.name}", path.read_bytes())
    wheel.add(f"alembert/{module.name}", module.read_bytes(), True)
    for soname, path in libraries(module):
        wheel.add(f"alembert/libraries/{soname}", pathlib.Path(path).read_bytes(), True)
    info = f"alembert-{version()}.dist-info"
    wheel.add(f"{info}/METADATA", metadata().encode())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: alembert\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode())
    wheel.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.close(info)
    return name


def build_sdist(sdist_directory, config_settings=None):
    base = f"alembert-{version()}"
    name = f"{base}.tar.gz"
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / name, "w:gz") as archive:
        for file in filter(None, files.split("\0")):
            archive.add(ROOT / file, f"{base}/{file}", recursive=False)
        information = pathlib.Path(sdist_directory) / "PKG-INFO"
        information.write_text(metadata())
        archive.add(information, f"{base}/PKG-INFO")
        information.unlink()
    return name
