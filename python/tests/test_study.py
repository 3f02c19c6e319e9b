"""Sweeps, ensembles, checks, equations, methods, measurements."""

import json

import numpy as np
import pytest

import alembert


def test_sweep_is_the_programs(program, tmp_path):
    table = tmp_path / "table.json"
    program("sweep", "models/double_pendulum.alm", "--vary", "m2=1,0.1", "--vary", "l2=1,0.5", "--end", "2", "--report",
            "energy.max_error,q.x2", "--out", table, "--quiet")
    told = json.loads(table.read_text())
    study = alembert.sweep("models/double_pendulum.alm", m2=[1, 0.1], l2=[1, 0.5], end=2,
                           columns=["energy.max_error", "q.x2"])
    rows = told["rows"]
    assert study.shape == (2, 2) and len(rows) == 4
    for path in ("energy.max_error", "q.x2"):
        assert np.array_equal(np.ravel(study[path]), [row["report"][path] for row in rows])


def test_sweep_equals_single_runs():
    study = alembert.sweep("models/pendulum.alm", "lobatto(3)", l=[1.0, 2.0], gravity=[9.81, 1.62, 3.7], end=1, step=0.01,
                           columns=["q.x"], rows=True, at=[0.5, 1.0])
    assert study["q.x"].shape == (2, 3) and study.rows("x").shape == (2, 3, 2)
    for i, l in enumerate(study.axes["l"]):
        for k, gravity in enumerate(study.axes["gravity"]):
            run = alembert.simulate("models/pendulum.alm", "lobatto(3)", l=l, gravity=gravity, end=1, step=0.01)
            assert abs(study["q.x"][i, k] - run["x"][-1]) < 1e-13
            assert abs(study.rows("x")[i, k, 1] - run["x"][-1]) < 1e-12


def test_ensemble_of_initial_values():
    speeds = np.linspace(0, 1, 4).reshape(2, 2)
    study = alembert.ensemble("models/pendulum.alm", values={"y'": speeds}, end=0.5, columns=["energy.initial"])
    assert np.allclose(study["energy.initial"], speeds**2 / 2, atol=1e-15) and study.shape == (2, 2)


FORCED = """input F = 0
parameter a[2] = (0, 0)
coordinate x[2]
kinetic norm2(x')/2
force x = F*(1, 1) + a
solve gauss(2) step 0.01 end 1
"""


def test_whatever_holds_numbers_can_be_varied():
    pandas = pytest.importorskip("pandas")
    given = [1.0, 2.0]
    for values in (given, tuple(given), np.array(given), np.array(given, dtype=object), np.array([1, 2]), range(1, 3),
                   (x for x in given), pandas.Series(given), np.array([1.0, 0, 2.0])[::2]):
        study = alembert.sweep("models/pendulum.alm", l=values, end=0.05)
        assert np.array_equal(study["l"], given)


def test_vectors_in_ensembles():
    model = alembert.model(FORCED)
    a = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    study = alembert.ensemble(model, a=a, columns=["q"], rows=True, at=[0.5, 1.0])
    assert study.shape == (3,) and np.allclose(study["q.x[2]"], a[:, 1] / 2, atol=1e-12)
    assert study.rows("x").shape == (3, 2, 2) and np.allclose(study.rows("x")[:, 0], a / 8, atol=1e-12)
    # One that all members have is no axis.
    study = alembert.sweep(model, a=[1, 2], values={"x[1]": [0, 1]}, columns=["q"])
    assert study.shape == (2,) and np.allclose(study["q.x[1]"], [0.5, 1.5], atol=1e-12)
    study = alembert.ensemble(model, values={"x'": a}, columns=["q"])
    assert np.allclose(study["q.x[1]"], a[:, 0], atol=1e-12)


def test_observations_and_inputs_of_members():
    model = alembert.model(FORCED)
    study = alembert.sweep(model, values={"a[1]": [0, 1]}, inputs={"F": ([0, 1], [2, 2])}, observe="x[1] + x[2]",
                           columns=["observed"])
    (name,) = [c for c in study if c.endswith(".final")]
    assert np.allclose(study[name], [2, 2.5], atol=1e-12)


def test_statistics_are_the_programs(program, tmp_path):
    program("sweep", "models/pendulum.alm", "--vary", "l=1:2:11", "--report", "q.x", "--end", "1", "--quiet", "--statistics",
            tmp_path / "told.json")
    told = json.loads((tmp_path / "told.json").read_text())["statistics"]["q.x"]
    found = alembert.sweep("models/pendulum.alm", l=np.linspace(1, 2, 11), end=1, columns=["q.x"]).statistics("q.x")
    assert list(found) == list(told) and sum(found.histogram) == found.count == 11 and len(found.histogram) == len(told["histogram"])
    for key in ("mean", "deviation", "min", "max"):
        assert abs(found[key] - told[key]) < 1e-12, key
    for share, value in told["quantiles"].items():
        assert abs(found["quantiles"][share] - value) < 1e-12, share


