#!/usr/bin/env python3
"""Computes solutions of benchmarks.json again: A01 and A02 from their closed forms, chains, car axis and Andrews' mechanism from
the index-reduced equations by extrapolation. Fekete's points, whose motion takes t = 1000, are held against their closed form of
the multipliers and the unit spheres.

    tests/reference/make_benchmarks.py [words that the names must contain]      # minutes for andrews, seconds for the others"""

import sys

from motion import Comparison, jacobi, motion, quarter_period
from precise import D, sine_and_cosine, solve


def A01_pendulum(entry):
    root = (D("9.81")).sqrt()
    half = D(1) / 2
    stored, made = [], []
    for name, value in entry["reference"].items():
        sn, cn, dn = jacobi(root * D(name.removeprefix("v_")), half)
        sine = -half.sqrt() * cn / dn  # of theta/2
        cosine = (1 - sine * sine).sqrt()
        x, y = 2 * sine * cosine, -(cosine * cosine - sine * sine)
        rate = half.sqrt() * root * sn / (2 * dn * dn) * 2 / cosine  # theta'; cd' = -(1 - m) sn/dn^2
        made.append([-y * rate, x * rate] if name.startswith("v_") else [x, y])
        stored.append(value)
    yield "", made, stored, 24
    yield ", period", [4 * quarter_period(half) / root], [entry["period"]], 24


def A02_nfourbar(entry):
    for name, values in entry["reference"].items():
        n = D(name.removeprefix("N="))
        weight, inertia = D("9.81") * ((n + 1) / 2 + n), (n + 1) / 3 + n
        m = 4 * weight / inertia  # the parameter is -m
        made = []
        for t in values:
            sn, cn, dn = jacobi((1 + m).sqrt() * D(t) / 2, m / (1 + m))
            s, c = sn / dn / (1 + m).sqrt(), cn / dn
            made.append([2 * s * c, c * c - s * s])
        yield ", " + name, made, list(values.values()), 24


def reduced(mass, force, gradient, bend):
    """M q'' + sign G^T lambda = f, G q'' = -bend: the accelerations, and behind them the multipliers."""
    n, c = len(mass), len(gradient)
    rows = [mass[i] + [gradient[k][i] for k in range(c)] for i in range(n)]
    rows += [gradient[k] + [D(0)] * c for k in range(c)]
    return solve(rows, force + [-b for b in bend])


def chain(count):
    def system(t, state):
        q, v = state[:2 * count], state[2 * count:]
        mass = [[D(int(i == j)) for j in range(2 * count)] for i in range(2 * count)]
        force = [D(0) if i % 2 == 0 else D("-9.81") for i in range(2 * count)]
        gradient, bend = [], []
        for k in range(count):
            row, speed = [D(0)] * (2 * count), D(0)
            for i in range(2):
                d = q[2 * k + i] - (q[2 * k - 2 + i] if k else 0)
                w = v[2 * k + i] - (v[2 * k - 2 + i] if k else 0)
                row[2 * k + i] = 2 * d
                if k:
                    row[2 * k - 2 + i] = -2 * d
                speed += 2 * w * w
            gradient.append(row)
            bend.append(speed)
        return reduced(mass, force, gradient, bend)
    return system


def car_axis(t, state):
    xl, yl, xr, yr, vxl, vyl, vxr, vyr = state
    scale, rest, r, w = D(10) * D("1e-4") / 2, D("0.5"), D("0.1"), D(10)
    s, c = sine_and_cosine(w * t)
    yb, yb1, yb2 = r * s, r * w * c, -r * w * w * s
    xb = (1 - yb * yb).sqrt()
    xb1 = -yb * yb1 / xb
    xb2 = -(yb1 * yb1 + yb * yb2 + xb1 * xb1) / xb
    left, right = (xl * xl + yl * yl).sqrt(), ((xr - xb) ** 2 + (yr - yb) ** 2).sqrt()
    force = [(rest - left) * xl / left, (rest - left) * yl / left - scale,
             (rest - right) * (xr - xb) / right, (rest - right) * (yr - yb) / right - scale]
    gradient = [[xb, yb, D(0), D(0)], [2 * (xl - xr), 2 * (yl - yr), -2 * (xl - xr), -2 * (yl - yr)]]
    bend = [2 * (vxl * xb1 + vyl * yb1) + xl * xb2 + yl * yb2, 2 * ((vxl - vxr) ** 2 + (vyl - vyr) ** 2)]
    mass = [[scale if i == j else D(0) for j in range(4)] for i in range(4)]
    found = reduced(mass, force, gradient, bend)
    return found[:4] + [-x for x in found[4:]]  # + G^T lambda on the right


# Sums of c*cos or c*sin of sums of angles (beta, theta, gamma, phi, delta, omega, epsilon), as Schiehlen's book writes them.
LOOPS = [[("rr", 1, "cos", (0,)), ("d", -1, "cos", (0, 1)), ("ss", -1, "sin", (2,))],
         [("rr", 1, "sin", (0,)), ("d", -1, "sin", (0, 1)), ("ss", 1, "cos", (2,))],
         [("rr", 1, "cos", (0,)), ("d", -1, "cos", (0, 1)), ("e", -1, "sin", (3, 4)), ("zt", -1, "cos", (4,))],
         [("rr", 1, "sin", (0,)), ("d", -1, "sin", (0, 1)), ("e", 1, "cos", (3, 4)), ("zt", -1, "sin", (4,))],
         [("rr", 1, "cos", (0,)), ("d", -1, "cos", (0, 1)), ("zf", -1, "cos", (5, 6)), ("u", -1, "sin", (6,))],
         [("rr", 1, "sin", (0,)), ("d", -1, "sin", (0, 1)), ("zf", -1, "sin", (5, 6)), ("u", 1, "cos", (6,))]]


