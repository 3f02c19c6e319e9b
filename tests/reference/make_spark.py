#!/usr/bin/env python3
"""Computes the entries of spark.json again, step by step in 50 digits, and compares them with what is stored.

    tests/reference/make_spark.py                 all entries (an hour)
    tests/reference/make_spark.py P81 gauss       those whose names contain all these words

The equations are those of Jay 2009 as docs/theory.md writes them, for a Lagrangian with constraints:
p = L_v, f = L_q, N = -k_v^T psi, r = -g_q^T lambda. Newton's method takes its Jacobian from differences; nothing is
shared with the program."""

import json
import pathlib
import sys

from precise import D, Dual, cos, gauss_nodes, integrals, lobatto_nodes, newton, number, radau_nodes, sin, solve, sqrt


class Problem:
    def __init__(self, text):
        self.n = text["n"]
        self.L, self.k, self.g = text["L"], text["k"], text["g"]
        self.q0, self.v0 = [number(x) for x in text["q0"]], [number(x) for x in text["v0"]]
        names = [f"{letter}{i + 1}" for letter in "qv" for i in range(self.n)]
        compiled = [compile(t, t, "eval") for t in [self.L] + self.k + self.g]
        self.compiled = compiled[0], compiled[1:1 + len(self.k)], compiled[1 + len(self.k):]
        self.applied = [compile(t, t, "eval") for t in text.get("force", [])]  # beside what the Lagrangian gives
        self.names = names

    def value(self, code, q, v):
        scope = {"sin": sin, "cos": cos, "sqrt": sqrt}
        size = 2 * self.n
        for i, (name, x) in enumerate(zip(self.names, q + v)):
            scope[name] = Dual(x, [D(int(i == j)) for j in range(size)])
        return Dual.of(eval(code, scope), size)

    def momenta_and_force(self, q, v):
        gradient = self.value(self.compiled[0], q, v).gradient
        force = gradient[:self.n]
        if self.applied:
            force = [a + self.value(code, q, v).value for a, code in zip(force, self.applied)]
        return gradient[self.n:], force

    def nonholonomic(self, q, v):
        """k and k_v."""
        values = [self.value(code, q, v) for code in self.compiled[1]]
        return [x.value for x in values], [x.gradient[self.n:] for x in values]

    def holonomic(self, q):
        """g and g_q."""
        values = [self.value(code, q, [D(0)] * self.n) for code in self.compiled[2]]
        return [x.value for x in values], [x.gradient[:self.n] for x in values]


class Coefficients:
    """A for positions, A_hat for f, A_prime for N, A_tilde for r; positions at the constraints with A_bar."""

    def __init__(self, c, b, A, A_hat=None, A_prime=None):
        self.c, self.b, self.A = c, b, A
        self.A_hat = A_hat or A
        self.A_prime = A_prime or self.A_hat
        self.nonholonomic = "weighted"  # over the stages; "middle" of the step; at the "stages" only

    def at_stages(self):
        """The constraints at the stages themselves (Lobatto)."""
        self.A_bar, self.A_tilde, self.b_tilde = self.A, self.A_hat, self.b
        return self

    def at_lobatto_points(self):
        s = len(self.b)
        points = lobatto_nodes(s + 1)
        self.b_tilde = integrals(points, [D(1)])[0]
        self.A_bar = integrals(self.c, points)
        self.A_tilde = [[self.b_tilde[j] * (1 - self.A_bar[j][i] / self.b[i]) for j in range(s + 1)] for i in range(s)]
        return self


def adjoint(A, b):
    return [[b[j] * (1 - A[j][i] / b[i]) for j in range(len(b))] for i in range(len(b))]


def lobatto_c(c, b):
    """a_i1 = b_1, and exact for polynomials of degree s - 2 at every stage; c_1 = 0 contributes to the constant only."""
    s = len(b)
    matrix = [[c[j] ** k if k else D(1) for j in range(1, s)] for k in range(s - 1)]
    rest = [solve(matrix, [x ** (k + 1) / (k + 1) - (0 if k else b[0]) for k in range(s - 1)]) for x in c]
    return [[b[0]] + row for row in rest]


