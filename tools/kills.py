#!/usr/bin/env python3
"""Kills runs with SIGKILL at random moments and reads back what they left: kills.py PROGRAM [KILLS] [SEED]

For each format KILLS runs (100). A file counts as read back where `alembert view` draws it and the rows of .csv and
.json lie on the motion, a cosine; as none where the run was killed before its first flush. Then runs with a checkpoint, killed again and again and
gone on with: their rows must be those of a run that was never killed, byte for byte. The exit code is 1 where one fails.
"""

import collections
import csv
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import time

MODEL = "model \"Oscillator\"\ncoordinate x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1\nsolve lobatto(4) step 0.01 end 1e7\n"
ALLOWED = 1e-6  # lobatto(4) with step 0.01 stays far below


def rows_of(program, path):
    """Rows as lists of numbers, what the program says of a torn file; None where it refuses it."""
    page = path.with_suffix(".svg")
    seen = subprocess.run([program, "view", path, "--out", page], capture_output=True, text=True, timeout=120)
    if seen.returncode != 0:
        return None, seen.returncode, seen.stderr.strip()
    if path.suffix == ".csv":
        text = path.read_text()
        whole = text[: text.rfind("\n") + 1]
        rows = [[float(x) for x in row] for row in list(csv.reader(whole.splitlines()))[1:]]
    elif path.suffix == ".json":
        text = path.read_text()
        try:
            rows = json.loads(text)["rows"]
        except (ValueError, KeyError):
            rows = []
    else:
        rows = []
    return rows, 0, seen.stderr.strip()


def on_the_motion(rows):
    return all(abs(row[1] - math.cos(row[0])) < ALLOWED for row in rows)


def kill_runs(program, folder, ending, kills, random):
    counts = {"read back": 0, "none yet": 0, "refused": 0, "wrong": 0, "broken": 0}
    said = collections.Counter()  # of files that were refused, without their names
    for i in range(kills):
        out = folder / f"a{i}{ending}"
        run = subprocess.Popen([program, "run", folder / "m.alm", "--out", out, "--every", "50", "-q"], stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0.02, 2.5))
        run.kill()
        run.wait()
        if not out.exists() or out.stat().st_size == 0:
            counts["none yet"] += 1
            continue
        rows, code, words = rows_of(program, out)
        if rows is None and code == 2 and "row" in words:
            counts["refused"] += 1  # it has no rows yet, and that is said
            said[words.replace(str(folder), "").replace(out.name, "FILE").replace("\n", " / ")] += 1
        elif rows is None:
            counts["broken"] += 1
            print(f"  {out.name}: exit {code}: {words}")
        elif not on_the_motion(rows):
            counts["wrong"] += 1
        else:
            counts["read back"] += 1
        out.unlink()
    for words, count in said.items():
        print(f"  {count} refused: {words}")
    return counts


def resume_runs(program, folder, kills, random):
    """How many kills a run survived, and whether it ended with the same bytes."""
    options = ["--method", "lobatto(3)", "--step", "0.0002", "--end", "1200", "--every", "100", "-q"]
    whole, part, saved = folder / "whole.csv", folder / "part.csv", folder / "saved"
    subprocess.run([program, "run", folder / "m.alm", *options, "--out", whole], check=True)
    survived = 0
    while True:
        command = [program, "run", folder / "m.alm", *options, "--out", part, "--checkpoint", saved, "--checkpoint-every", "20000"]
        if saved.exists():
            command += ["--resume", saved]
        run = subprocess.Popen(command, stderr=subprocess.PIPE)
        try:
            code = run.wait(random.uniform(0.05, 0.3) if survived < kills else None)
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
            survived += 1
            continue
        if code != 0:
            print("  resume:", run.stderr.read().decode())
        return survived, code == 0 and whole.read_bytes() == part.read_bytes()


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    source = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    failed = False
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "m.alm").write_text(MODEL)
        for ending in (".csv", ".json", ".h5"):
            counts = kill_runs(program, folder, ending, kills, source)
            print(f"{ending}: {kills} kills: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
            failed = failed or counts["wrong"] + counts["broken"] > 0
        survived, same = resume_runs(program, folder, kills, source)
        print(f"resumed: {survived} kills, " + ("the same bytes" if same else "OTHER BYTES"))
        failed = failed or not same
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
