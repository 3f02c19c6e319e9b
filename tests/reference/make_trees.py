#!/usr/bin/env python3
"""Computes the motions of trees.json again, in double precision: Newton's and Euler's equations of every body in the world, with
rotation matrices, and the joints as conditions on accelerations, solved for together with their forces. Needs NumPy.

    tests/reference/make_trees.py [words that the names must contain]"""

import re
import sys

import numpy as np

from motion import Comparison, large_step

STEPS, COLUMNS = 24, 7


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def turned(angle, axis):
    """Rodrigues."""
    k = skew(np.array(axis) / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def across(axis):
    """Two unit vectors that make a right-handed frame with the axis."""
    n = np.array(axis) / np.linalg.norm(axis)
    first = np.cross(n, np.eye(3)[np.argmin(abs(n))])
    first /= np.linalg.norm(first)
    return first, np.cross(n, first), n


class Words:
    """The attributes of a statement: words with the numbers or tuples behind them."""

    def __init__(self, line):
        self.parts = re.findall(r"\((?:[^()]|\([^()]*\))*\)|[^\s()]+", line)

    def all(self, word):
        """The values behind a word, with what stands before it: (from, value) or (to, value)."""
        side, found = "", []
        for i, part in enumerate(self.parts):
            if part in ("from", "to"):
                side = part
            if part == word:
                found.append((side, eval(self.parts[i + 1])))
        return found

    def one(self, word, default=None):
        found = self.all(word)
        return np.array(found[0][1], float) if found else default

    def name(self, word):
        return self.parts[self.parts.index(word) + 1]


class Body:
    def __init__(self, words, number):
        flat = "planar" in words.parts
        lift = lambda a: np.append(a, 0.0) if flat else a
        self.number, self.mass = number, float(words.one("mass"))
        inertia = words.one("inertia")
        if flat:
            inertia = np.array([1.0, 1.0, float(inertia)])
        if inertia.shape == (3,):
            inertia = np.diag(inertia)
        if inertia.shape == (6,):
            xx, yy, zz, xy, xz, yz = inertia
            inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        self.inertia = inertia
        r, velocity = lift(words.one("at")), lift(words.one("velocity"))
        if flat:
            turn = turned(float(words.one("angle")), (0, 0, 1))
            omega = np.array([0, 0, float(words.one("spin"))])
        else:
            turn = turned(float(words.one("turned")), words.one("about"))
            spin = words.one("spin")
            omega = words.one("omega") if spin is None else turn @ spin
        self.start = np.concatenate([r, turn.ravel(), velocity, omega])


class Tree:
    """State: for every body r, R, r', omega; the ground is body -1."""

    def __init__(self, text):
        self.bodies, self.joints, self.springs, self.torsions, self.rayleigh, self.stretched = {}, {}, [], [], [], []
        self.flat = " planar mass " in text
        for line in text.splitlines():
            words = Words(line)
            kind = words.parts[0]
            if kind == "body":
                self.bodies[words.parts[1]] = Body(words, len(self.bodies))
            elif kind == "gravity":
                gravity = np.array(eval(words.parts[1]), float)
                self.gravity = np.append(gravity, 0.0) if self.flat else gravity
            elif kind == "joint":
                self.joints[words.parts[2]] = self.joint(words.parts[1], words)
            elif kind == "spring":
                self.springs.append(self.ends(words) + [float(words.one(w, 0.0)) for w in
                                                        ("stiffness", "length", "damping")])
            elif kind == "torsion":
                self.torsions.append([words.name("joint")] + [float(words.one(w, 0.0)) for w in
                                                              ("stiffness", "rest", "damping")])
            elif kind == "rayleigh":
                names = re.findall(r"(\w+)\.omega", line)
                self.rayleigh.append((float(re.match(r"rayleigh ([\d.e-]+)/2", line)[1]), names))
            elif kind == "potential":
                part = re.match(r"potential ([\d.e-]+)/2\*\((\w+)\.distance - \(([\d.e-]+)\)\)\^2", line)
                self.stretched.append((part[2], float(part[1]), float(part[3])))
            elif kind != "model":
                raise ValueError(line)

    def number(self, name):
        return -1 if name == "ground" else self.bodies[name].number

    def ends(self, words):
        points = dict(words.all("point"))
        lift = lambda p: np.append(p, 0.0) if self.flat else np.array(p, float)
        return [self.number(words.name("from")), lift(points["from"]), self.number(words.name("to")), lift(points["to"])]

    def joint(self, kind, words):
        a, p, b, q = self.ends(words)
        axes = dict(words.all("axis"))
        one = axes.get("from", (0, 0, 1))
        two = axes.get("to", one)
        return kind, a, p, b, q, across(one), across(two)

    def start(self):
        return np.concatenate([body.start for body in self.bodies.values()])

    @staticmethod
    def parts(state, number):
        if number < 0:
            return np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3)
        s = state[18 * number:18 * number + 18]
        return s[:3], s[3:12].reshape(3, 3), s[12:15], s[15:]

    def rows(self, state, joint):
        """For each condition: force and torque on the second body, minus those on the first, by its multiplier, and what the
        second derivative has beside accelerations."""
        kind, a, p, b, q, one, two = joint
        ra, Ra, va, wa = self.parts(state, a)
        rb, Rb, vb, wb = self.parts(state, b)
        pa, pb = Ra @ p, Rb @ q
        d = rb + pb - ra - pa
        rate = vb + np.cross(wb, pb) - va - np.cross(wa, pa)
        fa = np.cross(wa, np.cross(wa, pa))
        fb = np.cross(wb, np.cross(wb, pb))
        list_ = []

        def along(n, moves):
            """The distance along n, which turns with the first body where it moves."""
            turn = np.cross(wa, n) if moves else np.zeros(3)
            arm = pa + d if moves else pa
            rest = n @ (fb - fa) + (2 * turn @ rate + np.cross(wa, turn) @ d if moves else 0)
            list_.append((n, np.cross(pb, n), n, np.cross(arm, n), rest))

        def square(u, w):
            """A direction of the first body is at right angles to one of the second."""
            n = np.cross(w, u)
            rest = np.cross(wb, np.cross(wb, w)) @ u + 2 * np.cross(wa, u) @ np.cross(wb, w) \
                + np.cross(wa, np.cross(wa, u)) @ w
            list_.append((np.zeros(3), n, np.zeros(3), n, rest))

        u1, u2, u3 = (Ra @ x for x in one)
        w1, w2, w3 = (Rb @ x for x in two)
        if kind in ("revolute", "spherical", "universal", "fixed"):
            for n in np.eye(3):
                along(n, False)
        if kind in ("cylindrical", "prismatic"):
            along(u1, True)
            along(u2, True)
        if kind == "planar":
            along(u3, True)
        if kind in ("revolute", "cylindrical", "planar"):
            square(u1, w3)
            square(u2, w3)
        if kind == "universal":
            square(u3, w3)
        if kind in ("fixed", "prismatic"):  # the frames of the bodies stay parallel
            x, y = (Ra @ e for e in np.eye(3)[:2])
            square(x, Rb[:, 1])
            square(x, Rb[:, 2])
            square(y, Rb[:, 2])
        return list_

    def angle_and_rate(self, state, joint):
        kind, a, p, b, q, one, two = joint
        ra, Ra, va, wa = self.parts(state, a)
        rb, Rb, vb, wb = self.parts(state, b)
        axis = Ra @ one[2]
        if kind == "prismatic":
            d = rb + Rb @ q - ra - Ra @ p
            rate = vb + np.cross(wb, Rb @ q) - va - np.cross(wa, Ra @ p) - np.cross(wa, d)
            return axis, axis @ d, axis @ rate
        u, w = Ra @ one[0], Rb @ one[0]
        return axis, np.arctan2(axis @ np.cross(u, w), u @ w), axis @ (wb - wa)

    def forces(self, state):
        """Force and torque about the centre of mass, for every body and behind them for the ground."""
        n = len(self.bodies)
        wrench = np.zeros((n + 1, 6))
        for body in self.bodies.values():
            _, R, _, w = self.parts(state, body.number)
            world = R @ body.inertia @ R.T
            wrench[body.number, :3] = body.mass * self.gravity
            wrench[body.number, 3:] = -np.cross(w, world @ w)

        def push(number, arm, force):
            wrench[number, :3] += force
            wrench[number, 3:] += np.cross(arm, force)

        for a, p, b, q, stiffness, length, damping in self.springs:
            ra, Ra, va, wa = self.parts(state, a)
            rb, Rb, vb, wb = self.parts(state, b)
            pa, pb = Ra @ p, Rb @ q
            d = rb + pb - ra - pa
            distance = np.linalg.norm(d)
            speed = d @ (vb + np.cross(wb, pb) - va - np.cross(wa, pa)) / distance
            force = -(stiffness * (distance - length) + damping * speed) * d / distance
            push(b, pb, force)
            push(a, pa, -force)
        in_joints = [(False, *one) for one in self.torsions] + [(True, j, k, l, 0.0) for j, k, l in self.stretched]
        for slides, name, stiffness, rest, damping in in_joints:
            joint = self.joints[name]
            kind, a, p, b, q = joint[:5]
            axis, value, rate = self.angle_and_rate(state, ("prismatic",) + joint[1:] if slides else joint)
            size = -stiffness * (value - rest) - damping * rate
            if kind == "prismatic" or slides:
                ra, Ra = self.parts(state, a)[:2]
                rb, Rb = self.parts(state, b)[:2]
                push(b, Rb @ q, size * axis)
                push(a, rb + Rb @ q - ra, -size * axis)
            else:
                wrench[b, 3:] += size * axis
                wrench[a, 3:] -= size * axis
        for size, names in self.rayleigh:  # norm2(one - other)
            numbers = [self.bodies[name].number for name in names]
            omegas = [self.parts(state, k)[3] for k in numbers]
            relative = omegas[0] - (omegas[1] if len(omegas) > 1 else 0)
            wrench[numbers[0], 3:] -= size * relative
            if len(numbers) > 1:
                wrench[numbers[1], 3:] += size * relative
        return wrench

    def accelerations(self, state):
        """Of all bodies, and for every joint what its conditions do to the second body: force, and moment at its point."""
        n = len(self.bodies)
        rows = [(joint, row) for joint in self.joints.values() for row in self.rows(state, joint)]
        size = 6 * n + len(rows)
        matrix, right = np.zeros((size, size)), np.zeros(size)
        for body in self.bodies.values():
            i = 6 * body.number
            _, R, _, _ = self.parts(state, body.number)
            matrix[i:i + 3, i:i + 3] = body.mass * np.eye(3)
            matrix[i + 3:i + 6, i + 3:i + 6] = R @ body.inertia @ R.T
        right[:6 * n] = self.forces(state)[:n].ravel()
        for k, (joint, (force, torque, force_a, torque_a, rest)) in enumerate(rows):
            at = 6 * n + k
            a, b = joint[1], joint[3]
            for number, f, m, sign in ((b, force, torque, 1), (a, force_a, torque_a, -1)):
                if number < 0:
                    continue
                both = sign * np.concatenate([f, m])
                matrix[at, 6 * number:6 * number + 6] += both
                matrix[6 * number:6 * number + 6, at] -= both
            right[at] = -rest
        found = np.linalg.lstsq(matrix, right, rcond=None)[0] if self.flat else np.linalg.solve(matrix, right)
        reactions = []
        at = 6 * n
        for joint in self.joints.values():
            arm = self.parts(state, joint[3])[1] @ joint[4]
            force, moment = np.zeros(3), np.zeros(3)
            for f, m, _, _, _ in self.rows(state, joint):
                force += found[at] * f
                moment += found[at] * (m - np.cross(arm, f))
                at += 1
            reactions.append({"force": force, "moment": moment})
        return found[:6 * n].reshape(n, 6), reactions

    def right(self, t, state):
        state = np.array(state)
        bends = self.accelerations(state)[0]
        rates = []
        for k in range(len(self.bodies)):
            _, R, v, w = self.parts(state, k)
            rates += [v, (skew(w) @ R).ravel(), bends[k, :3], bends[k, 3:]]
        return np.concatenate(rates)


