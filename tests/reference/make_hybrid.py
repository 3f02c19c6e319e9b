#!/usr/bin/env python3
"""Computes the states of hybrid.json again: the equations in minimal coordinates, solved by extrapolation from switch to switch,
and closed forms.

    tests/reference/make_hybrid.py [words that the names must contain]"""

import sys

from motion import Comparison, motion, until_zero
from precise import D, PI, sine_and_cosine, solve

G = D("9.81")


def gap_spring(entry):
    gap = D("0.4")

    def right(behind):
        def f(t, y):
            x, v = y
            return [v, -4 * x - D("0.1") * v + D("1.5") * sine_and_cosine(D("2.2") * t + PI / 2)[0]
                    - (60 * (x - gap) if behind else 0)]
        return f

    t, y, behind, switches = D(0), [D(0), D(1)], False, []
    while True:
        steps = max(1, int((10 - t) / D("0.05")))
        t, y, crossed = until_zero(right(behind), t, y, D(10), steps, lambda _, state: state[0] - gap)
        if not crossed:
            return {"q": {"x": y[0]}, "v": {"x": y[1]}}, switches, entry["switches"]
        behind = not behind
        switches.append(t)


def switched_force(_):
    def right(push):
        def f(t, y):
            s, c = sine_and_cosine(y[0])
            return [y[1], -G * s + push * c]
        return f

    y = [D("0.5"), D(0)]
    for end, push in ((1, 0), (2, 8), (4, 0)):
        t = D(0) if end == 1 else D(1) if end == 2 else D(2)
        y = motion(right(push), t, y, D(end), 20 * (end - int(t)))
    s, c = sine_and_cosine(y[0])
    return {"q": {"x": s, "y": -c}, "v": {"x": y[1] * c, "y": y[1] * s}}, [], []


def pid(_):
    def right(t, state):
        theta, v, z, y = state
        filtered = (theta - y) / D("0.05")
        torque = 20 * (1 - theta) + 10 * z - 4 * filtered
        return [v, (torque - 5 * sine_and_cosine(theta)[0]) / D("0.5"), 1 - theta, filtered]

    theta, v, z, y = motion(right, D(0), [D(0)] * 4, D(4), 80)
    return {"q": {"theta": theta}, "v": {"theta": v}, "variables": {"z": z, "y": y}}, [], []


def natural_spline(points):
    """Cubics a + b u + c u^2 + d u^3 behind every point, from their 4 n conditions."""
    n = len(points) - 1
    h = [points[i + 1][0] - points[i][0] for i in range(n)]
    rows, values = [], []

    def condition(entries, value):
        row = [D(0)] * (4 * n)
        for place, entry in entries:
            row[place] += entry
        rows.append(row)
        values.append(value)

    for i in range(n):
        condition([(4 * i, 1)], points[i][1])
        condition([(4 * i + k, h[i] ** k if k else D(1)) for k in range(4)], points[i + 1][1])
        if i + 1 < n:
            condition([(4 * i + 1, 1), (4 * i + 2, 2 * h[i]), (4 * i + 3, 3 * h[i] ** 2), (4 * i + 5, -1)], D(0))
            condition([(4 * i + 2, 1), (4 * i + 3, 3 * h[i]), (4 * i + 6, -1)], D(0))
    condition([(2, 1)], D(0))
    condition([(4 * n - 2, 1), (4 * n - 1, 3 * h[-1])], D(0))
    return solve(rows, values)


def quarter_car(entry):
    lines = entry["files"]["road.csv"].split()[1:]
    points = [tuple(D(field) for field in line.split(",")) for line in lines]
    pieces = natural_spline(points)
    speed, y, t = D(12), [D(0)] * 4, D(0)
    for i in range(len(points) - 1):
        a, b, c, d = pieces[4 * i:4 * i + 4]
        first, end = points[i][0], min(points[i + 1][0] / speed, D(2))

        def right(time, state):
            zs, zu, vs, vu = state
            u = speed * time - first
            pull = 16000 * (zs - zu) + 1000 * (vs - vu)
            road = a + u * (b + u * (c + u * d))
            return [vs, vu, -pull / 300, (pull - 160000 * (zu - road)) / 40]

        y = motion(right, t, y, end, 10)
        t = end
        if t == 2:
            break
    return {"q": {"zs": y[0], "zu": y[1]}, "v": {"zs": y[2], "zu": y[3]}}, [], []


def drag(_):
    def right(t, state):
        return [state[1], -G - D("0.02") / D("0.5") * abs(state[1]) * state[1]]

    t, y, _ = until_zero(right, D(0), [D(0), D(18)], D(3), 60, lambda _, state: state[1])
    y = motion(right, t, [y[0], D(0)], D(3), 60)
    return {"q": {"y": y[0]}, "v": {"y": y[1]}, "events": [["top", t]]}, [], []