def test_pictures_of_studies():
    pytest.importorskip("matplotlib")
    line = alembert.sweep("models/pendulum.alm", l=[2.0, 1.0], end=0.1, columns=["q.x"])
    assert line.plot("q.x").get_xlabel() == "l"
    grid = alembert.sweep("models/pendulum.alm", l=[2.0, 1.0, 3.0], gravity=[1.0, 2.0], end=0.1, columns=["q.x", "ending"])
    mesh = grid.plot("q.x").collections[0]
    # Rows are those of the second axis, from below; the first one ascends to the right.
    assert np.array_equal(np.ravel(mesh.get_array()), grid["q.x"][[1, 0, 2]].T.ravel())
    members = alembert.ensemble("models/pendulum.alm", l=[1.0, 2.0], end=0.1, columns=["q.x"])
    assert members.plot("q.x").get_ylabel() == "members"
    with pytest.raises(TypeError, match="no numbers"):
        grid.plot("ending")


def test_values_that_shape_the_model():
    study = alembert.sweep("models/chain.alm", N=[2, 3], end=0.02, step=0.01, columns=["statistics.steps"])
    assert np.array_equal(study["statistics.steps"], [2, 2]) and not study.failed.any()


def test_failures_are_rows():
    model = alembert.model("parameter a = 1\ncoordinate x = 0.5\nkinetic x'^2/2\nconstraint c: x^2 = a\n")
    study = alembert.sweep(model, "lobatto(2)", a=[1.0, -1.0], step=0.1, end=0.2)
    assert list(study.failed) == [False, True] and study.failures[1] and np.isnan(study["t"][1])


def test_tables(tmp_path):
    study = alembert.sweep("models/pendulum.alm", l=[1.0, 2.0], end=0.2, columns=["q.x", "ending"])
    assert list(study["ending"]) == ["done", "done"]
    frame = study.to_pandas()
    assert list(frame["l"]) == [1, 2] and study.to_xarray()["q.x"].dims == ("l",)
    for name in ("t.csv", "t.h5", "t.json"):
        study.save(tmp_path / name)
        table = alembert.load(tmp_path / name)
        assert table.names == ["t", "l", "q.x", "failed"]
        assert np.array_equal(table["q.x"], study["q.x"]) and np.array_equal(table["l"], [1, 2])
    study.save(tmp_path / "t.npz")
    assert np.array_equal(np.load(tmp_path / "t.npz")["q.x"], study["q.x"])


def test_check(program):
    for name in ("double_pendulum", "heavy_top"):
        found = alembert.check(f"models/{name}.alm")
        assert str(found) == program("check", f"models/{name}.alm").rstrip("\n")
        assert found._tree == json.loads(program("check", f"models/{name}.alm", "--json"))
    assert alembert.check("models/double_pendulum.alm").degrees_of_freedom == 2


def test_derive(program):
    sympy = pytest.importorskip("sympy")
    e = alembert.derive("models/double_pendulum.alm")
    assert e.text == program("derive", "models/double_pendulum.alm")
    assert e.latex == program("derive", "models/double_pendulum.alm", "--latex")
    assert alembert.derive("models/pendulum.alm", form="index1").text == \
        program("derive", "models/pendulum.alm", "--form", "index1")
    e = alembert.derive("models/pendulum.alm")
    x, y, l, m, gravity = (sympy.Symbol(n, real=True) for n in ("x", "y", "l", "m", "gravity"))
    (g,) = e.sympy("g")
    assert sympy.simplify(g - (x**2 + y**2 - l**2)) == 0
    # The pendulum at rest below: the multiplier carries the weight, whatever its sign convention.
    lam, = e.sympy("lambda")
    at = {x: 0, y: -l, sympy.Symbol("x'", real=True): 0, sympy.Symbol("y'", real=True): 0}
    equations = [r.subs(at) for r in e.sympy("reduced")]
    solved = sympy.solve(equations, [*e.sympy("z_dot"), lam], dict=True)[0]
    assert all(solved[a] == 0 for a in e.sympy("z_dot"))
    assert sympy.simplify(solved[lam]**2 - (m * gravity / (2 * l))**2) == 0
    assert set(e.sympy()) >= {"y", "z", "g", "reduced"}
    assert alembert.derive("models/pendulum.alm", numbers=True).sympy("g")[0].free_symbols == {x, y}