def quaternion(R):
    """Of the larger of its entries, which is enough for these."""
    w = np.sqrt(max(0.0, 1 + np.trace(R))) / 2
    if w > 0.1:
        return np.array([w, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / np.array([1, 4 * w, 4 * w, 4 * w])
    values, vectors = np.linalg.eigh((R + R.T) / 2)
    axis = vectors[:, -1]
    vector = axis * np.sqrt(1 - w * w)
    turn = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return np.concatenate([[w], vector if turn @ axis >= 0 else -vector])


compare = Comparison("trees.json", sys.argv[1:])
for stored in compare.data["trees"]:
    if not compare.asked(stored["id"]):
        continue
    tree = Tree(stored["model"])
    state, h = list(tree.start()), stored["t"] / STEPS
    for i in range(STEPS):
        state = large_step(tree.right, i * h, state, h, COLUMNS)
    state = np.array(state)
    made = []
    for k, expected in enumerate(stored["expected"]):
        r, R, v, w = tree.parts(state, k)
        e = quaternion(R)
        made.append(list(r) + list(e if e @ np.array(expected[3:7]) > 0 else -e) + list(v) + list(w))
    compare(stored["id"], made, stored["expected"], 12)
    if stored["reactions"]:
        reactions = tree.accelerations(state)[1]
        compare(stored["id"] + ", reactions", [reactions[j][kind] @ np.array(d) for j, kind, d, _ in stored["reactions"]],
                [value for *_, value in stored["reactions"]], 11)
compare.end()
