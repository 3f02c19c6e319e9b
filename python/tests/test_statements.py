"""Every statement of the model language as a call of the builder, against the same model as a text."""

import inspect
import pathlib
import re

import numpy as np
import pytest

import alembert

ROOT = pathlib.Path(__file__).resolve().parents[2]


def same_motion(built, text, columns, tolerance=1e-11, **options):
    ours, theirs = built.simulate(**options), alembert.model(text).simulate(**options)
    for name in columns:
        assert np.allclose(ours[name], theirs[name], atol=tolerance, rtol=tolerance), name
    assert [(e.name, e.kind) for e in ours.events] == [(e.name, e.kind) for e in theirs.events]
    return ours


def test_no_statement_is_missing():
    keywords = re.findall(r"^- `(\w+)", (ROOT / "docs/language.md").read_text(), re.M)
    assert len(keywords) > 40
    in_the_constructor = {"model", "source"}
    missing = [k for k in keywords if k not in in_the_constructor and not hasattr(alembert.ModelBuilder, k)]
    assert missing == []
    assert alembert.ModelBuilder("A", "B").text() == 'model "A"\nsource "B"\n'


def test_no_option_is_missing():
    """Every word that a statement takes is one that its call takes."""
    # Arguments by place, places of bodies, and words that are calls or values of their own.
    elsewhere = {"from", "to", "on", "joint", "point", "axis", "sphere", "box", "disk", "ellipsoid"}
    of_its_own = {("stop", "when"), ("stop", "after"), ("torsion", "angle"), ("torsion", "angle1"), ("torsion", "angle2"),
                  ("torsion", "distance"), ("joint", "rolling"), ("draw", "mesh"), ("draw", "axis")}
    missing, seen = [], 0
    for line in re.findall(r"^- `(.*?)`:", (ROOT / "docs/language.md").read_text(), re.M):
        keyword = line.split()[0]
        words = set(re.findall(r'(?<![A-Za-z])([a-z]\w*)(?= (?:EXPR|"|NUMBER|NAME))|\[([a-z]\w*)\]', line))
        for word in {a or b for a, b in words} - {keyword} - elsewhere:
            taken = inspect.signature(getattr(alembert.ModelBuilder, keyword)).parameters
            seen += 1
            if word not in taken and (keyword, word) not in of_its_own:
                missing.append(f"{keyword} {word}")
    assert seen > 50 and missing == []


def test_friction_in_a_bearing():
    m = alembert.ModelBuilder("Pendulum in a bearing")
    mass, l, R, mu, g = (m.parameter(n, v) for n, v in (("m", 2), ("l", 0.5), ("R", 0.05), ("mu", 0.3), ("g", 9.81)))
    arm = m.body("arm", planar=True, mass=mass, inertia=mass * l**2 / 3, at=(0.3, -0.4), angle=np.arctan2(0.3, 0.4))
    m.gravity(0, -g)
    m.revolute("pin", m.ground, arm.at(point=(0, l)), friction=mu, radius=R)
    run = same_motion(m, (ROOT / "models/bearing.alm").read_text(), ["arm.phi"], 1e-9, method="gauss(3)", step=0.005, end=20)
    # It comes to rest where the weight can no longer turn it.
    assert abs(run["arm.phi'"][-1]) < 1e-12 and 0.5 * abs(np.sin(run["arm.phi"][-1])) <= 0.3 * 0.05


def test_friction_by_a_load():
    m = alembert.ModelBuilder("Block in a guide")
    x = m.coordinate("x", rate=2)
    m.kinetic(m.rate(x)**2 / 2)
    m.contact("guide", load=9.81, friction=0.25, static=0.4, along=m.rate(x))
    run = m.simulate("gauss(2)", step=0.01, end=2)
    stop = next(e for e in run.events if e.kind == "stick")
    assert abs(stop.t - 2 / (0.25 * 9.81)) < 1e-9 and abs(run["x"][-1] - 2**2 / (2 * 0.25 * 9.81)) < 1e-9


def test_shapes_stand_where_their_place_is():
    m = alembert.ModelBuilder("Ball on a stick")
    stick = m.body("stick", mass=1, inertia=(1, 1, 1))
    tip = stick.at(point=(0, 0, -0.5), axis=(0, 0, 1))
    m.contact("c", tip.sphere(0.1), m.ground.at(point=(0, 0, -1), axis=(0, 0, 1)).plane())
    m.contact("d", tip.disk(0.1), m.ground.plane(axis=(0, 0, 1)))
    assert m.text().splitlines()[-2:] == [
        "contact c from stick sphere 0.1 point (0, 0, -0.5) to ground plane point (0, 0, -1) axis (0, 0, 1)",
        "contact d from stick disk 0.1 point (0, 0, -0.5) axis (0, 0, 1) to ground plane axis (0, 0, 1)"]