def coefficients(key, s):
    if key in ("gauss", "gaussstd"):
        c = gauss_nodes(s)
        k = Coefficients(c, integrals(c, [D(1)])[0], integrals(c, c)).at_lobatto_points()
        k.nonholonomic = "weighted" if key == "gauss" else "stages"
        return k
    if key in ("euler1", "euler2"):
        a = D(0) if key == "euler1" else D(1)
        return Coefficients([a], [D(1)], [[a]], [[1 - a]]).at_stages()
    if key == "radauIIA":
        c = radau_nodes(s)
        return Coefficients(c, integrals(c, [D(1)])[0], integrals(c, c)).at_lobatto_points()
    c = lobatto_nodes(s)
    b, A = integrals(c, [D(1)])[0], integrals(c, c)
    if key in ("lobAB", "modlob"):
        k = Coefficients(c, b, A, adjoint(A, b)).at_stages()
        k.nonholonomic = "weighted" if key == "lobAB" else "middle"
        return k
    C = lobatto_c(c, b)
    mean = [[(x + y) / 2 for x, y in zip(p, q)] for p, q in zip(C, adjoint(C, b))]
    if key == "lobABD":
        return Coefficients(c, b, A, adjoint(A, b), mean).at_stages()
    assert key == "lobD", key
    return Coefficients(c, b, mean).at_lobatto_points()


def combined(row, vectors, h, start):
    return [x + h * sum(a * v[i] for a, v in zip(row, vectors)) for i, x in enumerate(start)]


def step(problem, k, h, q0, v0, guess):
    """Unknowns: the stages of v, v at the end, the multipliers Psi of the stages and Lambda of the points."""
    n, s, points = problem.n, len(k.b), len(k.b_tilde)
    n_k, n_g = len(problem.k), len(problem.g)
    p0 = problem.momenta_and_force(q0, v0)[0]

    def parts(x):
        V = [x[i * n:(i + 1) * n] for i in range(s + 1)]
        at = n * (s + 1)
        Psi = [x[at + i * n_k:at + (i + 1) * n_k] for i in range(s)]
        at += s * n_k
        Lambda = [x[at + i * n_g:at + (i + 1) * n_g] for i in range(points)]
        return V[:s], V[s], Psi, Lambda

    def residual(x):
        V, v1, Psi, Lambda = parts(x)
        Q = [combined(row, V, h, q0) for row in k.A]
        q1 = combined(k.b, V, h, q0)
        P, F, K, N = [], [], [], []
        for i in range(s):
            p, f = problem.momenta_and_force(Q[i], V[i])
            values, gradients = problem.nonholonomic(Q[i], V[i])
            P.append(p)
            F.append(f)
            K.append(values)
            N.append([-sum(g[j] * m for g, m in zip(gradients, Psi[i])) for j in range(n)])
        R, G = [], []
        for j in range(points if n_g else 0):
            values, gradients = problem.holonomic(combined(k.A_bar[j], V, h, q0))
            G.append(values)
            R.append([-sum(g[i] * m for g, m in zip(gradients, Lambda[j])) for i in range(n)])
        p1 = problem.momenta_and_force(q1, v1)[0]

        def balance(p, a_hat, a_prime, a_tilde):
            right = combined(a_hat, F, h, p0)
            right = combined(a_prime, N, h, right)
            right = combined(a_tilde, R, h, right) if n_g else right
            return [x - y for x, y in zip(p, right)]

        equations = []
        for i in range(s):
            equations += balance(P[i], k.A_hat[i], k.A_prime[i], k.A_tilde[i])
        equations += balance(p1, k.b, k.b, k.b_tilde)
        if n_k and k.nonholonomic == "weighted":
            for i in range(s - 1):
                equations += [sum(k.b[j] * (k.c[j] ** i if i else 1) * K[j][m] for j in range(s)) for m in range(n_k)]
        if n_k and k.nonholonomic == "middle":
            equations += problem.nonholonomic(combined([D(1) / 2], V, h, q0), V[0])[0]
        if n_k and k.nonholonomic != "stages":
            equations += problem.nonholonomic(q1, v1)[0]
        for i in range(s if k.nonholonomic == "stages" else 0):
            equations += K[i]
        for j in range(1, points if n_g else 0):
            equations += G[j]
        if n_g:
            gradients = problem.holonomic(q1)[1]
            equations += [sum(a * b for a, b in zip(g, v1)) for g in gradients]
        return equations

    x = newton(residual, guess)
    V, v1, Psi, Lambda = parts(x)
    return combined(k.b, V, h, q0), v1, Psi, Lambda, x


