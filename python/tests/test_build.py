"""Models built in Python, against the same models as texts."""

import copy

import numpy as np
import pytest

import alembert


def pendulum():
    m = alembert.ModelBuilder("Pendulum")
    mass, l, gravity = m.parameter("m", 1), m.parameter("l", 1), m.parameter("gravity", 9.81)
    x, y = m.coordinate("x", l), m.coordinate("y")
    m.kinetic(mass / 2 * (m.rate(x)**2 + m.rate(y)**2))
    m.potential(mass * gravity * y)
    m.constraint("rod", x**2 + y**2, l**2)
    return m


def test_same_as_the_text():
    built = pendulum().simulate("lobatto(3)", step=0.01, end=1)
    text = alembert.simulate("models/pendulum.alm", "lobatto(3)", step=0.01, end=1)
    assert np.allclose(built["x"], text["x"], atol=1e-13) and np.allclose(built["y'"], text["y'"], atol=1e-12)
    again = alembert.model(pendulum().text())
    assert again.states == ["x", "y", "x'", "y'"] and pendulum().build() == pendulum().build()


def test_numpy_functions():
    m = alembert.ModelBuilder()
    x, y = m.coordinates("x y")
    assert np.sin(x).text == "sin(x)" and np.sqrt(x * x + 1).text.startswith("sqrt(")
    assert np.arctan2(y, x).text == "atan2(y, x)" and np.hypot(x, 1.0).text.startswith("hypot(")
    assert np.maximum(x, 0.0).text in ("max(x, 0)", "max(0, x)") and np.abs(x).text == "abs(x)"
    assert (x**2).text == "x^2" and (-x).text == "-x" and (2 * x + 1).text in ("2*x + 1", "1 + 2*x")
    assert np.square(x).text in ("x*x", "x^2")
    r = np.array([x, y], dtype=object)
    assert (r @ r).text in ("x*x + y*y", "x^2 + y^2") and np.sin(r)[1].text == "sin(y)"
    assert (np.array([1.0, 2.0]) * x)[1].text == "2*x" and (x + np.array([1.0, 2.0])).shape == (2,)
    assert alembert.norm(r).text.startswith("sqrt(") and len(alembert.cross((x, y, 0), (0, 0, 1))) == 3
    assert alembert.where(x > 0, x, 0).text and (x >= y).text and ((x > 0) & (y < 1)).text and (~(x > 0)).text
    assert x == x and x != y and len({x, y, x}) == 2
    assert np.less(x, 0.5) == (x < 0.5) and np.greater(x, y) == (x > y) and np.less_equal(x, y) == (x <= y)
    assert np.greater_equal(x, y) == (x >= y) and np.logical_not(x > 0) == ~(x > 0)
    assert np.logical_and(x > 0, y > 0) == ((x > 0) & (y > 0)) and np.logical_or(x > 0, y > 0) == ((x > 0) | (y > 0))
    assert np.negative(x) == -x and np.reciprocal(x) == 1 / x and np.deg2rad(x) == x * (np.pi / 180)


def test_conditions_mean_what_they_say():
    m = alembert.ModelBuilder("Conditions")
    x = m.coordinate("x", -1, rate=1)
    m.kinetic(m.rate(x)**2 / 2)
    for name, value in {"above": x > 0, "atleast": x >= 0, "below": x < 0, "atmost": x <= 0, "both": (x > -0.5) & (x < 0.5),
                        "either": (x < -0.5) | (x > 0.5), "none": ~(x > 0), "chosen": alembert.where(x > 0, x, 7),
                        "larger": alembert.maximum(x, 0.25), "smaller": np.minimum(0.25, x), "sign": alembert.sign(x)}.items():
        m.observe(name, value)
    run = m.simulate("gauss(1)", step=0.125, end=2)
    x = run["x"]
    expected = {"above": x > 0, "atleast": x >= 0, "below": x < 0, "atmost": x <= 0, "both": (x > -0.5) & (x < 0.5),
                "either": (x < -0.5) | (x > 0.5), "none": ~(x > 0), "chosen": np.where(x > 0, x, 7),
                "larger": np.maximum(x, 0.25), "smaller": np.minimum(x, 0.25), "sign": np.sign(x)}
    inside = np.abs(x) > 1e-9  # where rounding does not decide
    inside &= np.abs(np.abs(x) - 0.5) > 1e-9
    for name, value in expected.items():
        assert np.allclose(run[name][inside], value[inside].astype(float), atol=1e-12), name