def test_contact_of_a_gap_with_friction():
    m = alembert.ModelBuilder("Stick and slip")
    k, belt = m.parameter("k", 10), m.parameter("belt", 0.5)
    x, y = m.coordinate("x", rate=belt), m.coordinate("y")
    m.kinetic((m.rate(x)**2 + m.rate(y)**2) / 2)
    m.potential(9.81 * y + k / 2 * x**2)
    m.contact("ground", y, friction=0.3, static=0.5, along=m.rate(x) - belt)
    run = same_motion(m, (ROOT / "models/stick_slip.alm").read_text(), ["x", "x'", "ground.force"], 1e-9, method="gauss(3)",
                      step=0.01, end=10)
    assert {e.kind for e in run.events} >= {"slip", "stick"} and run.report.contacts["ground"].state


def test_contact_between_bodies():
    m = alembert.ModelBuilder("Rocking block")
    b, h, a = m.parameter("b", 0.2), m.parameter("h", 1), m.parameter("a", 0.1)
    block = m.body("block", planar=True, mass=1, inertia=(b**2 + h**2) / 3, angle=a,
                   at=(-b + b * np.cos(a) - h * np.sin(a), b * np.sin(a) + h * np.cos(a)))
    m.gravity(0, -9.81)
    m.contact("floor", block.box((2 * b, 2 * h)), m.ground.plane(), friction=5)
    same_motion(m, (ROOT / "models/rocking_block.alm").read_text(), ["block.phi"], 1e-9, method="gauss(3)", step=0.01, end=2)


def test_billiard_balls_and_shapes():
    m = alembert.ModelBuilder("Billiard")
    R, J = 0.03, 0.4 * 0.2 * 0.03**2
    cue = m.body("cue", mass=0.2, inertia=(J, J, J), at=(0, 0, R), velocity=(1, 0, 0))
    red = m.body("red", mass=0.2, inertia=(J, J, J), at=(0.2, 0, R))
    m.gravity(0, 0, -9.81)
    for name, ball in (("cloth1", cue), ("cloth2", red)):
        m.contact(name, ball.sphere(R), m.ground.plane(axis=(0, 0, 1)))
    m.contact("balls", cue.sphere(R), red.sphere(R), restitution=1)
    run = m.simulate("gauss(2)", step=0.005, end=0.4)
    impact = next(e for e in run.events if e.name == "balls")
    assert abs(impact.t - (0.2 - 2 * R)) < 1e-10  # without friction it slides at speed 1
    assert abs(run["cue.r'"][-1, 0]) < 1e-9 and abs(run["red.r'"][-1, 0] - 1) < 1e-9  # equal masses change their speeds
    text = "".join(f"contact c from cue {w} to ground plane axis (0, 0, 1) friction 0.1 rolling 0.01 law poisson\n" for w in
                   ("disk 1 axis (1, 0, 0)", "ellipsoid (1, 2, 3)", "box (1, 2, 3) point (0, 0, 1)"))
    other = alembert.ModelBuilder()
    cue = alembert.Body(other, "cue", False)
    for side in (cue.disk(1, axis=(1, 0, 0)), cue.ellipsoid((1, 2, 3)), cue.box((1, 2, 3), point=(0, 0, 1))):
        other.contact("c", side, other.ground.plane(axis=(0, 0, 1)), friction=0.1, rolling=0.01, law="poisson")
    assert other.text() == text


def test_stops_of_a_joint():
    m = alembert.ModelBuilder("Door")
    door = m.body("door", planar=True, mass=1, inertia=1, at=(1, 0), velocity=(0, 1), omega=1)
    m.revolute("hinge", m.ground, door.at(point=(-1, 0)), limits=(-0.5, 0.5), restitution=1)
    run = m.simulate("gauss(2)", step=0.01, end=2)
    assert [(e.name, e.kind) for e in run.events] == [("hinge.upper", "impact"), ("hinge.lower", "impact")]
    assert np.allclose([e.t for e in run.events], [0.5, 1.5], atol=1e-10)


def test_general_form():
    m = alembert.ModelBuilder("Steel on teflon")
    b, cf, rf = m.parameter("b", 0.01), m.parameter("cf", 0.1), m.parameter("rf", 0.85)
    y, z = m.variable("y", [10, 10]), m.variable("z", [-3.6, -10.8])
    psi = m.multiplier("psi", 1.7586)
    normal = m.let("normal", [-3 * b * y[0]**2 * psi, psi])
    friction = -cf * ((1 + 9 * b**2 * y[0]**4) * psi**2)**(rf / 2) * z / alembert.norm(z)
    m.derivative(y, z)
    m.derivative(z, np.array([0, -9.81]) + m.reaction(normal + friction))
    m.constraint("wire", y[1], b * y[0]**3, multiplier=psi)
    same_motion(m, (ROOT / "models/steel_on_teflon.alm").read_text(), ["y", "z"], 1e-9, method="true_euler(1/2)",
                step=0.001, end=0.2)


