#!/usr/bin/env python3
"""Counts what ./test ran: every case of GoogleTest and pytest, and every other check once. Prints "N passed, N failed"
last.

Reads NAME.json of GoogleTest, python.xml of pytest and ctest.xml of CTest in the given folder. A test program that died has written no
JSON, or one that does not show the failure: its CTest entry then counts as one failure.
"""

import json
import pathlib
import sys
import xml.etree.ElementTree as xml


def cases(file):
    """(passed, names of the failed) of a GoogleTest report; skipped and disabled cases count as neither."""
    passed, failed = 0, []
    for suite in json.loads(file.read_text()).get("testsuites", []):
        for case in suite.get("testsuite", []):
            if case.get("failures"):
                failed.append(f"{suite['name']}.{case['name']}")
            elif case.get("result") == "COMPLETED":
                passed += 1
    return passed, failed


def python_cases(file):
    """The same of a report of pytest."""
    passed, failed = 0, []
    for case in xml.parse(file).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(f"{case.get('classname')}.{case.get('name')}")
        elif case.find("skipped") is None:
            passed += 1
    return passed, failed


def main(folder):
    reports = {}
    for file in sorted(folder.glob("*.json")):
        try:
            reports[file.stem] = cases(file)
        except ValueError:
            reports[file.stem] = (0, [f"{file.name} cannot be read"])

    if (folder / "python.xml").exists():
        try:
            reports["python"] = python_cases(folder / "python.xml")
        except xml.ParseError:
            reports["python"] = (0, ["python.xml cannot be read"])

    passed = sum(p for p, _ in reports.values())
    failed = [f"{name}: {case}" for name, (_, fs) in reports.items() for case in fs]
    if (folder / "ctest.xml").exists():
        for test in xml.parse(folder / "ctest.xml").getroot().iter("testcase"):
            name, status = test.get("name"), test.get("status")
            if status == "fail" and not reports.get(name, (0, []))[1]:
                failed.append(name)
            elif status == "run" and name not in reports:
                passed += 1

    for line in failed:
        print("failed:", line)
    if not passed and not failed:
        failed.append("")
        print("failed: no test was run")
    print(f"{passed} passed, {len(failed)} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
