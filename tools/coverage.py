#!/usr/bin/env python3
"""Lines of src/ that were reached, by folder, from what gcc's --coverage left: coverage.py ROOT BUILD_FOLDER"""

import json
import pathlib
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

WANTED = 0.92


def lines_of(data, root):
    """(file, line) -> whether it was reached, for one object."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", str(data)], capture_output=True, cwd=data.parent)
    found = {}
    for text in done.stdout.splitlines():
        for file in json.loads(text)["files"]:
            path = (data.parent / file["file"]).resolve()
            if not path.is_relative_to(root / "src"):
                continue
            for line in file["lines"]:
                key = (str(path.relative_to(root)), line["line_number"])
                found[key] = found.get(key, False) or line["count"] > 0
    return found


def main():
    root, build = (pathlib.Path(x).resolve() for x in sys.argv[1:3])
    objects = [x for x in build.rglob("*.gcno") if "test" not in x.parent.name]
    data = [x.with_suffix(".gcda") if x.with_suffix(".gcda").exists() else x for x in objects]
    reached = {}
    with ThreadPoolExecutor() as pool:
        for found in pool.map(lambda x: lines_of(x, root), data):
            for key, yes in found.items():
                reached[key] = reached.get(key, False) or yes
    folders = defaultdict(lambda: [0, 0])
    for (path, _), yes in reached.items():
        for name in ("/".join(path.split("/")[:3]), "all of src"):
            folders[name][0] += yes
            folders[name][1] += 1
    for name, (hit, count) in sorted(folders.items()):
        print(f"{name:32} {hit:6} of {count:6} lines  {100 * hit / count:5.1f} %")
    hit, count = folders["all of src"]
    return 0 if count and hit >= WANTED * count else 1


if __name__ == "__main__":
    sys.exit(main())