def andrews(p):
    ee, ff = p["e"] - p["ea"], p["zf"] - p["fa"]

    def system(t, state):
        q, v = state[:7], state[7:]
        trig = [sine_and_cosine(x) for x in q]
        (sth, cth), (sph, cph), (som, com) = trig[1], trig[3], trig[5]
        sga, cga = trig[2]
        m = [[D(0)] * 7 for _ in range(7)]

        def put(i, j, value):
            m[i][j] = m[j][i] = value

        put(0, 0, p["m1"] * p["ra"] ** 2 + p["m2"] * (p["rr"] ** 2 - 2 * p["da"] * p["rr"] * cth + p["da"] ** 2)
            + p["I1"] + p["I2"])
        put(1, 0, p["m2"] * (p["da"] ** 2 - p["da"] * p["rr"] * cth) + p["I2"])
        put(1, 1, p["m2"] * p["da"] ** 2 + p["I2"])
        put(2, 2, p["m3"] * (p["sa"] ** 2 + p["sb"] ** 2) + p["I3"])
        put(3, 3, p["m4"] * ee ** 2 + p["I4"])
        put(4, 3, p["m4"] * (ee ** 2 + p["zt"] * ee * sph) + p["I4"])
        put(4, 4, p["m4"] * (p["zt"] ** 2 + 2 * p["zt"] * ee * sph + ee ** 2)
            + p["m5"] * (p["ta"] ** 2 + p["tb"] ** 2) + p["I4"] + p["I5"])
        put(5, 5, p["m6"] * ff ** 2 + p["I6"])
        put(6, 5, p["m6"] * (ff ** 2 - p["u"] * ff * som) + p["I6"])
        put(6, 6, p["m6"] * (ff ** 2 - 2 * p["u"] * ff * som + p["u"] ** 2)
            + p["m7"] * (p["ua"] ** 2 + p["ub"] ** 2) + p["I6"] + p["I7"])
        xd = p["sd"] * cga + p["sc"] * sga + p["xb"]
        yd = p["sd"] * sga - p["sc"] * cga + p["yb"]
        length = ((xd - p["xc"]) ** 2 + (yd - p["yc"]) ** 2).sqrt()
        pull = -p["c0"] * (length - p["l0"]) / length
        fx, fy = pull * (xd - p["xc"]), pull * (yd - p["yc"])
        force = [p["mom"] - p["m2"] * p["da"] * p["rr"] * v[1] * (v[1] + 2 * v[0]) * sth,
                 p["m2"] * p["da"] * p["rr"] * v[0] ** 2 * sth,
                 fx * (p["sc"] * cga - p["sd"] * sga) + fy * (p["sd"] * cga + p["sc"] * sga),
                 p["m4"] * p["zt"] * ee * v[4] ** 2 * cph,
                 -p["m4"] * p["zt"] * ee * v[3] * (v[3] + 2 * v[4]) * cph,
                 -p["m6"] * p["u"] * ff * v[6] ** 2 * com,
                 p["m6"] * p["u"] * ff * v[5] * (v[5] + 2 * v[6]) * com]
        gradient, bend = [], []
        for loop in LOOPS:
            row, total = [D(0)] * 7, D(0)
            for name, sign, kind, angles in loop:
                s, c = sine_and_cosine(sum(q[i] for i in angles)) if len(angles) > 1 else trig[angles[0]]
                value, slope = (s, c) if kind == "sin" else (c, -s)
                for i in angles:
                    row[i] += sign * p[name] * slope
                total -= sign * p[name] * value * sum(v[i] for i in angles) ** 2
            gradient.append(row)
            bend.append(total)
        return reduced(m, force, gradient, bend)
    return system


def solved(system, entry, q0, v0, end, steps, digits, stored, columns=14):
    n = len(q0)
    state = motion(lambda t, y: y[n:] + system(t, y)[:n], D(0), q0 + v0, end, steps, columns)
    found = system(end, state)
    yield "", [state[:n], state[n:], found[n:]], [stored["q"], stored["v"], stored["lambda"]], digits


def fekete20(entry):
    q = [D(x) for x in entry["reference"]["q"]]
    radii = [q[3 * i] ** 2 + q[3 * i + 1] ** 2 + q[3 * i + 2] ** 2 for i in range(20)]
    yield ", unit spheres", radii, [D(1)] * 20, 20


def values_of(entry):
    q0, v0 = ([D(x) for x in entry[name]] if isinstance(entry.get(name), list) else [] for name in ("q0", "v0"))
    name = entry["name"]
    if name.startswith("cartesian_chain"):
        return solved(chain(len(q0) // 2), entry, q0, v0, D(2), 60, 24, entry["reference"])
    if name == "caraxis":
        return solved(car_axis, entry, q0, v0, D(3), 400, 23, entry["reference"])
    if name == "andrews":
        parameters = {key: D(str(value)) for key, value in entry["parameters"].items()}
        return solved(andrews(parameters), entry, q0, v0, D("0.03"), 500, 18, entry["reference"])
    return globals()[name](entry)


compare = Comparison("benchmarks.json", sys.argv[1:])
for entry in compare.data:
    if compare.asked(entry["name"]):
        for part, made, stored, digits in values_of(entry):
            compare(entry["name"] + part, made, stored, digits)
compare.end()
