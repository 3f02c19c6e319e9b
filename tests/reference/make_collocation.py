#!/usr/bin/env python3
"""Computes those entries of multibody.json again that are collocation with multipliers at the stages: Gauss (GLC) and
Lobatto IIIC, which hold the velocity constraints at the stages, and Murua's method (MPRK, MPRK-GGL), which holds them
at the Lobatto points; masses, springs and pendula as the entries write them out. Compares with what is stored.

    tests/reference/make_collocation.py [words that the names of entries must contain]
"""

import json
import pathlib
import sys

from precise import D, gauss_nodes, integrals, lobatto_nodes, newton, number, solve

GRAVITY = D("9.81")


class Springs:
    """Two masses between three springs, without constraints."""

    def __init__(self, coupling, d1="0", d2="0", force="0"):
        self.coupling, self.d1, self.d2, self.force = D(coupling), D(d1), D(d2), D(force)
        self.masses, self.constraints = [D(1), D(1)], 0

    def forces(self, p, v):
        middle = self.coupling * (p[1] - p[0] - 10)
        return [10 - p[0] + middle - self.d1 * v[0] + self.force, 20 - p[1] - middle - self.d2 * v[1]]

    def values(self, p):
        return []

    def gradients(self, p):
        return []


class Pendulum:
    """Point masses in a chain of rods, in the plane; g_k = (|difference|^2 - l_k^2)/2."""

    def __init__(self, masses, lengths, viscosity="0"):
        self.masses = [D(m) for m in masses for _ in range(2)]
        self.lengths, self.viscosity, self.constraints = [D(l) for l in lengths], D(viscosity), len(lengths)

    def forces(self, p, v):
        weight = [-GRAVITY * m if i % 2 else D(0) for i, m in enumerate(self.masses)]
        return [w - self.viscosity * u for w, u in zip(weight, v)]

    def rod(self, p, k):
        before = p[2 * k - 2:2 * k] if k else [D(0), D(0)]
        return [p[2 * k] - before[0], p[2 * k + 1] - before[1]]

    def values(self, p):
        return [(sum(x * x for x in self.rod(p, k)) - l * l) / 2 for k, l in enumerate(self.lengths)]

    def gradients(self, p):
        rows = []
        for k in range(self.constraints):
            x, y = self.rod(p, k)
            row = [D(0)] * len(p)
            row[2 * k:2 * k + 2] = [x, y]
            if k:
                row[2 * k - 2:2 * k] = [-x, -y]
            rows.append(row)
        return rows


def viscous(m1, m2):
    return Pendulum([m1, m2], ["1", "1"], "0.01")


PROBLEMS = {
    "msd_2k2": Springs("2"), "msd_k2": Springs("1"), "msd_2k2_damped_port": Springs("2", "0.2", "0.5", "3"),
    "pendulum": Pendulum(["1"], ["1"]), "pendulum_visc": Pendulum(["1"], ["1"], "0.1"),
    "double": Pendulum(["3", "1"], ["1", "1"]), "double2": Pendulum(["1", "8"], ["1", "5"]),
    "double_visc": viscous("1", "1"), "double_visc_m2_1e-3": viscous("1", "1e-3"),
    "double_visc_m2_1e-6": viscous("1", "1e-6"), "double_visc_m2_0": viscous("1", "0"),
    "double_visc_m1_1e-3": viscous("1e-3", "1"), "double_visc_m1_1e-6": viscous("1e-6", "1"),
    "double_visc_m1_0": viscous("0", "1"),
}


def power(x, k):
    return D(1) if k == 0 else x ** k


def lobatto_iiic(s):
    """a_i1 = b_1, and exact for powers up to s - 2."""
    c = lobatto_nodes(s)
    b = integrals(c, [D(1)])[0]
    left = [[D(1)] + [D(0)] * (s - 1)] + [[power(x, k) for x in c] for k in range(s - 1)]
    return [solve(left, [b[0]] + [power(x, k + 1) / (k + 1) for k in range(s - 1)]) for x in c], b


def coefficients(method, s):
    """A of the stages, that of the points where constraints hold, and b."""
    if method == "LIIIC":
        a, b = lobatto_iiic(s)
        return a, a, b
    c = gauss_nodes(s)
    a, b = integrals(c, c), integrals(c, [D(1)])[0]
    if method == "GLC":
        return a, a, b
    return a, integrals(c, lobatto_nodes(s + 1)[1:]), b


def product(rows, vector):
    return [sum(r * x for r, x in zip(row, vector)) for row in rows]


def transposed(rows, vector, size):
    return [sum(row[j] * x for row, x in zip(rows, vector)) for j in range(size)]


def moved(start, h, row, rates):
    return [x + h * sum(a * rate[j] for a, rate in zip(row, rates)) for j, x in enumerate(start)]


def step(problem, scheme, stabilised, p, v, h):
    """K_i = p' and W_i = v' of the stages, Lambda_i, and mu_i of Gear, Gupta and Leimkuhler."""
    a, points, b = scheme
    s, n, m = len(a), len(p), problem.constraints
    extra = m if stabilised else 0
    width = n + m + (n + extra if stabilised else 0)

    def parts(x):
        rows = [x[i * width:(i + 1) * width] for i in range(s)]
        w, multipliers = [r[:n] for r in rows], [r[n:n + m] for r in rows]
        if stabilised:
            return w, multipliers, [r[n + m:2 * n + m] for r in rows], [r[2 * n + m:] for r in rows]
        return w, multipliers, [moved(v, h, row, w) for row in a], None

    def residual(x):
        w, multipliers, k, mu = parts(x)
        result = []
        for i in range(s):
            position, velocity = moved(p, h, a[i], k), moved(v, h, a[i], w)
            gradients, forces = problem.gradients(position), problem.forces(position, velocity)
            reaction = transposed(gradients, multipliers[i], n)
            result += [mass * x - f + r for mass, x, f, r in zip(problem.masses, w[i], forces, reaction)]
            if stabilised:
                push = transposed(gradients, mu[i], n)
                result += [x - u - y for x, u, y in zip(k[i], velocity, push)]
            held, rate = moved(p, h, points[i], k), moved(v, h, points[i], w)
            result += product(problem.gradients(held), rate)
            if stabilised:
                result += problem.values(held)
        return result

    start = []
    for _ in range(s):
        start += [D(0)] * (n + m) + (list(v) + [D(0)] * extra if stabilised else [])
    w, _, k, _ = parts(newton(residual, start))
    return moved(p, h, b, k), moved(v, h, b, w)


def main():
    stored = json.loads((pathlib.Path(__file__).parent / "multibody.json").read_text())["entries"]
    worst, count = D(0), 0
    for entry in stored:
        if entry["method"] not in ("GLC", "LIIIC", "MPRK", "MPRK-GGL"):
            continue
        if not all(word in entry["id"] for word in sys.argv[1:]):
            continue
        problem, scheme = PROBLEMS[entry["problem"]], coefficients(entry["method"], entry["s"])
        p, v = [number(x) for x in entry["p0"]], [number(x) for x in entry["v0"]]
        for _ in range(entry["n_steps"]):
            p, v = step(problem, scheme, entry["method"] == "MPRK-GGL", p, v, number(entry["h"]))
        error = max(abs(x - D(y)) for x, y in zip(p + v, entry["p"] + entry["v"]))
        print(f"{entry['id']:40} differs by {error:.1e}", flush=True)
        worst, count = max(worst, error), count + 1
    print(f"{count} of {len(stored)} entries, largest difference {worst:.1e}")
    return 1 if worst > D("1e-17") else 0


if __name__ == "__main__":
    sys.exit(main())
