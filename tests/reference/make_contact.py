#!/usr/bin/env python3
"""Computes the motions of contact.json again, from closed forms: flights, half oscillations, elliptic functions and impacts.

    tests/reference/make_contact.py [words that the names must contain]"""

import sys

from motion import Comparison, arcsine, jacobi, quarter_period
from precise import D, PI, sine_and_cosine


def bouncing_ball(p):
    t, v = (2 * p["h"] / p["g"]).sqrt(), (2 * p["g"] * p["h"]).sqrt()
    events = []
    for _ in range(30):
        v *= p["e"]
        events.append((t, [D(0)], [v]))
        t += 2 * v / p["g"]
    rest = (2 * p["h"] / p["g"]).sqrt() * (1 + p["e"]) / (1 - p["e"])  # the limit of the impacts
    events.append((rest, [D(0)], [D(0)]))
    return events, [D(0)], [D(0)], p["m"] * p["g"] * p["h"]


def parabola_floor(p):
    c, g, end = p["c"], p["g"], D("9.8")
    t, x, y, vx, vy = D(0), D("0.7"), D("1.5"), D("0.5"), D(0)
    events = []
    while True:
        gap, rate, bend = y - c * x * x, vy - 2 * c * x * vx, g / 2 + c * vx * vx
        flight = (rate + (rate * rate + 4 * bend * (gap if not events else 0)).sqrt()) / (2 * bend)
        flight = min(flight, end - t)
        t, x, y, vy = t + flight, x + vx * flight, y + vy * flight - g / 2 * flight * flight, vy - g * flight
        if t == end:
            return events, [x, y], [vx, vy], D(0)
        n = (-2 * c * x, D(1))
        pull = 2 * (vx * n[0] + vy * n[1]) / (n[0] * n[0] + n[1] * n[1])
        vx, vy = vx - pull * n[0], vy - pull * n[1]
        events.append((t, [x, y], [vx, vy]))


def block_stops(p):
    t, x = p["v0"] / (p["mu"] * p["g"]), p["v0"] ** 2 / (2 * p["mu"] * p["g"])
    return [(t, [x, D(0)], [D(0)] * 2)], [x, D(0)], [D(0)] * 2, p["m"] * p["v0"] ** 2 / 2


def coulomb_oscillator(p):
    half, shift = PI * (p["m"] / p["k"]).sqrt(), p["mu"] * p["m"] * p["g"] / p["k"]
    x, events = D(1), []
    while abs(x) > shift:
        x = -x + (2 * shift if x > 0 else -2 * shift)
        events.append(((len(events) + 1) * half, [x, D(0)], [D(0)] * 2))
    return events, [x, D(0)], [D(0)] * 2, p["k"] / 2 * (1 - x * x)


def sphere_rolls(p):
    t, pull = 2 * p["v0"] / (7 * p["mu"] * p["g"]), p["mu"] * p["g"]
    v = p["v0"] - pull * t
    turn = 5 * pull / (2 * p["R"])
    at = [p["v0"] * t - pull * t * t / 2, p["R"], turn * t * t / 2]
    end = [at[0] + v * (1 - t), p["R"], at[2] + turn * t * (1 - t)]
    lost = p["m"] / 2 * (p["v0"] ** 2 - v * v) - p["m"] * p["R"] ** 2 / 5 * (turn * t) ** 2
    return [(t, at, [v, D(0), v / p["R"]])], end, [v, D(0), v / p["R"]], lost


def pendulum_stop(p):
    omega, end = (p["g"] / p["l"]).sqrt(), D(6)
    k = sine_and_cosine(p["phi0"] / 2)[0]
    height, t, events = k * k, quarter_period(k * k) / omega, []
    while True:
        k *= p["e"]
        events.append((t, [D(0), -p["l"]], [2 * omega * p["l"] * k, D(0)]))
        if t + 2 * quarter_period(k * k) / omega > end:
            break
        t += 2 * quarter_period(k * k) / omega
    sn, cn, _ = jacobi(omega * (end - t), k * k)
    phi, rate = 2 * arcsine(k * sn), 2 * omega * k * cn
    s, c = sine_and_cosine(phi)
    lost = 2 * p["m"] * p["g"] * p["l"] * (height - k * k)
    return events, [p["l"] * s, -p["l"] * c], [p["l"] * rate * c, p["l"] * rate * s], lost


def three_balls(p):
    mass, end = [p["m1"], p["m2"], p["m3"]], D(3)
    r = [[D(-1), D("0.02")], [D(0), D(0)], [D("0.8"), D("-0.06")]]
    v = [[D(2), D(0)], [D(0), D(0)], [D("-0.3"), D(0)]]
    dot = lambda a, b: a[0] * b[0] + a[1] * b[1]
    less = lambda a, b: [a[0] - b[0], a[1] - b[1]]
    t, events, lost = D(0), [], D(0)
    while True:
        first, pair = end - t, None
        for i, j in ((0, 1), (1, 2), (0, 2)):
            d, w = less(r[j], r[i]), less(v[j], v[i])
            a, b, c = dot(w, w), dot(d, w), dot(d, d) - p["d"] ** 2
            if b < 0 < b * b - a * c:
                when = (-b - (b * b - a * c).sqrt()) / a
                if D(10) ** -20 < when < first:
                    first, pair = when, (i, j)
        r = [[x + first * u for x, u in zip(place, speed)] for place, speed in zip(r, v)]
        t += first
        if not pair:
            return events, r, v, lost
        i, j = pair
        n = [x / p["d"] for x in less(r[j], r[i])]
        speed, reduced = dot(less(v[j], v[i]), n), mass[i] * mass[j] / (mass[i] + mass[j])
        push = -(1 + p["e"]) * reduced * speed
        lost += reduced / 2 * speed * speed * (1 - p["e"] ** 2)
        v[i] = [a - push / mass[i] * b for a, b in zip(v[i], n)]
        v[j] = [a + push / mass[j] * b for a, b in zip(v[j], n)]
        events.append((t, [list(x) for x in r], [list(x) for x in v]))


compare = Comparison("contact.json", sys.argv[1:])
for problem in compare.data["problems"]:
    if not compare.asked(problem["name"]):
        continue
    parameters = {name: D(value) for name, value in problem["parameters"].items()}
    events, q, v, lost = globals()[problem["name"]](parameters)
    values = lambda state: [state[part][name] for part in ("q", "v") for name in state[part]]
    assert len(events) == len(problem["events"]), problem["name"]
    compare(problem["name"] + ", events", [[t, q_, v_] for t, q_, v_ in events],
            [[e["t"], values(e)] for e in problem["events"]], 27)
    compare(problem["name"] + ", end", [q, v], [values(problem["end"])], 27)
    compare(problem["name"] + ", dissipated", [lost], [problem["energy"]["dissipated"]], 27)
compare.end()