def test_quantities():
    m = alembert.ModelBuilder("Mass that grows")
    x, u = m.variable("x", [0.0]), m.variable("u", [1.0])
    p = m.quantity("p", [(1 + x[0]) * u[0]])
    m.derivative(x, u)
    m.derivative(p, [0.0])
    run = m.simulate("gauss(3)", step=0.01, end=1)
    # (1 + x) x' = 1, so that (1 + x)^2 = 1 + 2 t.
    assert abs(run["x"][-1] - (3**0.5 - 1)) < 1e-10


def test_multibody_form_and_contact_points():
    m = alembert.ModelBuilder("Oscillator")
    q, v = m.coordinate("q", 1), m.velocity("v")
    m.kinematics(q, 2 * v)
    m.mass(v, 4)
    m.force(v, -4 * q)
    run = m.simulate("gauss(3)", step=0.01, end=1)
    assert abs(run["q"][-1] - np.cos(2**0.5)) < 1e-10  # q'' = 2 v' = -2 q
    m = alembert.ModelBuilder("Particle on a curve given by its parameter")
    x, y = m.coordinate("x", 2), m.coordinate("y", 1)
    s = m.auxiliary("s", "s^3 + s", x, start=1)
    m.kinetic((m.rate(x)**2 + m.rate(y)**2) / 2)
    m.potential(9.81 * y)
    m.constraint("curve", y, s**2)
    same_motion(m, (ROOT / "models/curve_parameter.alm").read_text(), ["x", "y"], 1e-10, method="murua_ggl(4)", step=0.01, end=1)


def test_families():
    m = alembert.ModelBuilder("Chain")
    N, l = m.parameter("N", 10), m.parameter("l", 0.1)
    i = m.family("i", 1, N)
    r = m.coordinate("r[i]", size=3)
    m.kinetic(m.sum(i, m.rate(r) @ m.rate(r) / 2))
    m.potential(m.sum(i, 9.81 * r[2]))
    m.constraint("first", "norm2(r[1])", l**2)
    m.constraint("rod", "norm2(r[i] - r[i-1])", l**2, over="i = 2..N")
    m.initial(r, [i * l, 0, 0])
    m.initial("r[N]'", [0, 1, 0])
    m.conserve("vertical", m.sum(i, r[0] * m.rate(r)[1] - r[1] * m.rate(r)[0]))
    same_motion(m, (ROOT / "models/chain.alm").read_text(), ["r[10]"], 1e-9, method="lobatto(3)", step=0.001, end=0.1)


def test_ports():
    m = alembert.ModelBuilder("Mass-spring-damper with a port")
    p1, p2, v1, v2 = m.state("p1", 6), m.state("p2", 24), m.state("v1"), m.state("v2")
    F = m.input("F", 3)
    m.flow((1, 1, 1, 1))
    m.structure({(p1, v1): 1, (p2, v2): 1})
    m.dissipation({(v1, v1): 0.2, (v2, v2): 0.5})
    m.port({(v1, F): 1})
    m.output("speed", of=F)
    m.hamiltonian(v1**2 / 2 + v2**2 / 2 + (p1 - 10)**2 / 2 + (p2 - p1 - 10)**2 + (20 - p2)**2 / 2)
    same_motion(m, (ROOT / "models/ph_mass_spring_damper.alm").read_text(), ["p1", "v2", "output.speed"], 1e-9,
                method="gauss_collocation(3)", step=0.1, end=20)


def test_the_other_matrices():
    m = alembert.ModelBuilder("Matrices")
    x, u = m.state("x", [1.0, 0.0]), m.input("u", 0)
    m.structure([[0, 1], [-1, 0]])
    m.dissipation([[0, 0], [0, 0.5]])
    m.port([[0], [1]])
    m.coupling([[0], [0.1]])
    m.feedthrough({(u, u): 1})
    m.drift({x[0]: 0})
    m.hamiltonian(x @ x / 2)
    run = m.simulate("gauss_collocation(3)", step=0.01, end=1)
    w = (1 - 0.25**2)**0.5  # x'' + x'/2 + x = 0
    expected = np.exp(-0.25) * (np.cos(w) + 0.25 / w * np.sin(w))
    assert abs(run["x"][-1, 0] - expected) < 1e-10
    assert "effort v = v" in (lambda m: (m.effort({"v": "v"}), m.text())[1])(alembert.ModelBuilder())