def test_vectors_and_hamiltonian_form():
    m = alembert.ModelBuilder("Kepler")
    q = m.coordinate("q", [0.5, 0.0])
    p = m.momentum("p", q, [0.0, 3**0.5])
    m.hamiltonian(p @ p / 2 - 1 / alembert.norm(q))
    m.conserve("angular", q[0] * p[1] - q[1] * p[0])
    run = m.simulate("gauss(4)", step=2 * np.pi / 400, end=2 * np.pi)
    assert np.allclose(run["q"][-1], [0.5, 0], atol=1e-8)  # a whole turn: a = 1
    assert np.ptp(run.invariants) < 1e-13


def test_bodies_and_joints():
    m = alembert.ModelBuilder("Rod")
    l = m.parameter("l", 1)
    rod = m.body("rod", mass=1, inertia=(1 / 12, 1 / 12, 1e-3), at=(0, 0, -l / 2), rotated=0.1, about=(1, 0, 0))
    m.gravity(0, 0, -9.81)
    hinge = m.revolute("hinge", m.ground.at(axis=(1, 0, 0)), rod.at(point=(0, 0, l / 2)))
    m.torsion("brake", hinge, damping=0.1)
    m.observe("angle", hinge.angle)
    m.observe("tip", rod.point(0, 0, -l / 2))
    m.observe("pull", hinge.force)
    run = m.simulate("lobatto(3)", step=0.01, end=1)
    text = alembert.model("""model "Rod"
parameter l = 1
body rod mass 1 inertia (1/12, 1/12, 1e-3) at (0, 0, -l/2) rotated 0.1 about (1, 0, 0)
gravity (0, 0, -9.81)
joint revolute hinge from ground axis (1, 0, 0) to rod point (0, 0, l/2)
torsion brake joint hinge damping 0.1
observe angle: hinge.angle
observe tip: rod.point(0, 0, -l/2)
observe pull: hinge.force
""").simulate("lobatto(3)", step=0.01, end=1)
    assert np.allclose(run["tip"], text["tip"], atol=1e-12) and np.allclose(run["pull"], text["pull"], atol=1e-9)
    assert np.allclose(run["tip"][:, 2], -np.cos(run["angle"]), atol=1e-12)


def test_drives_springs_loads_and_planar_bodies():
    m = alembert.ModelBuilder("Crank")
    crank = m.body("crank", mass=1, inertia=0.1, planar=True, at=(0.5, 0))
    slider = m.body("slider", mass=1, inertia=0.1, planar=True, at=(2, 0))
    joint = m.revolute("pin", m.ground, crank.at(point=(-0.5, 0)))
    m.drive("motor", joint, angle=m.t)
    m.spring("coil", crank.at(point=(0.5, 0)), slider, stiffness=10, length=1, damping=1)
    m.load("push", slider, force=(0, 1))
    m.observe("end", crank.point(0.5, 0))
    run = m.simulate("lobatto(3)", step=0.01, end=1)
    assert np.allclose(run["end"], np.column_stack([np.cos(run.t), np.sin(run.t)]), atol=1e-10)


def test_events_and_tables():
    m = alembert.ModelBuilder("Ball")
    y = m.coordinate("y", 1)
    m.kinetic(m.rate(y)**2 / 2)
    m.potential(9.81 * y)
    m.event("floor", y, 0, "falling")
    m.when("floor", {m.rate(y): -m.rate(y)})
    m.event("table", m.table("f", [0, 10], [0, 20])(m.t), 1)
    m.solve("gauss(2)", 0.01, 1)
    run = m.simulate()
    assert [e.name for e in run.events] == ["floor", "table"]
    assert abs(run.events[0].t - (2 / 9.81)**0.5) < 1e-12 and abs(run.events[1].t - 0.5) < 1e-12


def test_errors_show_text_and_python():
    m = pendulum()
    m.observe("wrong", m.symbol("lenght") * 2)
    m.potential("3*hight")
    with pytest.raises(alembert.ModelError) as caught:
        m.build()
    errors = caught.value.errors
    assert len(errors) == 2 and all(e.line and e.column for e in errors)
    assert all("test_build.py:" in e.origin for e in errors) and "^" in str(caught.value)


