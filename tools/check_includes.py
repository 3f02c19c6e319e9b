#!/usr/bin/env python3
"""Checks that includes go one way (a folder may include itself and those before it), that no public header brings in a
third-party one, and that files stay short enough to read. A header that does bring one in is private: only sources of
its own folder may include it, and it is not installed."""

import pathlib
import re
import sys

ORDER = ["base", "text", "expr", "model", "derive", "code", "linear", "newton", "start", "methods", "run",
         "output", "plot", "study", "lab"]
FOREIGN = re.compile(
    r"^(Eigen|unsupported/Eigen|llvm|llvm-c|fmt|nlohmann|CLI|tbb|oneapi|suitesparse)/|^(klu|hdf5|H5\w*|amd|btf)\.h$"
)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
LINES = {".h": 200, ".cpp": 700}


def read(root):
    """{path below src: [(line number, quote, included name)]} and the number of lines of each file."""
    includes, lengths = {}, {}
    for file in sorted(p for p in (root / "src" / "alembert").rglob("*") if p.suffix in LINES):
        name = file.relative_to(root / "src").as_posix()
        lines = file.read_text(encoding="utf-8").splitlines()
        lengths[name] = len(lines)
        matches = ((number, INCLUDE.match(line)) for number, line in enumerate(lines, 1))
        includes[name] = [(number, *match.groups()) for number, match in matches if match]
    return includes, lengths


def errors(root):
    includes, lengths = read(root)
    private = {f for f, names in includes.items() if f.endswith(".h") and any(FOREIGN.match(n) for _, _, n in names)}
    for file, names in includes.items():
        folder = file.split("/")[1]
        limit = LINES[pathlib.PurePath(file).suffix]
        if folder not in ORDER:
            yield f"src/{file}: '{folder}' is not a folder of the library ({' < '.join(ORDER)})"
            continue
        if lengths[file] > limit:
            yield f"src/{file}: {lengths[file]} lines, more than {limit}"
        for number, quote, name in names:
            place = f"src/{file}:{number}"
            if not name.startswith("alembert/"):
                if quote == '"' and not FOREIGN.match(name):
                    yield f'{place}: write the whole path, "alembert/{folder}/{name}"'
                continue
            if name == "alembert/version.h":  # generated
                continue
            included = name.split("/")[1]
            if name not in includes:
                yield f"{place}: no such header: {name}"
            elif ORDER.index(included) > ORDER.index(folder):
                yield f"{place}: {folder} must not include {included} ({name})"
            elif name in private and (file.endswith(".h") or included != folder):
                yield f"{place}: {name} brings in a third-party header, so only sources of {included} may include it"


def main(root):
    found = list(errors(root))
    for line in found:
        print(line)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
