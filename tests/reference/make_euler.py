#!/usr/bin/env python3
"""Computes the symplectic Euler steps of euler_energy_momentum.json again for the problems P41 and P42, in 50 digits, and
compares them with what is stored.

    tests/reference/make_euler.py [words that the names of cases must contain]

The methods are (3.2), (3.5), (3.7), (3.8) of Jay and Simeon, the problems are written out in the file itself."""

import json
import pathlib
import sys

from precise import D, newton, number


class P41:
    y0, z0, psi0 = [D(1), D(1)], [D(1), D(1)], D(1)

    def __init__(self, parameters):
        pass

    def v(self, y, z):
        return [2 * z[0], -z[1]]

    def f(self, y, z):
        return [2 * y[0] * y[1] * z[0] * z[1] - y[0] * z[0] * z[1], z[0] - y[0] * z[1] ** 3]

    def r(self, y, z, psi):
        return [y[1] * z[0] * psi ** 2, -y[0].sqrt() * z[0] * z[1] ** 2 * psi]

    def g(self, y):
        return y[0] * y[1] ** 2 - 1

    def g_y(self, y):
        return [y[1] ** 2, 2 * y[0] * y[1]]


class P42:
    y0, z0, psi0 = [D(10), D(10)], [D("-3.6"), D("-10.8")], D("1.7586")

    def __init__(self, parameters):
        self.m, self.b, self.gravity, self.cf, self.rf = (number(parameters[k]) for k in ("m", "b", "g", "cf", "rf"))

    def v(self, y, z):
        return z

    def f(self, y, z):
        return [D(0), -self.gravity]

    def r(self, y, z, psi):
        friction = self.cf * ((1 + 9 * self.b ** 2 * y[0] ** 4) * psi ** 2) ** (self.rf / 2)
        speed = (z[0] ** 2 + z[1] ** 2).sqrt()
        return [(-3 * self.b * y[0] ** 2 * psi - friction * z[0] / speed) / self.m,
                (psi - friction * z[1] / speed) / self.m]

    def g(self, y):
        return y[1] - self.b * y[0] ** 3

    def g_y(self, y):
        return [-3 * self.b * y[0] ** 2, D(1)]


def plus(x, *parts):
    return [a + sum(factor * values[i] for factor, values in parts) for i, a in enumerate(x)]


def step(problem, method, a, h, y0, z0, S):
    """Unknowns y1, Z, z1 and the two multipliers."""
    conjugate = method.endswith("conj")

    def residual(x):
        y1, Z, z1, S0, S1 = x[0:2], x[2:4], x[4:6], x[6], x[7]
        position = plus(y0, (h, problem.v(y1 if conjugate else y0, Z)))
        force = (h, problem.f(y1 if conjugate else y0, Z))
        first = (h * a, problem.r(y0, z0, S0))
        if method.startswith("natural"):
            last = [(h * (1 - a), problem.r(y1, z1, S1))]
        else:
            last = [(-h * a, problem.r(y1, z1, S0)), (h, problem.r(y1, z1, S1))]
        middle = plus(z0, first) if conjugate else plus(z0, force, first)
        end = plus(Z, force, *last) if conjugate else plus(Z, *last)
        velocity = sum(p * q for p, q in zip(problem.g_y(y1), problem.v(y1, z1)))
        return [p - q for p, q in zip(y1 + Z + z1, position + middle + end)] + [problem.g(y1), velocity]

    x = newton(residual, S if S else y0 + z0 + z0 + [problem.psi0, problem.psi0])
    return x[0:2], x[4:6], x


def main():
    cases = json.loads((pathlib.Path(__file__).parent / "euler_energy_momentum.json").read_text())["cases"]
    worst, count = D(0), 0
    for case in cases:
        problem_class = {"P41": P41, "P42": P42}.get(case["problem"])
        if problem_class is None or case["method"] not in ("natural", "true", "natural_conj", "true_conj"):
            continue
        if not all(word in case["id"] for word in sys.argv[1:]):
            continue
        problem = problem_class(case["parameters"])
        h, alpha = number(case["h"]), number(case["parameters"]["alpha"])
        y, z, S = problem.y0, problem.z0, None
        for _ in range(int((number(case["t_end"]) / h).to_integral_value())):
            y, z, S = step(problem, case["method"], alpha, h, y, z, S)
        error = max(abs(a - D(b)) / max(1, abs(a)) for a, b in zip(y + z, case["y"] + case["z"]))
        print(f"{case['id']:50} differs by {error:.1e}", flush=True)
        worst, count = max(worst, error), count + 1
    print(f"{count} of {len(cases)} cases, largest difference {worst:.1e}")
    return 1 if worst > D("1e-15") else 0


if __name__ == "__main__":
    sys.exit(main())
