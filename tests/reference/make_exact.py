#!/usr/bin/env python3
"""Computes the solutions of the differential equations again, to which the methods converge, and compares them with what is
stored as exact in spark.json, multibody.json and euler_energy_momentum.json.

    tests/reference/make_exact.py [words that the names must contain]

Mechanical systems by Gauss's methods of orders 16 and 20 in the steps of make_spark.py, which must agree; the problems of Jay
and Simeon, whose reactions are nonlinear in the multiplier, with the multiplier found from the second derivative of the
constraint at every evaluation, by extrapolation of the explicit midpoint rule."""

import json
import pathlib
import sys

from make_euler import P41, P42
from make_multibody import PROBLEMS
from make_spark import Problem, as_written, difference, run
from precise import D, newton, number

STEPS = 32  # of Gauss's methods; orders 16 and 20 then differ by less than the stored digits show


def along_the_constraint(problem, y, v):
    """g_yy(v, v) of the two problems, and the diagonal of v_z."""
    if isinstance(problem, P41):
        return 4 * y[1] * v[0] * v[1] + 2 * y[0] * v[1] ** 2, [D(2), D(-1)]
    return -6 * problem.b * y[0] * v[0] ** 2, [D(1), D(1)]


def right_side(problem, alpha, x, guess):
    """y' and z' with the multiplier for which the second derivative of g is 0; with alpha the two multipliers of the limit
    of the natural Euler method (section 3.4): the first alone is seen by the position, both by the velocity."""
    y, z = x[:2], x[2:]
    v, f = problem.v(y, z), problem.f(y, z)
    bend, slope = along_the_constraint(problem, y, v)
    row = [a * b for a, b in zip(problem.g_y(y), slope)]

    def pull(force):
        return sum(a * b for a, b in zip(row, force))

    def residual(s):
        first = problem.r(y, z, s[0])
        if alpha is None:
            return [bend + pull(f) + pull(first)]
        last = problem.r(y, z, s[1])
        return [bend / 2 + pull(f) + alpha * pull(first),
                bend + pull(f) + alpha * pull(first) + (1 - alpha) * pull(last)]

    s = newton(residual, guess)
    forces = [problem.r(y, z, m) for m in s]
    weights = [D(1)] if alpha is None else [alpha, 1 - alpha]
    total = [a + sum(w * force[i] for w, force in zip(weights, forces)) for i, a in enumerate(f)]
    return v + total, s


def extrapolated(problem, alpha, x, guess, h, columns=11):
    """One large step of Gragg, Bulirsch and Stoer; the numbers of small steps are 2, 4, 6, ..."""
    table = []
    for k in range(columns):
        n = 2 * (k + 1)
        small = h / n
        slope, guess = right_side(problem, alpha, x, guess)
        before, now = x, [a + small * b for a, b in zip(x, slope)]
        s = guess
        for _ in range(n - 1):
            slope, s = right_side(problem, alpha, now, s)
            before, now = now, [a + 2 * small * b for a, b in zip(before, slope)]
        row = [now]
        for j in range(k):
            ratio = (D(n) / (2 * (k - j))) ** 2 - 1
            row.append([a + (a - b) / ratio for a, b in zip(row[j], table[k - 1][j])])
        table.append(row)
    return table[-1][-1], guess


def nonlinear_in_the_multiplier(case):
    problem = {"P41": P41, "P42": P42}[case["problem"]](
        {**{"m": "1", "b": "0.01", "g": "9.81", "cf": "0.1", "rf": "0.85"}, **case["parameters"]})
    alpha = number(case["parameters"]["alpha"]) if case["id"].startswith("limitODE") else None
    x, guess = problem.y0 + problem.z0, [problem.psi0] * (1 if alpha is None else 2)
    for _ in range(40):
        x, guess = extrapolated(problem, alpha, x, guess, D(1) / 40)
    return difference(x, case["y"] + case["z"])


def by_two_orders(problem, end, scale, q_stored, v_stored):
    results = [run(problem, "gauss", s, end / STEPS, STEPS)[:2] for s in (8, 10)]
    apart = max(difference(a, b) for a, b in zip(*results))
    q, v = results[1]
    return max(apart, difference(q, q_stored), difference([x / scale(q) for x in v], v_stored))


def all_cases(folder):
    """Name, the digits that are stored, and what computes the difference."""
    for case in json.loads((folder / "euler_energy_momentum.json").read_text())["cases"]:
        if case["id"].startswith(("exact_", "limitODE_")):
            yield case["id"], "1e-14" if case["id"] == "limitODE_P42_t1" else "1e-18", \
                lambda case=case: nonlinear_in_the_multiplier(case)
    stored = json.loads((folder / "spark.json").read_text())
    for entry in stored["exact"]:
        problem, scale = as_written(stored["problems"], entry["problem"])
        yield entry["id"], "1e-24", lambda entry=entry, problem=problem, scale=scale: by_two_orders(
            problem, number(entry["t_end"]), scale, entry["q"], entry["v"])
    for entry in json.loads((folder / "multibody.json").read_text())["entries"]:
        if entry["method"] == "EXACT":
            yield entry["id"], "1e-18", lambda entry=entry: by_two_orders(
                Problem(PROBLEMS[entry["problem"]]), number(entry["t_end"]), lambda q: D(1), entry["p"], entry["v"])


def main():
    failed, count = 0, 0
    for name, allowed, compute in all_cases(pathlib.Path(__file__).parent):
        if not all(word in name for word in sys.argv[1:]):
            continue
        error = compute()
        print(f"{name:50} differs by {error:.1e}", flush=True)
        failed, count = failed + (error > D(allowed)), count + 1
    print(f"{count} solutions, {failed} differ by more than the digits that are stored")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
