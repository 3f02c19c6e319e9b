#!/usr/bin/env python3
"""Discs that roll, rub and collide in the plane, by Moreau and Jean's time stepping with sweeps over the contacts: an
implementation of its own. Prints by how much the ends in contact_discs.json differ from those made again; --write stores models, ends, and
by how much half the step differs."""
import json
import math
import pathlib
import random
import sys

END = 0.6
SEEDS = [0, 1, 3, 5, 6, 7, 9, 10, 11, 16, 17, 23, 27, 29, 33, 35, 37, 106, 133, 142, 150, 167]


def motion(p, h, end):
    count, m, R, J, g = len(p["m"]), p["m"], p["R"], p["J"], p["g"]
    q, v = [list(x) for x in p["q"]], [list(x) for x in p["v"]]

    def rates(v, c):
        """Of the point of contact: along the normal, which points to the disc i, and across."""
        i, j, nx, ny = c[0], c[1], c[4], c[5]
        x, y = v[i][0] + v[i][2] * R[i] * ny, v[i][1] - v[i][2] * R[i] * nx
        if j is not None:
            x, y = x - v[j][0] + v[j][2] * R[j] * ny, y - v[j][1] - v[j][2] * R[j] * nx
        return x * nx + y * ny, y * nx - x * ny

    def push(v, c, normal, along):
        i, j, nx, ny = c[0], c[1], c[4], c[5]
        x, y = normal * nx - along * ny, normal * ny + along * nx
        v[i][0] += x / m[i]
        v[i][1] += y / m[i]
        v[i][2] -= R[i] * along / J[i]
        if j is not None:
            v[j][0] -= x / m[j]
            v[j][1] -= y / m[j]
            v[j][2] -= R[j] * along / J[j]

    for _ in range(round(end / h)):
        middle = [[q[i][k] + h / 2 * v[i][k] for k in range(3)] for i in range(count)]
        closed = []
        for i, j, mu, e, plane in p["contacts"]:
            if j is None:
                nx, ny, c = plane
                gap = nx * middle[i][0] + ny * middle[i][1] - c - R[i]
            else:
                nx, ny = middle[i][0] - middle[j][0], middle[i][1] - middle[j][1]
                d = math.hypot(nx, ny)
                nx, ny, gap = nx / d, ny / d, d - R[i] - R[j]
            if gap <= 1e-12:
                closed.append((i, j, mu, e, nx, ny))
        new = [[v[i][0] + h * g[0], v[i][1] + h * g[1], v[i][2]] for i in range(count)]
        wanted = [-c[3] * rates(v, c)[0] for c in closed]
        P = [[0.0, 0.0] for _ in closed]
        for _ in range(3000):
            change = 0.0
            for k, c in enumerate(closed):
                i, j, mu = c[:3]
                yields = 1 / m[i] + (1 / m[j] if j is not None else 0)
                across = yields + R[i] ** 2 / J[i] + (R[j] ** 2 / J[j] if j is not None else 0)
                normal = max(0.0, P[k][0] - (rates(new, c)[0] - wanted[k]) / yields)
                push(new, c, normal - P[k][0], 0.0)
                along = max(-mu * normal, min(mu * normal, P[k][1] - rates(new, c)[1] / across))
                push(new, c, 0.0, along - P[k][1])
                change = max(change, abs(normal - P[k][0]), abs(along - P[k][1]))
                P[k] = [normal, along]
            if change < 1e-14:
                break
        v = new
        q = [[middle[i][k] + h / 2 * v[i][k] for k in range(3)] for i in range(count)]
    return q, v


def problem(seed):
    r = random.Random(seed)
    u = r.uniform
    n = r.choice([1, 1, 2, 2, 3])
    m = [u(0.5, 2) for _ in range(n)]
    R = [u(0.1, 0.2) for _ in range(n)]
    J = [0.5 * m[i] * R[i] ** 2 * u(0.7, 1.6) for i in range(n)]
    a = u(-0.3, 0.3)
    q = [[0.5 * i + u(-0.05, 0.05), R[i] + (u(0, 0.3) if r.random() < 0.7 else 0.0), 0.0] for i in range(n)]
    v = [[u(-1.5, 1.5), u(-1, 0) if q[i][1] > R[i] else 0.0, u(-10, 10)] for i in range(n)]
    e = lambda: r.choice([0, 0, u(0.2, 0.8)])
    contacts = [(i, None, u(0, 0.6), e(), (0.0, 1.0, 0.0)) for i in range(n)]
    if r.random() < 0.5:
        mu = u(0, 0.6)
        contacts += [(i, None, mu, 0, (1.0, 0.0, -0.6)) for i in range(n)]
        b = u(0.6, 1.2)
        contacts += [(i, None, mu, 0, (-math.cos(b), math.sin(b), -1.8 * math.cos(b))) for i in range(n)]
    contacts += [(i, j, u(0, 0.5), e(), None) for i in range(n) for j in range(i)]
    g = [9.81 * math.sin(a), -9.81 * math.cos(a)]
    return {"m": m, "R": R, "J": J, "g": g, "q": q, "v": v, "contacts": contacts}


def text(p):
    s = ""
    for i, (m, J, q, v) in enumerate(zip(p["m"], p["J"], p["q"], p["v"])):
        s += f"body b{i} planar mass {m!r} inertia {J!r} at ({q[0]!r}, {q[1]!r}) "
        s += f"velocity ({v[0]!r}, {v[1]!r}) spin {v[2]!r}\n"
    s += f"gravity ({p['g'][0]!r}, {p['g'][1]!r})\n"
    for k, (i, j, mu, e, plane) in enumerate(p["contacts"]):
        if j is None:
            x, y, c = plane
            other = f"ground plane axis ({x!r}, {y!r}) point ({x * c!r}, {y * c!r})"
        else:
            other = f"b{j} sphere {p['R'][j]!r}"
        s += f"contact c{k} from b{i} sphere {p['R'][i]!r} to {other} restitution {e!r} friction {mu!r}\n"
    return s


def main():
    path = pathlib.Path(__file__).with_name("contact_discs.json")
    writes = sys.argv[1:] == ["--write"]
    stored = [None] * len(SEEDS) if writes else json.loads(path.read_text())
    found, most = [], 0.0
    for seed, old in zip(SEEDS, stored):
        p = problem(seed)
        q, v = motion(p, 5e-5, END)
        near_q, near_v = motion(p, 1e-4, END)
        pairs = [(x, y) for a, b in zip(q + v, near_q + near_v) for x, y in zip(a[:2], b[:2])]
        found.append({"model": text(p), "end": END, "q": [x[:2] for x in q], "v": [x[:2] for x in v],
                      "apart": max(abs(x - y) for x, y in pairs)})
        if writes:
            continue
        ends = [(x, y) for k in ("q", "v") for a, b in zip(found[-1][k], old[k]) for x, y in zip(a, b)]
        off = max(abs(x - y) for x, y in ends)
        print(f"{seed}: {off:.1e}", flush=True)
        most = max(most, off)
    if writes:
        path.write_text(json.dumps(found, indent=1) + "\n")
    return 0 if most < 1e-9 else 1  # rounding that impacts have enlarged


if __name__ == "__main__":
    sys.exit(main())
