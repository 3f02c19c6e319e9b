#!/usr/bin/env python3
"""Computes the states of natural.json again, in double precision: mechanisms in as few coordinates as they have freedoms, with
derivatives of their places by complex steps and by power series. Needs NumPy.

    tests/reference/make_natural.py [words that the names must contain]"""

import sys

import numpy as np

from motion import Comparison, large_step

G = 9.81
STEP = 1e-30  # of a complex derivative, which has no rounding


def followed(right, state, end, steps, columns=8):
    h = end / steps
    for i in range(steps):
        state = np.array(large_step(lambda t, y: right(t, np.array(y)), i * h, list(state), h, columns))
    return state


def stewart(_):
    """The plate by its place and three angles; each leg follows from the place of its hip."""
    base, top, height = 1.2, 0.6, 0.9
    plate, inertia = 12.0, np.array([0.5, 0.7, 1.1])
    mass, across, own = 0.8, 0.02, 0.004
    feet = [base * np.array([np.cos(a), np.sin(a), 0]) for a in np.pi / 3 * np.arange(1, 7)]
    hips = [top * np.array([np.cos(a), np.sin(a), 0])
            for a in np.pi / 3 * np.arange(1, 7) + np.pi / 9 * np.array([1, -1] * 3)]
    unit = lambda v: v / np.sqrt(v @ v)
    first = [unit(np.cross([0, 0, 1], h + [0, 0, height] - f)) for h, f in zip(hips, feet)]  # axes in the ground

    def turn(q):
        (c1, c2, c3), (s1, s2, s3) = np.cos(q[3:]), np.sin(q[3:])
        x = np.array([[1, 0, 0], [0, c1, -s1], [0, s1, c1]])
        y = np.array([[c2, 0, s2], [0, 1, 0], [-s2, 0, c2]])
        z = np.array([[c3, -s3, 0], [s3, c3, 0], [0, 0, 1]])
        return x @ y @ z

    def momenta(q, v):
        """The velocities of all bodies, times the roots of their masses, linear in v."""
        R = turn(q)
        zero = 0 * q[0] * v[0]
        # The rate of R by the chain rule, column by column, with a second small number beside the complex one.
        rate = sum(v[3 + k] * turned[k](q) for k in range(3))
        W = R.T @ rate
        spin = np.array([W[2, 1], W[0, 2], W[1, 0]])
        list_ = [np.sqrt(plate) * v[:3], np.sqrt(inertia) * spin]
        for foot, hip, a in zip(feet, hips, first):
            p, speed = q[:3] + R @ hip - foot, v[:3] + rate @ hip
            l = np.sqrt(p @ p)
            u = p / l
            u_rate = (speed - u * (u @ speed)) / l
            across_a = np.cross(a, u)
            size = np.sqrt(across_a @ across_a)
            about = a @ u * (u_rate @ (across_a / size)) / size  # of the turning about the leg itself
            list_ += [np.sqrt(mass) * 0.25 * u_rate, np.sqrt(mass) * (speed - 0.25 * u_rate),
                      np.sqrt(2 * across) * u_rate, np.array([np.sqrt(2 * own) * about + zero])]
        return np.concatenate(list_)

    def derivative_of_turn(k):
        def d(q):
            (c1, c2, c3), (s1, s2, s3) = np.cos(q[3:]), np.sin(q[3:])
            x = np.array([[1, 0, 0], [0, c1, -s1], [0, s1, c1]])
            y = np.array([[c2, 0, s2], [0, 1, 0], [-s2, 0, c2]])
            z = np.array([[c3, -s3, 0], [s3, c3, 0], [0, 0, 1]])
            if k == 0:
                x = np.array([[0, 0, 0], [0, -s1, -c1], [0, c1, -s1]])
            if k == 1:
                y = np.array([[-s2, 0, c2], [0, 0, 0], [-c2, 0, -s2]])
            if k == 2:
                z = np.array([[-s3, -c3, 0], [c3, -s3, 0], [0, 0, 0]])
            return x @ y @ z
        return d

    turned = [derivative_of_turn(k) for k in range(3)]

    def columns(q):
        return np.array([momenta(q, e) for e in np.eye(6)]).T

    def lengths(q):
        R = turn(q)
        return np.array([np.sqrt((q[:3] + R @ h - f) @ (q[:3] + R @ h - f)) for h, f in zip(hips, feet)])

    def weight(q):
        R = turn(q)
        total = plate * q[2]
        for foot, hip in zip(feet, hips):
            p = q[:3] + R @ hip - foot
            u = p / np.sqrt(p @ p)
            total = total + mass * (0.25 * u[2] + foot[2]) + mass * (foot[2] + p[2] - 0.25 * u[2])
        return G * total

    def gradient(function, q):
        return np.array([np.imag(function(q + 1j * STEP * e)) / STEP for e in np.eye(6)])

    start = lengths(np.array([0, 0, height, 0, 0, 0.0]))

    def right(t, state):
        # d/dt (B^T B v) = d/dq |B v|^2/2 + forces.
        q, v = state[:6], state[6:]
        B = columns(q)
        along = np.imag(columns(q + 1j * STEP * v)) / STEP
        centrifugal = np.array([np.imag(momenta(q + 1j * STEP * e, v)) / STEP for e in np.eye(6)]) @ (B @ v)
        J = gradient(lengths, q).T
        l, rate = lengths(q), J @ v
        push = 34 + 900 * (start + 0.04 * np.sin(2 * t + np.arange(1, 7)) - l) - 25 * rate
        force = J.T @ push - gradient(weight, q) + centrifugal - (along.T @ B + B.T @ along) @ v
        return np.concatenate([v, np.linalg.solve(B.T @ B, force)])

    state = followed(right, np.array([0, 0, height] + [0.0] * 9), 1.5, 60)
    q, v = state[:6], state[6:]
    R = turn(q)
    rate = sum(v[3 + k] * turned[k](q) for k in range(3))
    W = rate @ R.T
    l = lengths(q)
    return {"place": list(q[:3]), "corner": list(q[:3] + R @ np.array([0.3, 0.2, 0.1])),
            "omega": [W[2, 1], W[0, 2], W[1, 0]], "long": [l[2]], "speed": list(v[:3])}


