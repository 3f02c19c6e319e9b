#!/usr/bin/env python3
"""Checks that includes go one way (a folder may include itself and those before it), that public headers bring in
nothing but public and standard ones, and that files stay short enough to read. A header that brings in a third-party
one is private to its folder: only sources of that folder, and headers of it that bring in one themselves, may include
it."""

import pathlib
import re
import sys

ORDER = ["base", "text", "expr", "model", "derive", "code", "linear", "newton", "start", "methods", "run",
         "output", "plot", "study", "lab", "studio"]
# The public headers, include/alembert/NAME.h, each a border of the folder whose things it declares.
PUBLIC = {"error": "base", "numerics": "base", "version": "base", "tree": "base", "expr": "expr", "model": "model", "equations": "derive",
          "method": "methods", "stepper": "run", "trajectory": "run", "report": "run", "simulate": "run", "findings": "study", "study": "study",
          "alembert": "study"}
GENERATED = {"alembert/version.h", "alembert/default_methods.h", "alembert/code_identity.h", "alembert/hdf5_library.h"}
FOREIGN = re.compile(
    r"^(Eigen|unsupported/Eigen|llvm|llvm-c|fmt|nlohmann|CLI|boost|tbb|oneapi|suitesparse)/|^(klu|hdf5|H5\w*|amd|btf)\.h$"
)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
LINES = {".h": 200, ".cpp": 700}


def read(root):
    """{path below src: [(line number, quote, included name)]} and the number of lines of each file."""
    includes, lengths = {}, {}
    files = [p for folder in ("src", "include") for p in (root / folder / "alembert").rglob("*") if p.suffix in LINES]
    for file in sorted(files):
        name = "/".join(file.relative_to(root).parts[1:])
        lines = file.read_text(encoding="utf-8").splitlines()
        lengths[name] = len(lines)
        matches = ((number, INCLUDE.match(line)) for number, line in enumerate(lines, 1))
        includes[name] = [(number, *match.groups()) for number, match in matches if match]
    return includes, lengths


def is_public(name):
    return name.count("/") == 1


def folder_of(name):
    """The folder that a file belongs to: alembert/FOLDER/..., or by the table for alembert/NAME.h."""
    part = name.split("/")[1]
    return PUBLIC.get(part.removesuffix(".h"), part) if is_public(name) else part


def errors(root):
    includes, lengths = read(root)
    private = {f for f, names in includes.items() if f.endswith(".h") and any(FOREIGN.match(n) for _, _, n in names)}
    for file, names in includes.items():
        folder = folder_of(file)
        limit = LINES[pathlib.PurePath(file).suffix]
        if folder not in ORDER:
            yield f"{file}: '{folder}' is not a folder of the library ({' < '.join(ORDER)}), nor a known public header"
            continue
        if lengths[file] > limit:
            yield f"{file}: {lengths[file]} lines, more than {limit}"
        for number, quote, name in names:
            place = f"{file}:{number}"
            if not name.startswith("alembert/"):
                if quote == '"' and not FOREIGN.match(name):
                    yield f'{place}: write the whole path, "alembert/{folder}/{name}"'
                continue
            if name in GENERATED:
                continue
            included = folder_of(name)
            if name not in includes:
                yield f"{place}: no such header: {name}"
            elif is_public(file) and not is_public(name):
                yield f"{place}: a public header must not include {name}, which is not installed"
            elif ORDER.index(included) > ORDER.index(folder):
                yield f"{place}: {folder} must not include {included} ({name})"
            elif name in private and ((file.endswith(".h") and file not in private) or included != folder):
                yield f"{place}: {name} brings in a third-party header, so only sources of {included} may include it"


def main(root):
    found = list(errors(root))
    for line in found:
        print(line)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
