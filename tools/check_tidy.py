#!/usr/bin/env python3
"""check_tidy.py BUILD [FILE...]: runs clang-tidy, with the checks of .clang-tidy, over the sources of library and
program as BUILD's compile_commands.json compiles them (or over the given ones only), and fails where it finds anything.

Most of the time goes into the headers, so that sources of one folder are checked as one unit. Where that does not
compile, because two of them use one name for different things, those that the errors name are checked alone.

What is clean is remembered in the user's cache folder by a hash of everything that the answer depends on: .clang-tidy,
the version of clang-tidy, the command line, the source and the project's headers that it includes.
"""

import collections
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LARGEST_UNIT = 32  # sources; more would leave one core without work at the end
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
COMPILER = re.compile(r"(^|/)(c\+\+|g\+\+|clang\+\+)[-\d.]*$")
FINDING = re.compile(r"^(/[^:\n]+):\d+:\d+: (?:warning|error): .* \[(\S+?)(?:,-warnings-as-errors)?\]$", re.M)
# Words that concern code generation, gcc alone, or the compiler's warnings: gcc decides about those.
LEFT_OUT = re.compile(r"^-(O.|MD|c|Winvalid-pch|W\w[-\w]*|fno-sanitize-recover=.*)$")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def arguments_of(entry, builtin_headers):
    """The compiler's arguments without launcher, source, output and precompiled header. gcc's own headers come last:
    clang has no quadmath.h."""
    words = shlex.split(entry["command"])
    words = words[next(i for i, word in enumerate(words) if COMPILER.search(word)) + 1:]
    kept = ["clang++"]
    while words:
        word = words.pop(0)
        if word in ("-o", "-MT", "-MF", "--param") or word == "-include" and "cmake_pch" in words[0]:
            words.pop(0)
        elif word != entry["file"] and not LEFT_OUT.match(word):
            kept.append(word)
    return (*kept, "-w", "-idirafter", builtin_headers)


def sources(build, only):
    """{source: arguments} of what is to be checked."""
    builtin_headers = output_of("g++", "-print-file-name=include").strip()
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        if "alembert_interpreter.dir" in entry["command"]:
            continue  # a part of what is compiled for LLVM
        members = [file]
        if "united" in file.parts:  # a group of sources that are compiled together
            names = INCLUDE.findall(file.read_text())
            members = [base / name for base in (ROOT / "src", ROOT / "apps") for name in names if (base / name).is_file()]
        for member in members:
            if re.match(r"(src|apps)/", os.path.relpath(member, ROOT)) and (not only or member in only):
                found[member] = arguments_of(entry, builtin_headers)
    return found


def project_files(file, folders, seen):
    """Adds to `seen` the file and all headers of the project that it includes, directly or not."""
    if file in seen:
        return
    seen[file] = file.read_text(encoding="utf-8")
    for name in INCLUDE.findall(seen[file]):
        header = next((folder / name for folder in (file.parent, *folders) if (folder / name).is_file()), None)
        if header:
            project_files(header, folders, seen)


def fingerprint(file, arguments, folders, common):
    seen = {}
    project_files(file, folders, seen)
    parts = [common, *arguments]
    for path, text in sorted(seen.items()):
        parts += [os.path.relpath(path, ROOT), text]
    # The same in every checkout.
    return hashlib.sha256("\0".join(parts).replace(str(ROOT), "").encode()).hexdigest()


def units(due):
    """Lists of sources that are checked together: of one room (run, model with its parts), with the same arguments."""
    groups = collections.defaultdict(list)
    for file, arguments in sorted(due.items()):
        groups[file.relative_to(ROOT).parent.parts[:3], arguments].append(file)
    for (_, arguments), files in groups.items():
        count = -(-len(files) // LARGEST_UNIT)
        for part in range(count):
            yield files[len(files) * part // count:len(files) * (part + 1) // count], arguments


def tidy(files, arguments, folder, name):
    """What clang-tidy says about the files as one unit: (path, check) of each finding, and the text."""
    unit = files[0]
    if len(files) > 1:
        unit = folder / f"{name}.cpp"
        unit.write_text("".join(f'#include "{file}"\n' for file in files))
    run = subprocess.run(["clang-tidy", "--quiet", str(unit), "--", *arguments[1:]], capture_output=True, text=True,
                         cwd=ROOT)
    findings = FINDING.findall(run.stdout)
    if run.returncode and not findings:
        findings, run.stdout = [(str(files[0]), "clang-tidy")], run.stdout + run.stderr
    return findings, run.stdout.strip()


def check(files, arguments, folder, name):
    """(text of the findings, files that are clean)."""
    findings, text = tidy(files, arguments, folder, name)
    if not findings:
        return "", files
    if len(files) == 1:
        return text, []
    # Alone: those with findings, and all that an error might have hidden something of.
    named = {pathlib.Path(path) for path, _ in findings}
    again = [file for file in files if file in named]
    if not again:
        again = files
    texts, clean = [], [file for file in files if file not in again]
    for file in again:
        text, good = check([file], arguments, folder, name)
        texts.append(text)
        clean += good
    return "\n".join(filter(None, texts)), clean


def cache_folder(build):
    folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "alembert"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    except OSError:
        return build


def main(build, only):
    work = build / "tidy"
    work.mkdir(exist_ok=True)
    known = cache_folder(build) / "tidy_clean.txt"
    clean = set(known.read_text().split()) if known.exists() else set()
    common = output_of("clang-tidy", "--version") + (ROOT / ".clang-tidy").read_text()
    folders = [ROOT / "include", ROOT / "src", ROOT / "apps/alembert", build / "generated"]
    wanted = sources(build, only)
    prints = {file: fingerprint(file, arguments, folders, common) for file, arguments in wanted.items()}
    due = {file: arguments for file, arguments in wanted.items() if prints[file] not in clean}

    failed = False
    jobs = sorted(units(due), key=lambda unit: -sum(file.stat().st_size for file in unit[0]))  # the longest first
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, known.open("a") as record:
        names = (f"unit_{i}" for i in itertools.count())
        for future in concurrent.futures.as_completed(pool.submit(check, *job, work, next(names)) for job in jobs):
            text, good = future.result()
            record.write("".join(prints[file] + "\n" for file in good))
            record.flush()
            if text:
                failed = True
                print(text, flush=True)
    print(f"{len(due)} sources checked, {len(wanted) - len(due)} known to be clean")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), {pathlib.Path(a).resolve() for a in sys.argv[2:]}))
