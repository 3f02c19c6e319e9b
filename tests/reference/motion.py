"""What the scripts of whole motions share: differential equations solved to all digits by extrapolation, zeros of functions
on their solutions, elliptic functions. Plain Python, apart from the program."""

import json
import pathlib
import sys
from decimal import getcontext

from precise import D, PI, sine_and_cosine

getcontext().prec = 42


def large_step(right, t, y, h, columns):
    """Gragg, Bulirsch and Stoer: the explicit midpoint rule with 2, 4, 6, ... small steps, extrapolated in their squares."""
    table = []
    for k in range(columns):
        n = 2 * (k + 1)
        small = h / n
        before, now = y, [a + small * b for a, b in zip(y, right(t, y))]
        for i in range(1, n):
            slope = right(t + i * small, now)
            before, now = now, [a + 2 * small * b for a, b in zip(before, slope)]
        row = [now]
        for j in range(1, k + 1):
            fewer = (2 * (k - j + 1)) ** 2
            row.append([a + (a - b) * fewer / (n * n - fewer) for a, b in zip(row[j - 1], table[k - 1][j - 1])])
        table.append(row)
    return table[-1][-1]


def motion(right, t, y, end, steps, columns=14):
    """From t to the end in equal large steps."""
    h = (end - t) / steps
    for i in range(steps):
        y = large_step(right, t + i * h, y, h, columns)
    return y


def until_zero(right, t, y, end, steps, function, columns=14):
    """As motion, but up to the first zero of function(t, y): (t, y, whether there was one). The steps must be short enough for
    a change of sign to show it."""
    h = (end - t) / steps
    side = None
    for i in range(steps):
        here, there = t + i * h, large_step(right, t + i * h, y, h, columns)
        value = function(here + h, there)
        if side is None:
            side = value
        if side * value < 0:
            a, b = (D(0), function(here, y)), (h, value)
            if i == 0:
                a = (h / 1000, function(here + h / 1000, large_step(right, here, y, h / 1000, columns)))
            for _ in range(200):
                c = b[0] - b[1] * (b[0] - a[0]) / (b[1] - a[1])
                point = large_step(right, here, y, c, columns)
                a, b = b, (c, function(here + c, point))
                if abs(b[0] - a[0]) < D(10) ** -32:
                    break
            return here + c, point, True
        y = there
    return end, y, False


def arcsine(s):
    """Newton from double precision."""
    import math
    x = D(math.asin(float(s)))
    for _ in range(4):
        sine, cosine = sine_and_cosine(x)
        x += (s - sine) / cosine
    return x


def quarter_period(m):
    """K of the parameter m = k^2, by the arithmetic-geometric mean."""
    a, b = D(1), (1 - m).sqrt()
    while abs(a - b) > D(10) ** -38:
        a, b = (a + b) / 2, (a * b).sqrt()
    return PI / (2 * a)


def jacobi(u, m):
    """sn, cn, dn by Landen's transformation."""
    a, b, c = [D(1)], (1 - m).sqrt(), [m.sqrt()]
    while abs(c[-1]) > D(10) ** -38:
        a.append((a[-1] + b) / 2)
        c.append((a[-2] - b) / 2)
        b = (a[-2] * b).sqrt()
    u -= (u / (4 * quarter_period(m))).to_integral_value() * 4 * quarter_period(m)
    phi = 2 ** (len(a) - 1) * a[-1] * u
    for i in reversed(range(1, len(a))):
        phi = (phi + arcsine(c[i] / a[i] * sine_and_cosine(phi)[0])) / 2
    sn, cn = sine_and_cosine(phi)
    return sn, cn, (1 - m * sn * sn).sqrt()


class Comparison:
    """Prints by how much numbers differ from the stored ones, and ends with exit code 1 where that is too much."""

    def __init__(self, file, words):
        self.data = json.loads((pathlib.Path(__file__).parent / file).read_text())
        self.words, self.wrong, self.made = words, 0, 0

    def asked(self, name):
        return all(word in name for word in self.words)

    def __call__(self, name, value, stored, digits):
        """Relative to the largest entry of what is stored, which may be lists in lists."""
        def flat(x):
            return [e for part in x for e in flat(part)] if isinstance(x, (list, tuple)) else [D(x)]
        a, b = flat(value), flat(stored)
        assert len(a) == len(b), name
        size = max([abs(x) for x in b] + [D(10) ** -digits])
        off = max(abs(x - y) for x, y in zip(a, b)) / size
        good = off <= 2 * D(10) ** (1 - digits)
        self.wrong += not good
        self.made += 1
        print(f"{name:45} differs by {float(off):.1e}{'' if good else '   TOO MUCH'}")

    def end(self):
        print(f"{self.made} compared, {self.wrong} differ")
        sys.exit(1 if self.wrong or not self.made else 0)