def test_first_order_states():
    m = alembert.ModelBuilder("Filter")
    x = m.coordinate("x", 1)
    m.kinetic(m.rate(x)**2 / 2)
    z = m.variable("z", 2)
    m.derivative(z, -3 * z)
    run = m.simulate("gauss(4)", step=0.01, end=1)
    assert abs(run["z"][-1] - 2 * np.exp(-3)) < 1e-12


def test_expressions_of_sympy():
    sympy = pytest.importorskip("sympy")
    x, k = sympy.symbols("x k")
    m = alembert.ModelBuilder("Oscillator")
    m.parameter("k", 4)
    own = m.coordinate("x", 1)
    m.kinetic(m.rate(own)**2 / 2)
    m.potential(sympy.integrate(k * x, x) + 0 * sympy.Abs(x))
    m.observe("other", sympy.sqrt(sympy.Max(x, 0)) + sympy.Rational(1, 3) - sympy.Abs(x)**2 * sympy.exp(-x))
    run = m.simulate("gauss(4)", step=0.01, end=1)
    assert np.allclose(run["x"], np.cos(2 * run.t), atol=1e-13)
    x = run["x"]
    assert np.allclose(run["other"], np.sqrt(np.maximum(x, 0)) + 1 / 3 - x**2 * np.exp(-x), atol=1e-13)
    y = sympy.Symbol("x")
    values = {"bend": sympy.Piecewise((y**2, y < -0.5), (3, sympy.And(y > 0, y < 0.5)), (sympy.Min(y, 0.75), True)),
              "power": 2**y * (y + 2)**sympy.Rational(3, 2) / (1 + y**2), "step": sympy.Heaviside(y - 0.25),
              "angle": sympy.atan2(y, 1 + y**2) + sympy.sign(y) * sympy.tanh(y) - sympy.pi}
    for name, value in values.items():
        m.observe(name, value)
    run = m.simulate("gauss(4)", step=0.01, end=1)
    x = run["x"]
    inside = (np.abs(x) > 1e-6) & (np.abs(np.abs(x) - 0.5) > 1e-6) & (np.abs(x - 0.25) > 1e-6)
    for name, value in values.items():
        expected = np.array([float(value.subs(y, float(one))) for one in x])
        assert np.allclose(run[name][inside], expected[inside], atol=1e-12), name
    with pytest.raises(TypeError):
        m.potential(sympy.Eq(sympy.Symbol("x"), 1))


def test_units():
    m = alembert.ModelBuilder("Spring")
    mass, k = m.parameter("m", 3, unit="kg"), m.parameter("k", 20, unit="N/m")
    x = m.coordinate("x", 1, unit="m")
    m.kinetic(mass / 2 * m.rate(x)**2)
    m.potential(k / 2 * x**2)
    assert m.simulate("gauss(2)", step=0.1, end=0.5).units["x'"] == "m/s"
    m.potential(k * x)
    with pytest.raises(alembert.ModelError, match="units do not fit"):
        m.build()


def test_numpy_functions_have_numpys_values():
    values = {"cbrt": [-8.0, 27], "log2": [0.3, 8], "log10": [0.3, 100], "exp2": [-1.5, 3], "log1p": [-0.5, 2], "expm1": [-1e-9, 1],
              "arcsinh": [-50.0, 0.3], "arccosh": [1.5, 20], "arctanh": [-0.9, 0.3], "rad2deg": [-1.0, 2], "degrees": [1.0, 2],
              "deg2rad": [-90.0, 30], "fabs": [-2.0, 3], "square": [-3.0, 2], "reciprocal": [-4.0, 5]}
    for name, given in values.items():
        m = alembert.ModelBuilder(name)
        a, b = m.parameter("a", given[0]), m.parameter("b", given[1])
        x = m.coordinate("x")
        m.kinetic(m.rate(x)**2 / 2)
        m.observe("f", [getattr(np, name)(a), getattr(np, name)(b)])
        found = m.simulate("gauss(1)", step=0.1, end=0.1)["f"][0]
        assert np.allclose(found, getattr(np, name)(np.array(given)), rtol=1e-12, atol=0), name