def step_of_mclachlan_perlmutter(problem, h, q0, v0, guess):
    """Jay 2009 (7.3), for a constant mass matrix; unknowns v at the end and Psi."""
    n = problem.n
    Q = combined([D(1) / 2], [v0], h, q0)
    p0, f = problem.momenta_and_force(Q, v0)
    gradients = problem.nonholonomic(Q, v0)[1]

    def end(v1):
        return combined([D(1) / 2, D(1) / 2], [v0, v1], h, q0)

    def residual(x):
        v1, Psi = x[:n], x[n:]
        N = [-sum(g[i] * m for g, m in zip(gradients, Psi)) for i in range(n)]
        right = combined([D(1), D(1)], [f, N], h, p0)
        p1 = problem.momenta_and_force(Q, v1)[0]
        return [a - b for a, b in zip(p1, right)] + problem.nonholonomic(end(v1), v1)[0]

    x = newton(residual, guess)
    return end(x[:n]), x[:n], x


def run(problem, key, s, h, steps):
    if key == "mp73":
        q, v, guess = problem.q0, problem.v0, problem.v0 + [D(0)] * len(problem.k)
        for _ in range(steps):
            q, v, guess = step_of_mclachlan_perlmutter(problem, h, q, v, guess)
        return q, v, [guess[problem.n:]], []
    k = coefficients(key, s)
    q, v = problem.q0, problem.v0
    guess = v * (s + 1) + [D(0)] * (s * len(problem.k) + len(k.b_tilde) * len(problem.g))
    for _ in range(steps):
        q, v, Psi, Lambda, guess = step(problem, k, h, q, v, guess)
    return q, v, Psi, Lambda


def difference(computed, stored):
    return max(abs(a - D(b)) / max(abs(a), D(1)) for a, b in zip(computed, stored))


def as_written(problems, name):
    """The problem and by what its velocities are divided at q. The one in general form, y' = (1 + y3/4) z, has the momenta
    and forces of its twin in the variables y and y', so its steps are those of the twin with z = y'/(1 + y3/4)."""
    if name.endswith("_zform"):
        return Problem(problems[name.removesuffix("_zform")]), lambda q: 1 + q[2] / 4
    return Problem(problems[name]), lambda q: D(1)


def main():
    folder = pathlib.Path(__file__).parent
    stored = json.loads((folder / "spark.json").read_text())
    worst, count = D(0), 0
    for entry in stored["entries"]:
        if not all(word in entry["id"] for word in sys.argv[1:]):
            continue
        problem, scale = as_written(stored["problems"], entry["problem"])
        q, v, Psi, Lambda = run(problem, entry["method_key"], entry["s"], number(entry["h"]), entry["nsteps"])
        error = max(difference(q, entry["q"]), difference([x / scale(q) for x in v], entry["v"]))
        print(f"{entry['id']:50} differs by {error:.1e}", flush=True)
        worst, count = max(worst, error), count + 1
    print(f"{count} of {len(stored['entries'])} entries, largest difference {worst:.1e}")
    return 1 if worst > D("1e-30") else 0


if __name__ == "__main__":
    sys.exit(main())
