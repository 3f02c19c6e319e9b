#!/usr/bin/env python3
"""Contacts by Siconos (Debian: python3-siconos), an independent program: Moreau-Jean time stepping with theta = 1/2.

Prints contact_siconos.json: for each problem q and v at its end with two steps h and h/2 and their extrapolation, which is
how far the numbers can be trusted (order 1). Usage: make_contact_siconos.py > contact_siconos.json
"""
import json

import numpy
import siconos.kernel as kernel
from siconos.kernel import LagrangianLinearTIR


def run(mass, stiffness, force, q0, v0, contacts, end, h, planar):
    """contacts: (row of the gap, offset, row of the slip or None, restitution, mu)."""
    n = len(q0)
    body = kernel.LagrangianLinearTIDS(numpy.array(q0, float), numpy.array(v0, float), numpy.diag(mass).astype(float),
                                       numpy.array(stiffness, float), numpy.zeros((n, n)))
    body.setFExtPtr(numpy.array(force, float))
    model = kernel.NonSmoothDynamicalSystem(0, end)
    model.insertDynamicalSystem(body)
    for gap, offset, slip, e, mu in contacts:
        if planar:
            law = kernel.NewtonImpactFrictionNSL(e, 0, mu, 2)
            relation = LagrangianLinearTIR(numpy.array([gap, slip], float), numpy.array([offset, 0.0]))
        else:
            law = kernel.NewtonImpactNSL(e)
            relation = LagrangianLinearTIR(numpy.array([gap], float), numpy.array([offset], float))
        model.link(kernel.Interaction(law, relation), body)
    solver = kernel.FrictionContact(2) if planar else kernel.LCP()
    simulation = kernel.TimeStepping(model, kernel.TimeDiscretisation(0, h), kernel.MoreauJeanOSI(0.5), solver)
    simulation.setNewtonTolerance(1e-12)
    solver.numericsSolverOptions().dparam[0] = 1e-14
    solver.numericsSolverOptions().iparam[0] = 10000
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        simulation.nextStep()
    return list(map(float, body.q())), list(map(float, body.velocity()))


PROBLEMS = {
    # A particle on a spring hops over a rough floor and comes to rest.
    "hopper": dict(mass=[1, 1], stiffness=[[8, 0], [0, 0]], force=[0, -9.81], q0=[-0.5, 0.6], v0=[2, 0],
                   contacts=[([0, 1], 0, [1, 0], 0.5, 0.2)], end=2.0, planar=True),
    # Two masses between walls, with a spring and restitution.
    "between_walls": dict(mass=[1, 2], stiffness=[[3, -3], [-3, 3]], force=[0.5, 0], q0=[0.2, 0.7], v0=[-1, 1.5],
                          contacts=[([1, 0], 0, None, 0.8, 0), ([-1, 1], -0.1, None, 0.6, 0), ([0, -1], 1, None, 0.7, 0)],
                          end=1.5, planar=False),
    # A block is pushed over another one on a floor: it slips, both slip, both stick.
    "two_blocks": dict(mass=[1, 1, 2, 2], stiffness=numpy.zeros((4, 4)).tolist(), force=[0, -9.81, 0, -19.62],
                       q0=[0, 0.1, 0, 0], v0=[3, 0, 0, 0],
                       contacts=[([0, 0, 0, 1], 0, [0, 0, 1, 0], 0, 0.05), ([0, 1, 0, -1], -0.1, [1, 0, -1, 0], 0, 0.4)],
                       end=3.0, planar=True),
}

if __name__ == "__main__":
    out = {"about": __doc__.strip().split("\n")[0], "problems": {}}
    for name, problem in PROBLEMS.items():
        h = 5e-5 * problem["end"]
        coarse, fine = run(h=h, **problem), run(h=h / 2, **problem)
        apart = max(abs(a - b) for x, y in zip(coarse, fine) for a, b in zip(x, y))
        out["problems"][name] = {"t": problem["end"], "q": fine[0], "v": fine[1], "apart": apart}
    print(json.dumps(out, indent=1))