def bounce(_):
    t, v, events = (D(2) / G).sqrt(), (2 * G).sqrt(), []
    for _ in range(5):
        v *= D("0.8")
        events.append(["hit", t])
        end, t = t, t + 2 * v / G
    return {"t": end, "q": {"y": D(0)}, "v": {"y": v}, "observed": {"count": D(5)}, "events": events}, [], []


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def physical_pendulum(_):
    axis = [D(1) / 3, D(2) / 3, D(2) / 3]
    start = [D("0.2"), D("0.3"), D("-0.5")]
    xx, yy, zz, xy, xz, yz = (D(x) for x in ("0.3", "0.25", "0.1", "0.02", "-0.03", "0.01"))
    inertia = dot(axis, [dot(row, axis) for row in ([xx, xy, xz], [xy, yy, yz], [xz, yz, zz])])
    arm = cross(axis, start)
    inertia += 2 * dot(arm, arm)

    def centre(angle):
        s, c = sine_and_cosine(angle)
        along = dot(axis, start)
        return [c * r + s * a + (1 - c) * along * n for r, a, n in zip(start, arm, axis)]

    def right(t, y):
        weight = [D(0), D(0), -2 * G]
        torque = dot(axis, cross(centre(y[0]), weight)) + 4 * sine_and_cosine(3 * t)[0]
        return [y[1], (torque - 5 * (y[0] - D("0.5")) - D("0.2") * y[1]) / inertia]

    y = motion(right, D(0), [D(0), D(0)], D(5), 100)
    r = centre(y[0])
    turned = cross(axis, r)
    bend = right(D(5), y)[1]
    acceleration = [bend * a + y[1] ** 2 * b for a, b in zip(turned, cross(axis, turned))]
    push = [2 * (a + g) for a, g in zip(acceleration, [D(0), D(0), G])]
    return {"observed": {"angle": y[0], "rate": y[1], "push": push, "centre": r}}, [], []


def chain_3(_):
    count, m, l, inertia = 3, D(1), D("0.5"), D("0.02")

    def arms(i):
        """How much of link j lies between the hinge and the centre of link i."""
        return [l if j < i else l / 2 if j == i else D(0) for j in range(count)]

    def accelerations(state):
        angle, rate = state[:count], state[count:]
        trig = [sine_and_cosine(a) for a in angle]
        matrix = [[D(0)] * count for _ in range(count)]
        force = [D(0)] * count
        for i in range(count):
            arm = arms(i)
            for j in range(count):
                force[j] -= m * G * arm[j] * trig[j][0]
                for k in range(count):
                    cosine = trig[j][1] * trig[k][1] + trig[j][0] * trig[k][0]
                    sine = trig[j][0] * trig[k][1] - trig[j][1] * trig[k][0]
                    matrix[j][k] += m * arm[j] * arm[k] * cosine
                    force[j] -= m * arm[j] * arm[k] * sine * rate[k] ** 2
        for i in range(count):
            matrix[i][i] += inertia
        return solve(matrix, force)

    state = motion(lambda t, y: y[count:] + accelerations(y), D(0), [D("1.1")] * 3 + [D(0)] * 3, D(2), 120)
    angle, rate, bend = state[:count], state[count:], accelerations(state)
    trig = [sine_and_cosine(a) for a in angle]
    tip = [D(0), l * sum(s for s, _ in trig), -l * sum(c for _, c in trig)]
    last = arms(count - 1)
    speed = [D(0), sum(a * c * w for a, (s, c), w in zip(last, trig, rate)),
             sum(a * s * w for a, (s, c), w in zip(last, trig, rate))]
    push = [D(0), D(0), count * m * G]
    for i in range(count):
        for a, (s, c), w, b in zip(arms(i), trig, rate, bend):
            push[1] += m * a * (c * b - s * w * w)
            push[2] += m * a * (s * b + c * w * w)
    return {"observed": {"tip": tip, "speed": speed, "turning": [rate[1], D(0), D(0)], "push": push}}, [], []


def numbers(tree):
    if isinstance(tree, dict):
        return [x for name in sorted(tree) for x in numbers(tree[name])]
    if isinstance(tree, list):
        return [x for part in tree for x in numbers(part)]
    return [] if tree in ("top", "hit") else [tree]


compare = Comparison("hybrid.json", sys.argv[1:])
for entry in compare.data["entries"]:
    if not compare.asked(entry["id"]):
        continue
    made, switches, stored = globals()[entry["id"]](entry)
    digits = min(27, -D(entry["two_ways_differ"]).adjusted() + 1)
    compare(entry["id"], numbers(made), numbers(entry["expect"]), digits)
    if switches:
        compare(entry["id"] + ", switches", switches, stored, 27)
compare.end()