def test_choices_of_vectors_and_of_numbers():
    m = alembert.ModelBuilder("Choices")
    r = m.coordinate("r", [-2.0, 0.5, 3.0])
    m.kinetic(m.rate(r) @ m.rate(r) / 2)
    m.observe("up", alembert.maximum(r, 0))
    m.observe("low", alembert.minimum(r, [1, 0, 1]))
    m.observe("clip", [np.clip(x, -1, 1) for x in r])
    m.observe("sign", alembert.sign(r))
    m.observe("some", alembert.where([x > 0 for x in r], r, -7))
    m.observe("step", [np.heaviside(x - 0.5, 0.25) for x in r])
    m.observe("most", np.fmax(r[0], r[1]))
    run = m.simulate("gauss(1)", step=0.1, end=0.1)
    for name, value in {"up": [0, 0.5, 3], "low": [-2, 0, 1], "clip": [-1, 0.5, 1], "sign": [-1, 1, 1], "some": [-7, 0.5, 3],
                        "step": [0, 0.25, 1], "most": 0.5}.items():
        assert np.array_equal(run[name][0], value), name
    assert alembert.maximum(1, 2) == 2 and alembert.sign(-3) == -1 and alembert.norm([3, 4]) == 5
    assert copy.deepcopy(r[0]) is r[0]


def test_matrices():
    m = alembert.ModelBuilder("Matrix")
    A = m.parameter("A", [[2, 1], [1, 3]])
    x = m.coordinate("x", [1.0, 0.0])
    m.kinetic(m.rate(x) @ m.rate(x) / 2)
    m.potential(x @ A @ x / 2)
    assert A.shape == (2, 2) and A[0, 1].text == "A[1][2]" and np.array_equal(m.build().parameters["A"], [[2, 1], [1, 3]])
    run = m.simulate("gauss(3)", step=0.01, end=1)
    squares, modes = np.linalg.eigh([[2, 1], [1, 3]])
    exact = modes @ (np.cos(np.sqrt(squares)) * (modes.T @ [1, 0]))
    assert np.allclose(run["x"][-1], exact, atol=1e-10)
    r = m.coordinate("r", np.zeros((2, 3)))
    assert m.rate(r).shape == (2, 3) and m.rate(r)[1, 2].text == "r[2][3]'"


def test_what_is_no_name_is_no_symbol():
    m = alembert.ModelBuilder("M")
    for good in ("x", "r[2]'", "rod.point(0.5, 0)[1]", "link[i+1].phi", "sum(i, x*y)", "lambda.rod"):
        assert (2 * m.symbol(good)).text == f"2*{good}"
    for bad in ("x + y", "-x", "x*y", "x)", "(x", "", "x, y", "a b"):
        with pytest.raises(alembert.InputError, match="no name"):
            m.symbol(bad)


def test_expressions_too_long_to_write_are_said():
    m = alembert.ModelBuilder("M")
    x = e = m.coordinate("x")
    for _ in range(40):
        e = e * np.sin(e) + x
    with pytest.raises(alembert.InputError, match="m.let"):
        m.potential(e)


def test_rates_of_what_moves():
    """A double pendulum from the positions of its masses, against the same energies with the velocities worked out by hand."""
    m = alembert.ModelBuilder("By positions")
    a, b = m.coordinate("a", 1.0), m.coordinate("b", 2.0)
    first = np.array([np.sin(a), -np.cos(a)])
    second = first + np.array([np.sin(b), -np.cos(b)])
    m.kinetic((m.rate(first) @ m.rate(first) + m.rate(second) @ m.rate(second)) / 2)
    m.potential(9.81 * (first[1] + second[1]))
    text = """coordinate a = 1, b = 2
    kinetic a'^2 + b'^2/2 + a'*b'*cos(a - b)
    potential -9.81*(2*cos(a) + cos(b))
    """
    ours, theirs = (n.simulate("gauss(4)", step=0.01, end=2) for n in (m, alembert.model(text)))
    assert np.allclose(ours.q, theirs.q, atol=1e-9)
    rod = m.body("rod", mass=1, inertia=0.1, planar=True, velocity=(1, 2), omega=3)
    m.observe("tip", m.rate(rod.point(1, 0)))
    m.observe("moving", m.rate(rod.r[0] * m.t))
    run = m.simulate("gauss(2)", step=0.1, end=1)
    assert np.allclose(run["tip"][-1], [1 - 3 * np.sin(3), 2 + 3 * np.cos(3)], atol=1e-12)
    assert abs(run["moving"][-1] - 2) < 1e-12  # (t*t)' at t = 1
    with pytest.raises(alembert.InputError, match="has a rate"):
        m.rate(2 * m.rate(a))
