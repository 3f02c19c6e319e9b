#!/usr/bin/env python3
"""Computes the four-particle cases of euler_energy_momentum.json again: Gonzalez' energy-momentum scheme (33)-(34) with
the discrete derivatives of functions of |q_i - q_j|^2, in 50 digits. Compares with what is stored.

    tests/reference/make_particles.py [words that the names of cases must contain]
"""

import json
import pathlib
import sys

from precise import D, newton, number

SPRINGS, BARS = [(0, 2), (1, 3)], [(0, 1), (2, 3)]


def apart(q, pair):
    i, j = pair
    return [q[3 * i + k] - q[3 * j + k] for k in range(3)]


def square(x):
    return sum(a * a for a in x)


def step(parameters, q0, p0, multipliers, h):
    masses = [number(m) for m in parameters["m"] for _ in range(3)]
    stiffness, lengths, natural = ([number(x) for x in parameters[key]] for key in ("K", "L", "a"))

    def momenta(q1):
        return [2 * m * (b - a) / h - p for m, a, b, p in zip(masses, q0, q1, p0)]

    def residual(x):
        q1, l = x[:12], x[12:]
        p1, middle = momenta(q1), [(a + b) / 2 for a, b in zip(q0, q1)]
        force = [D(0)] * 12

        def pull(pair, slope):
            """Minus slope times the derivative of |q_i - q_j|^2 at the middle."""
            for k, d in enumerate(apart(middle, pair)):
                force[3 * pair[0] + k] -= 2 * slope * d
                force[3 * pair[1] + k] += 2 * slope * d

        for pair, K, a in zip(SPRINGS, stiffness, natural):
            # K/4 (pi - a)^2 has the difference quotient K/4 (pi_0 + pi_1 - 2 a).
            pull(pair, K / 4 * (square(apart(q0, pair)) + square(apart(q1, pair)) - 2 * a))
        for pair, one in zip(BARS, l):
            # sqrt(pi) - L has the quotient 1/(sqrt(pi_0) + sqrt(pi_1)).
            pull(pair, one / (square(apart(q0, pair)).sqrt() + square(apart(q1, pair)).sqrt()))
        motion = [b - a - h * f for a, b, f in zip(p0, p1, force)]
        return motion + [square(apart(q1, pair)).sqrt() - L for pair, L in zip(BARS, lengths)]

    x = newton(residual, [a + h * p / m for a, p, m in zip(q0, p0, masses)] + multipliers)
    return x[:12], momenta(x[:12]), x[12:]


def main():
    cases = json.loads((pathlib.Path(__file__).parent / "euler_energy_momentum.json").read_text())["cases"]
    worst, count = D(0), 0
    for case in cases:
        if case["problem"] != "FourParticle" or not all(word in case["id"] for word in sys.argv[1:]):
            continue
        if case["parameters"]["kind"] != "quad":
            continue
        q, p, multipliers = [number(x) for x in case["q0"]], [number(x) for x in case["p0"]], [D(0), D(0)]
        for _ in range(case["n_steps"]):
            q, p, multipliers = step(case["parameters"], q, p, multipliers, number(case["h"]))
        error = max(abs(a - D(b)) for a, b in zip(q + p, case["q"] + case["p"]))
        print(f"{case['id']:40} differs by {error:.1e}", flush=True)
        worst, count = max(worst, error), count + 1
    print(f"{count} cases, largest difference {worst:.1e}")
    return 1 if worst > D("1e-20") else 0


if __name__ == "__main__":
    sys.exit(main())