class Series:
    """A function of time with its first two derivatives."""

    def __init__(self, value, rate=0.0, bend=0.0):
        self.value, self.rate, self.bend = value, rate, bend

    @staticmethod
    def of(x):
        return x if isinstance(x, Series) else Series(x)

    def __add__(self, other):
        o = Series.of(other)
        return Series(self.value + o.value, self.rate + o.rate, self.bend + o.bend)

    def __mul__(self, other):
        o = Series.of(other)
        return Series(self.value * o.value, self.rate * o.value + self.value * o.rate,
                      self.bend * o.value + 2 * self.rate * o.rate + self.value * o.bend)

    def chain(self, f, d, dd):
        return Series(f, d * self.rate, dd * self.rate ** 2 + d * self.bend)

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -Series.of(other)

    def __rsub__(self, other):
        return Series.of(other) - self

    def __rtruediv__(self, other):
        return Series.of(other) / self

    def __truediv__(self, other):
        o = Series.of(other)
        return self * o.chain(1 / o.value, -1 / o.value ** 2, 2 / o.value ** 3)

    def sqrt(self):
        r = np.sqrt(self.value)
        return self.chain(r, 0.5 / r, -0.25 / (r * self.value))

    def cos_sin(self):
        c, s = np.cos(self.value), np.sin(self.value)
        return self.chain(c, -s, -c), self.chain(s, c, -s)

    __radd__, __rmul__ = __add__, __mul__


