#!/usr/bin/env python3
"""The pendulum with a PID controller, saturation and a table as its target (servo.json), from switch to switch.

    tests/reference/make_servo.py          # with the word new: writes the file"""

import json
import pathlib
import sys

from motion import Comparison, until_zero
from precise import D, sine_and_cosine

POINTS = [(D(0), D(0)), (D(1), D(1)), (D(3), D(1)), (D("3.5"), D("0.5")), (D(6), D("0.5"))]
MODEL = """model "A pendulum held by a PID controller with saturation"
parameter J = 0.5, weight = 5, kp = 20, ki = 10, kd = 4, tau = 0.05
table target(s) = (0, 0), (1, 1), (3, 1), (3.5, 0.5), (10, 0.5)
coordinate theta
variable z, y
kinetic J/2*theta'^2
potential -weight*cos(theta)
let wanted = kp*(target(t) - theta) + ki*z - kd*(theta - y)/tau
force theta = if(wanted > 8, 8, if(wanted < -8, -8, wanted))
rate z' = if(abs(wanted) < 8, target(t) - theta, 0), y' = (theta - y)/tau
initial theta = -1
solve gauss(4) step 0.005 end 6
"""


def wanted(target, state):
    theta, _, z, y = state
    return 20 * (target - theta) + 10 * z - 80 * (theta - y)


def solution():
    state, switches = [D(-1), D(0), D(0), D(0)], []
    t, mode = D(0), None
    for (a, fa), (b, fb) in zip(POINTS, POINTS[1:]):
        target = lambda time: fa + (fb - fa) * (time - a) / (b - a)
        while t < b:
            if mode is None:
                now = wanted(target(t), state)
                mode = 1 if now > 8 else -1 if now < -8 else 0

            def right(time, x, mode=mode):
                theta, v, z, y = x
                torque = 8 * mode if mode else wanted(target(time), x)
                return [v, (torque - 5 * sine_and_cosine(theta)[0]) * 2, 0 if mode else target(time) - theta,
                        (theta - y) * 20]

            borders = [8 * mode] if mode else [8, -8]
            found = []
            for border in borders:
                steps = max(1, int((b - t) / D("0.02")))
                found.append((*until_zero(right, t, state, b, steps, lambda time, x: wanted(target(time), x) - border, 12),
                              border))
            first = min(found, key=lambda one: one[0])
            t, state, crossed, border = first
            if crossed:
                switches.append(t)
                mode = 0 if mode else (1 if border == 8 else -1)
    return state, switches


if sys.argv[1:] == ["new"]:
    state, switches = solution()
    names = ("theta", "theta'", "z", "y")
    text = {"model": MODEL, "end": {name: f"{x:.25e}" for name, x in zip(names, state)},
            "switches": [f"{t:.25e}" for t in switches], "how": "extrapolation from switch to switch, 40 digits"}
    (pathlib.Path(__file__).parent / "servo.json").write_text(json.dumps(text, indent=1) + "\n")
else:
    compare = Comparison("servo.json", sys.argv[1:])
    state, switches = solution()
    compare("servo, end", state, list(compare.data["end"].values()), 23)
    compare("servo, switches", switches, compare.data["switches"], 23)
    compare.end()
