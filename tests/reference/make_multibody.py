#!/usr/bin/env python3
"""Computes those entries of multibody.json again that are SPARK or Gauss steps: JPRK (Lobatto IIIA-IIIB) and GLC without
constraints (Gauss collocation), and compares them with what is stored.

    tests/reference/make_multibody.py [words that the names of entries must contain]
"""

import json
import pathlib
import sys

from make_spark import Problem, difference, run
from precise import D, number


def pendulum(m1, m2, l1, l2, q0, v0, viscosity="0"):
    return {"n": 4, "k": [], "q0": q0, "v0": v0, "force": [f"-v{i}*{viscosity}" for i in range(1, 5)],
            "L": f"{m1}*(v1**2 + v2**2)/2 + {m2}*(v3**2 + v4**2)/2 - 981*({m1}*q2 + {m2}*q4)/100",
            "g": [f"(q1**2 + q2**2 - {l1}**2)/2", f"((q3 - q1)**2 + (q4 - q2)**2 - {l2}**2)/2"]}


def springs(coupling, force=("0*v1", "0*v2")):
    return {"n": 2, "k": [], "g": [], "q0": ["6", "24"], "v0": ["0", "0"], "force": list(force),
            "L": f"(v1**2 + v2**2)/2 - (q1 - 10)**2/2 - {coupling}*(q2 - q1 - 10)**2/2 - (q2 - 20)**2/2"}


def simple_pendulum(viscosity):
    return {"n": 2, "k": [], "q0": ["1", "0"], "v0": ["0", "0"], "L": "(v1**2 + v2**2)/2 - 981*q2/100",
            "g": ["(q1**2 + q2**2 - 1)/2"], "force": [f"-v{i}*{viscosity}" for i in (1, 2)]}


PROBLEMS = {
    "pendulum": simple_pendulum("0"),
    "pendulum_visc": simple_pendulum("1/10"),
    "double": pendulum(3, 1, 1, 1, ["1", "0", "2", "0"], ["0"] * 4),
    "double2": pendulum(1, 8, 1, 5, ["1", "0", "6", "0"], ["0", "10", "0", "0"]),
    "double_visc": pendulum(1, 1, 1, 1, ["1", "0", "2", "0"], ["0"] * 4, "1/100"),
    "msd_2k2": springs(2),
    "msd_k2": springs(1),
    "msd_2k2_damped_port": springs(2, ("3 - 2*v1/10", "-5*v2/10")),
}


def main():
    stored = json.loads((pathlib.Path(__file__).parent / "multibody.json").read_text())["entries"]
    worst, count = D(0), 0
    for entry in stored:
        text = PROBLEMS.get(entry["problem"])
        key = {"JPRK": "lobAB", "GLC": "gauss"}.get(entry["method"])
        if text is None or key is None or (key == "gauss" and text["g"]):
            continue
        if not all(word in entry["id"] for word in sys.argv[1:]):
            continue
        q, v, _, _ = run(Problem(text), key, entry["s"], number(entry["h"]), entry["n_steps"])
        error = max(difference(q, entry["p"]), difference(v, entry["v"]))
        print(f"{entry['id']:40} differs by {error:.1e}", flush=True)
        worst, count = max(worst, error), count + 1
    print(f"{count} of {len(stored)} entries, largest difference {worst:.1e}")
    return 1 if worst > D("1e-18") else 0


if __name__ == "__main__":
    sys.exit(main())