def walker(_):
    """The trunk has three freedoms; the legs are functions of the time beside it, found where circles meet."""
    count, speed, height = 6, 2.5, 0.93
    stiffness, bounce, grip, creep = 5e3, 0.4, 0.7, 0.06
    a, b, c, d, e, f, g, h, i, j, k, l, m = 0.38, 0.415, 0.393, 0.401, 0.558, 0.394, 0.367, 0.657, 0.49, 0.5, 0.619, 0.078, 0.15
    ux = (b ** 2 + d ** 2 - e ** 2) / (2 * b)
    uy = np.sqrt(d ** 2 - ux ** 2)
    lx = (g ** 2 + i ** 2 - h ** 2) / (2 * g)
    ly = np.sqrt(i ** 2 - lx ** 2)

    def plus(p, q, factor=1.0):
        return p[0] + factor * q[0], p[1] + factor * q[1]

    def meet(p, r, q, s, sign):
        way = plus(q, p, -1)
        n = (way[0] * way[0] + way[1] * way[1]).sqrt()
        along = (n * n + (r * r - s * s)) / (2 * n)
        aside = (r * r - along * along).sqrt() * sign
        return p[0] + (along * way[0] - aside * way[1]) / n, p[1] + (along * way[1] + aside * way[0]) / n

    def bodies(t, number):
        """Masses, inertias, places, angular velocities and accelerations beside the trunk, and the toe."""
        forward = number <= count // 2
        side = 1.0 if forward else -1.0
        phase = (number if forward else number - count // 2) * np.pi / 3 - 210 * np.pi / 180
        angle = Series(speed * t + phase - (0 if forward else np.pi), speed)
        # In the mirror the crank turns backwards.
        own = angle if forward else Series(np.pi, 0) - (angle + np.pi)
        co, si = own.cos_sin()
        pin, hip = (m * co, m * si), (Series(-a), Series(-l))
        top = meet(hip, b, pin, j, 1)
        knee = meet(hip, c, pin, k, -1)
        arm = plus(top, hip, -1)
        back = hip[0] + (arm[0] * ux - arm[1] * uy) / b, hip[1] + (arm[1] * ux + arm[0] * uy) / b
        heel = meet(knee, g, back, f, 1)
        shin = plus(heel, knee, -1)
        foot = knee[0] + (shin[0] * lx - shin[1] * ly) / g, knee[1] + (shin[1] * lx + shin[0] * ly) / g

        def turning(v):
            n = v[0] * v[0] + v[1] * v[1]
            w = (v[0].value * v[1].rate - v[1].value * v[0].rate) / n.value
            bend = (v[0].value * v[1].bend - v[1].value * v[0].bend) / n.value - w * n.rate / n.value
            return side * w, side * bend

        third = lambda x, y, z: (side / 3 * (x[0] + y[0] + z[0]), 1 / 3 * (x[1] + y[1] + z[1]))
        list_ = [(0.05, 0.0005, (Series(0.0), Series(0.0)), (side * own.rate, 0.0)),
                 (0.1, 0.002, third(hip, top, back), turning(arm)), (0.1, 0.003, third(knee, heel, foot), turning(shin))]
        return list_, (side * foot[0], foot[1])

    def push(r, v):
        if r[1] >= 0:
            return np.zeros(2)
        return -stiffness * r[1] * max(0, 1 - bounce * v[1]) * np.array([-grip * np.tanh(v[0] / creep), 1])

    def moved(state, place):
        """Place, velocity, and acceleration without that of the trunk, in the world."""
        X, phi, V, w = state[:2], state[2], state[3:5], state[5]
        R = np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])
        b0, b1, b2 = (np.array([getattr(x, n) for x in place]) for n in ("value", "rate", "bend"))
        cross = lambda v: np.array([-v[1], v[0]])
        arm = R @ b0
        return X + arm, V + w * cross(arm) + R @ b1, R @ b2 + 2 * w * cross(R @ b1) - w * w * arm, arm

    def right(t, state):
        M, F = np.zeros((3, 3)), np.zeros(3)
        parts = [(3.0, 0.2, (Series(0.0), Series(0.0)), (0.0, 0.0))]
        for number in range(1, count + 1):
            list_, toe = bodies(t, number)
            parts += list_
            r, v, _, arm = moved(state, toe)
            force = push(r, v)
            F += np.append(force, arm[0] * force[1] - arm[1] * force[0])
        for mass, inertia, place, (_, bend) in parts:
            r, v, rest, arm = moved(state, place)
            J = np.array([[1, 0, -arm[1]], [0, 1, arm[0]]])
            M += mass * J.T @ J
            M[2, 2] += inertia
            F += J.T @ (mass * (np.array([0, -G]) - rest)) - np.array([0, 0, inertia * bend])
        return np.concatenate([state[3:], np.linalg.solve(M, F)])

    # The motors turn from the beginning, with the least energy: the momenta that belong to the trunk's freedoms are 0.
    M, p = np.diag([3.0, 3.0, 0.2]), np.zeros(3)
    for number in range(1, count + 1):
        for mass, inertia, place, (w, _) in bodies(0, number)[0]:
            arm, rate = np.array([x.value for x in place]), np.array([x.rate for x in place])
            J = np.array([[1, 0, -arm[1]], [0, 1, arm[0]]])
            M += mass * J.T @ J
            M[2, 2] += inertia
            p += mass * J.T @ rate + np.array([0, 0, inertia * w])

    end = 0.25
    state, n = np.concatenate([[0, height, 0], -np.linalg.solve(M, p)]), 4000
    step = end / n
    for number in range(n):  # kinks where feet come down: many short steps
        t = number * step
        k1 = right(t, state)
        k2 = right(t + step / 2, state + step / 2 * k1)
        k3 = right(t + step / 2, state + step / 2 * k2)
        k4 = right(t + step, state + step * k3)
        state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    _, toe = bodies(end, 2)
    return {"trunk": list(state[:2]), "pitch": [state[2]], "speed": list(state[3:5]), "foot": list(moved(state, toe)[0])}


