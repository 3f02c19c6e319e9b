#!/usr/bin/env python3
"""Writes the model of a chain of N rigid links in space, hinged to each other: quaternions and revolute joints.

    tools/chain_of_links.py 16 > links16.alm

It begins straight and horizontal, and falls. The axes of the hinges alternate between y and z."""

import sys


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit() or int(sys.argv[1]) < 1:
        sys.exit("usage: chain_of_links.py LINKS")
    links = int(sys.argv[1])
    print(f'model "Chain of {links} links"')
    print("parameter m = 1, l = 0.5, g = 9.81, I = m*l^2/12, J = 1e-3")
    for i in range(1, links + 1):
        push = " velocity (0, 0.3, 0)" if i == links else ""
        print(f"body link{i} mass m inertia (J, I, I) at ({2 * i - 1}*l/2, 0, 0){push}")
    print("gravity (0, 0, -g)")
    for i in range(1, links + 1):
        axis = "(0, 1, 0)" if i % 2 else "(0, 0, 1)"
        origin = f"link{i - 1} point (l/2, 0, 0)" if i > 1 else "ground"
        print(f"joint revolute hinge{i} from {origin} axis {axis} to link{i} point (-l/2, 0, 0)")
    print("solve lobatto(2) step 0.001 end 4")


main()