def test_components():
    m = alembert.ModelBuilder("Motor and pendulum")
    folder = ROOT / "models/components"
    motor = m.component("motor", folder / "dc_motor.alm", values={"R": 2, "L": 0.05, "K": 0.5, "J": 0.02, "d": 0.01, "w": 10})
    gear = m.component("gear", folder / "gearbox.alm", values={"n": 5})
    arm = m.component("arm", folder / "pendulum.alm", values={"m": 0.8, "L": 0.6, "d": 0.05, "phi": 0.3, "w": 2})
    m.connect(gear["w1"], motor["speed"])
    m.connect(motor["M"], -gear["M1"])
    m.connect(gear["w2"], arm["speed"])
    m.connect(arm["M"], -gear["M2"])
    m.input(motor["V"], 12 * np.sin(3 * m.t))
    ours = m.simulate("gauss_collocation(3)", step=0.01, end=1)
    theirs = alembert.simulate("models/ph_motor_pendulum.alm", end=1)
    assert np.allclose(ours["arm.phi"], theirs["arm.phi"], atol=1e-11) and len(ours.report.warnings) == len(theirs.report.warnings)


def test_an_assembly(tmp_path):
    (tmp_path / "rod.alm").write_text("parameter l = 1\nbody rod mass 1 inertia (1, 1, 1) at (0, 0, -l/2)\n")
    m = alembert.ModelBuilder("Two rods")
    m.gravity(0, 0, -9.81)
    for i, angle in ((1, 0), (2, 0.3)):
        part = m.component(f"part{i}", tmp_path / "rod.alm", at=(i, 0, 0), rotated=angle, about=(1, 0, 0), values={"l": 2})
        m.revolute(f"hinge{i}", m.ground.at(point=(i, 0, 0), axis=(1, 0, 0)), part.body("rod").at(point=(0, 0, 1)))
    run = m.simulate("lobatto(3)", step=0.01, end=1)
    assert np.allclose(run["part1.rod.r"], [1, 0, -1], atol=1e-12) and abs(run["part2.rod.r"][0, 1] - np.sin(0.3)) < 1e-12


def test_tables_from_files_events_and_drawings(tmp_path):
    (tmp_path / "ramp.csv").write_text("t,a,b\n0,0,0\n10,5,20\n")
    m = alembert.ModelBuilder("Switches")
    k, count = m.parameter("k", 4), m.parameter("count", 0)
    x = m.coordinate("x", 1)
    m.kinetic(m.rate(x)**2 / 2)
    m.potential(k / 2 * x**2)
    f = m.table("f", tmp_path / "ramp.csv", column="b")
    m.observe("ramp", f(m.t))
    m.event("zero", x, 0)
    m.when("zero", {count: count + 1})
    m.when((m.t, 10, "rising"), {k: 2 * k})
    m.stop_after(3, "zero")
    run = m.simulate("gauss(4)", step=0.01, end=20)
    assert abs(run.t[-1] - 5 * np.pi / 4) < 1e-9 and run.report.stopped  # x = cos(2 t)
    assert np.allclose(run["ramp"], 2 * run.t, atol=1e-12)
    m = alembert.ModelBuilder("Picture")
    arm = m.body("arm", mass=1, inertia=(1, 1, 1))
    m.draw("box", arm, size=(0.1, 0.1, 1), colour="steelblue", label="arm")
    m.draw("line", m.ground, from_=(0, 0, 0), to=arm.r)
    m.draw("cylinder", arm, radius=0.1, length=1, axis=(0, 0, 1), at=(0, 0, 1))
    m.simulate("gauss(2)", step=0.1, end=0.2).save(tmp_path / "picture.html")
    assert "steelblue" in (tmp_path / "picture.html").read_text()


@pytest.mark.parametrize("statement", [
    lambda m: m.torsion("brake", m.hinge, stiffness=2, rest=0.1, damping=0.1),
    lambda m: m.drive("motor", m.hinge, torque=np.sin(m.t)),
    lambda m: m.drive("motor", "hinge", angle=m.t),
    lambda m: m.load("wind", m.rod.at(point=(0, 1)), force=(1, 0), frame=m.rod),
    lambda m: m.spring("coil", m.rod, m.ground.at(point=(1, 0)), stiffness=3, length=1),
    lambda m: m.rayleigh(m.hinge.rate**2 / 20),
    lambda m: m.observe("moment", m.hinge.moment),
    lambda m: m.conserve("angle", m.hinge.angle),
    lambda m: m.pin(m.rod.phi),
    lambda m: m.initial(m.rod.phi, 0.2),
])
def test_what_acts_on_bodies(statement):
    m = alembert.ModelBuilder("Rod")
    m.rod = m.body("rod", planar=True, mass=1, inertia=0.1, at=(0, -1))
    m.hinge = m.revolute("hinge", m.ground, m.rod.at(point=(0, 1)))
    statement(m)
    m.simulate("lobatto(2)", step=0.01, end=0.05)