def hinge(_):
    """A pendulum whose bearing rubs by its own reaction: J a = -m g l sin - mu r |N(a)| tanh(w/eps), for a by Newton."""
    m, l, own, mu, r, eps = 3.0, 0.7, 0.4, 0.3, 0.12, 0.2
    J = own + m * l * l

    def right(_, state):
        angle, w = state
        free = -m * G * l * np.sin(angle)
        brake = mu * r * np.tanh(w / eps)
        bend = free / J
        for _ in range(60):
            across, along = m * (l * bend + G * np.sin(angle)), m * (l * w * w + G * np.cos(angle))
            N = np.hypot(across, along)
            bend -= (J * bend - free + brake * N) / (J + brake * across * m * l / N)
        return np.array([w, bend])

    state = followed(right, np.array([1.9, 0.0]), 3.0, 300)
    angle, w = state
    bend = right(0, state)[1]
    return {"angle": [angle], "rate": [w], "load": [np.hypot(m * (l * bend + G * np.sin(angle)), m * (l * w * w + G * np.cos(angle)))]}


def stop(_):
    """A pendulum between two stops, from impact to impact."""
    m, l, own, low, high, e = 2.0, 0.5, 0.1, -0.3, 0.8, 0.6
    J = own + m * l * l
    right = lambda _, y: np.array([y[1], -m * G * l * np.sin(y[0]) / J])
    t, state, end, h, events = 0.0, np.array([0.2, 4.0]), 1.6, 0.002, []
    step = lambda y, h: np.array(large_step(right, 0, list(y), h, 7))
    outside = lambda y: max(low - y[0], y[0] - high)
    while t < end:
        now = min(h, end - t)
        there = step(state, now)
        if outside(there) > 0:
            a, b = 0.0, now
            for _ in range(100):
                middle = (a + b) / 2
                a, b = (a, middle) if outside(step(state, middle)) > 0 else (middle, b)
            state, t = step(state, a), t + a
            events.append(t)
            state[1] *= -e
            state[0] = min(max(state[0], low), high)
        else:
            state, t = there, t + now
    return {"angle": [state[0]], "rate": [state[1]], "times": events}


def chain(_):
    """Thirty links by their angles to the vertical."""
    n, m, l, own = 30, 0.2, 0.1, 0.0003
    arms = np.array([[l if j < i else l / 2 if j == i else 0 for j in range(n)] for i in range(n)])
    shared = m * arms.T @ arms
    weight = m * G * arms.sum(axis=0)

    def right(_, state):
        angle, w = state[:n], state[n:]
        difference = angle[:, None] - angle[None, :]
        M = shared * np.cos(difference) + own * np.eye(n)
        F = -weight * np.sin(angle) - (shared * np.sin(difference)) @ (w * w)
        return np.concatenate([w, np.linalg.solve(M, F)])

    state = followed(right, np.concatenate([np.full(n, 1.2), np.zeros(n)]), 1.0, 400, 7)
    s, c, w = np.sin(state[:n]), np.cos(state[:n]), state[n:]
    return {"tip": [0, l * s.sum(), -l * c.sum()], "middle": [0, arms[14] @ s, -arms[14] @ c], "turning": [w[9], 0, 0]}


if __name__ == "__main__":
    compare = Comparison("natural.json", sys.argv[1:])
    for entry in compare.data["entries"]:
        if not compare.asked(entry["id"]):
            continue
        made = globals()[entry["id"]](entry)
        for name, value in made.items():
            compare(entry["id"] + " " + name, value, entry["expect"][name], entry["digits"])
    compare.end()