def test_methods(program):
    families = alembert.methods()
    assert [f.signature for f in families] == \
        [line.split("  ")[0] for line in program("methods").split("\n\n")[0].splitlines() if not line.startswith(" ")]
    lobatto = alembert.method("lobatto(3)")
    assert lobatto.order == (4, 4, 4) and lobatto.symplectic and lobatto.symmetric and lobatto.stages == 3
    assert lobatto.tableau in program("methods", "lobatto", "--stages", "3")
    run = alembert.simulate("models/pendulum.alm", lobatto, step=0.01, end=0.1)
    assert run.method == "lobatto(3)"


def test_verify_and_converge():
    found = alembert.verify("models/pendulum.alm", "lobatto(2)", step=0.02, end=2)
    assert not found.failed and "symplectic" in str(found)
    measured = alembert.converge("models/pendulum.alm", ["lobatto(2)", "gauss(2)"], steps=[0.1, 0.05, 0.025], end=1)
    assert not measured.failed and "<svg" in measured.svg and measured.csv.count("\n") >= 6
    assert [round(m.observed.q, 1) for m in measured["methods"]] == [2, 4]


def test_draws_have_their_moments_and_their_seed():
    drawn = alembert.draws(4096, {"a": ("normal", 2, 0.5), "b": ("uniform", -1, 3)}, seed=1, sampling="sobol")
    assert abs(drawn["a"].mean() - 2) < 1e-3 and abs(drawn["a"].std() - 0.5) < 1e-3
    assert abs(drawn["b"].mean() - 1) < 1e-3 and drawn["b"].min() > -1 and drawn["b"].max() < 3
    some = alembert.draws(10, {"a": ("normal", 0, 1)}, seed=1)["a"]
    assert (alembert.draws(100, {"a": ("normal", 0, 1)}, seed=1)["a"][:10] == some).all()
    assert not (alembert.draws(10, {"a": ("normal", 0, 1)}, seed=2)["a"] == some).any()


def test_wrong_draws():
    for wrong in ({"a": ("norml", 0, 1)}, {"a": ("normal", 0, -1)}, {"a": ("uniform", 1, 0)}, {"a": 3}):
        with pytest.raises(alembert.InputError):
            alembert.draws(3, wrong)
    with pytest.raises(alembert.InputError, match="sobol"):
        alembert.draws(3, {"a": ("normal", 0, 1)}, sampling="sobel")


def test_events_by_their_names():
    model = alembert.model("""
parameter h = 1
coordinate y = h
kinetic y'^2/2
potential 10*y
event floor: y = 0
solve gauss(2) step 0.1 end 2
""")
    study = alembert.ensemble(model, h=np.array([0.8, 1.25, 100.0]), columns=["events.floor.t", "events.floor.count"])
    assert np.allclose(study["events.floor.t"][:2], [0.4, 0.5], rtol=0, atol=1e-13)
    assert np.isnan(study["events.floor.t"][2]) and list(study["events.floor.count"]) == [1, 1, 0]


def test_tables_in_sympy_have_their_names():
    sympy = pytest.importorskip("sympy")
    m = alembert.ModelBuilder("Over a road")
    x = m.coordinate("x")
    road = m.table("road", [0, 1, 2], [0, 1, 0], "spline")
    m.kinetic(m.rate(x)**2 / 2)
    m.potential(9.81 * road(x))
    energy = alembert.derive(m).sympy("energy")[0]
    assert {f.name for f in energy.atoms(sympy.core.function.AppliedUndef)} == {"road"}


def test_members_in_parts(monkeypatch):
    options = dict(l=np.linspace(1, 2, 7), end=0.1, columns=["q.x"])
    at_once = alembert.sweep("models/pendulum.alm", **options)
    monkeypatch.setattr(alembert._study, "_AT_ONCE", 3)
    shares = []
    in_parts = alembert.sweep("models/pendulum.alm", progress=shares.append, **options)
    assert np.array_equal(in_parts["q.x"], at_once["q.x"]) and shares == sorted(shares) and shares[-1] == 1


def test_what_was_done_before_an_interruption(monkeypatch):
    monkeypatch.setattr(alembert._study, "_AT_ONCE", 50)

    def stop(done):
        if done > 0.4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        alembert.sweep("models/double_pendulum.alm", m2=np.linspace(1, 2, 200), end=10, columns=["q.x1"], progress=stop)
    study = caught.value.study
    finished = study.failures == ""
    assert 50 <= finished.sum() < 200 and np.array_equal(finished, study["t"] == 10)
    assert set(np.char.startswith(study.failures[~finished].astype(str), "interrupted")) == {True}
