"""What a run gives, against closed forms and against itself in other forms."""

import copy
import json
import math
import pickle
import warnings

import numpy as np
import pytest

import alembert

OSCILLATOR = """model "Oscillator"
parameter m = 1, k = 4
coordinate x = 1
kinetic m/2*x'^2
potential k/2*x^2
event zero: x = 0
observe double: 2*x
observe pair: (x, x')
solve gauss(4) step 0.01 end 1
"""


def test_closed_form():
    run = alembert.model(OSCILLATOR).simulate()
    assert np.allclose(run["x"], np.cos(2 * run.t), atol=1e-13, rtol=0)
    assert np.allclose(run.v[:, 0], -2 * np.sin(2 * run.t), atol=1e-13, rtol=0)
    assert np.array_equal(run["double"], 2 * run["x"])
    assert run["pair"].shape == (101, 2) and np.array_equal(run["pair"][:, 0], run["x"])
    (event,) = run.events
    assert event.name == "zero" and abs(event.t - math.pi / 4) < 1e-13 and abs(event["x"]) < 1e-14
    assert abs(run.energy[0] - 2) < 1e-15 and run.account.max_error < 1e-13


def test_views_are_no_copies():
    run = alembert.simulate("models/double_pendulum.alm", end=1)
    for view in (run.t, run.q, run.v, run.multipliers, run["x1"], run.energy, run.residuals):
        assert np.shares_memory(view, run.rows) and not view.flags.writeable and not view.flags.owndata
    q = run.q
    del run
    assert np.isfinite(q).all()  # the memory lives as long as a view


def test_a_million_rows_without_copying():
    import resource
    run = alembert.model(OSCILLATOR.replace("gauss(4)", "gauss(1)")).simulate(step=1e-4, end=100)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert run.q.shape == (1000001, 1) and run["x"].shape == (1000001,) and run.v.shape == (1000001, 1)
    assert np.shares_memory(run["x"], run.rows)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 2000  # kB: a copied column has 8000


def test_values_and_initial_values():
    run = alembert.simulate("models/pendulum.alm", values={"y'": 1.5}, l=2, end=0.1, step=0.01)
    assert run["x"][0] == 2 and run["y'"][0] == 1.5 and run.parameters["l"] == 2


def test_models_never_change():
    model = alembert.read("models/pendulum.alm")
    longer = model.set(l=2).set({"y'": 1}).set(m=3)
    assert longer.parameters["l"] == 2 and longer.parameters["m"] == 3 and longer.values == {"l": "2", "y'": "1", "m": "3"}
    assert model.parameters["l"] == 1 and model.values == {} and model.text() == longer.text()
    again = pickle.loads(pickle.dumps(longer))
    assert again == longer and hash(again) == hash(longer) and again != model
    assert alembert.read("models/pendulum.alm", l=2).parameters["l"] == 2


def test_rows_at_times():
    times = [0.5, 0.25, 1 / 3]
    run = alembert.model(OSCILLATOR).simulate(at=times)
    assert np.allclose(run.t, sorted(times), rtol=1e-15)
    assert np.allclose(run["x"], np.cos(2 * run.t), atol=1e-12)
    assert len(alembert.model(OSCILLATOR).simulate(every=10)) == 11
    assert len(alembert.model(OSCILLATOR).simulate(sample=0.125)) == 9


def test_tolerance_and_reversible():
    run = alembert.simulate("models/kepler.alm", tolerance=1e-9, largest=0.5, end=5)
    assert run.report.control == "tolerance" and len(np.unique(np.diff(run.t).round(12))) > 3
    assert alembert.simulate("models/sphere_kepler.alm", control="reversible", end=1).report.control == "reversible"


def test_a_method_that_nobody_names(program, tmp_path):
    # As the program: chosen with a tolerance alone and with "auto", with its reason; else the model's own.
    program("run", "models/pendulum.alm", "--tolerance", "1e-7", "--end", "2", "--out", tmp_path / "a.h5", "--quiet")
    program("run", "models/pendulum.alm", "--method", "auto", "--end", "2", "--out", tmp_path / "b.h5", "--quiet")
    a = alembert.simulate("models/pendulum.alm", tolerance=1e-7, end=2)
    b = alembert.simulate("models/pendulum.alm", "auto", end=2)
    for run, name in ((a, "a.h5"), (b, "b.h5")):
        written = alembert.load(tmp_path / name)
        assert run.method == written.method and np.array_equal(run.rows, written.rows)
        assert "holonomic constraints" in run.report.chosen and "chosen" in str(run.report)
    assert alembert.simulate("models/pendulum.alm", end=2).method == "lobatto(3)"
    free = alembert.model("coordinate x = 1\nkinetic x'^2/2\npotential 2*x^2\n")
    run = free.simulate(tolerance=1e-10, end=1)  # no method, no step
    assert abs(run["x"][-1] - math.cos(2)) < 1e-8
    assert alembert.sweep(free, tolerance=1e-10, end=1, values={"x": [1.0, 2.0]}, columns=["q.x"])["q.x"][1] == \
        pytest.approx(2 * math.cos(2), abs=1e-8)
    assert alembert.compile(free, "auto", step=0.01).method and not alembert.verify(free, "auto", step=0.1, end=1).failed


def test_runs_can_be_pickled(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs = [alembert.model(OSCILLATOR).simulate(), alembert.simulate("models/bouncing_ball.alm", end=2),
                alembert.simulate("models/ph_motor_pendulum.alm", end=0.1),
                alembert.simulate("models/kepler.alm", most_steps=3, end=100, raises=False),
                alembert.simulate("models/double_pendulum.alm", end=20)]
    runs[0].save(tmp_path / "run.h5")
    runs.append(alembert.load(tmp_path / "run.h5"))
    for run in runs:
        for again in (pickle.loads(pickle.dumps(run)), copy.deepcopy(run), pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(run))))):
            assert np.array_equal(again.rows, run.rows, equal_nan=True) and again.names == run.names
            assert not again.rows.flags.writeable and again.units == run.units
            assert [(e.name, e.t, e.kind) for e in again.events] == [(e.name, e.t, e.kind) for e in run.events]
            assert again.report._tree == run.report._tree and str(again.report) == str(run.report)
            assert (again.ending, again.reason, again.method, again.step) == (run.ending, run.reason, run.method, run.step)
            assert [(w.code, w.text, w.t) for w in again.warnings] == [(w.code, w.text, w.t) for w in run.warnings]
            assert again.html() == run.html() and again.parameters.keys() == run.parameters.keys()
            assert all(np.array_equal(getattr(again, g), getattr(run, g), equal_nan=True) for g in ("q", "v", "multipliers", "observed", "ports"))
    again.save(tmp_path / "again.json")
    assert np.array_equal(alembert.load(tmp_path / "again.json").rows, run.rows)
    event = pickle.loads(pickle.dumps(runs[1].events[0]))
    assert event.kind == "impact" and event["y'"] == runs[1].events[0]["y'"]


def test_runs_come_back_from_other_processes():
    import multiprocessing
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        run = pool.apply(alembert.simulate, ("models/pendulum.alm",), {"end": 0.5, "step": 0.01})
    assert np.array_equal(run.rows, alembert.simulate("models/pendulum.alm", end=0.5, step=0.01).rows)


def test_whatever_is_made_can_be_pickled():
    made = [alembert.method("gauss(2)"), alembert.derive("models/pendulum.alm", l=2, numbers=True),
            alembert.check("models/pendulum.alm"), alembert.compile("models/pendulum.alm").run(steps=2),
            alembert.WriteError([alembert.Problem("no space")])]
    for one in made:
        again = pickle.loads(pickle.dumps(one))
        assert type(again) is type(one) and repr(again) == repr(one) and len(repr(one)) > 10


def test_studies_can_be_pickled():
    study = alembert.sweep("models/pendulum.alm", l=[1.0, 2.0], end=0.1, rows=True)
    again = pickle.loads(pickle.dumps(study))
    assert np.array_equal(again.rows("x"), study.rows("x")) and again.shape == study.shape


def test_nothing_else_is_needed():
    """Where only NumPy is installed everything works but what asks for more by its name."""
    code = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pandas", "xarray", "matplotlib", "sympy", "tqdm"):
            raise ImportError(name)
sys.meta_path.insert(0, Missing())
import alembert
run = alembert.simulate("models/pendulum.alm", step=0.01, end=1, progress=True)
study = alembert.sweep("models/pendulum.alm", l=[1.0, 2.0], end=0.1)
assert study._repr_html_() is None and "<iframe" in run._repr_html_()
for ask in (run.to_pandas, run.to_xarray, run.plot, study.to_pandas, alembert.derive("models/pendulum.alm").sympy):
    try:
        ask()
    except ImportError:
        continue
    raise SystemExit(f"{ask} works without its package")
print("fine")
"""
    import subprocess
    import sys
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "fine\n", done.stderr
    assert "100 %" in done.stderr


def test_inputs_from_arrays(tmp_path):
    model = alembert.model("""state p = 0
input F = 0
hamiltonian p^2/2
port B(p, F) = 1
solve gauss_collocation(2) step 0.01 end 1
""")
    t = np.linspace(0, 1, 5)
    run = model.simulate(inputs={"F": (t, t)})
    assert abs(run["p"][-1] - 0.5) < 1e-12
    np.savetxt(tmp_path / "f.csv", np.column_stack([t, t]), delimiter=",", header="t,F", comments="")
    assert np.array_equal(model.simulate(inputs={"F": tmp_path / "f.csv"}).rows, run.rows)


def test_observe():
    run = alembert.simulate("models/pendulum.alm", observe=["x^2 + y^2"], end=0.1, step=0.01)
    assert np.allclose(run["x^2 + y^2"], 1, atol=1e-14)


@pytest.mark.parametrize("ending", [".csv", ".h5", ".json"])
def test_files(ending, tmp_path):
    run = alembert.simulate("models/slack_pendulum.alm")
    file = tmp_path / ("run" + ending)
    run.save(file)
    again = alembert.load(file)
    assert again.names == run.names and np.array_equal(again.rows, run.rows, equal_nan=True)
    assert np.array_equal(again.q, run.q) and np.array_equal(again.multipliers, run.multipliers)
    assert again.ending == "done" and again.account is None
    if ending != ".csv":
        assert [(e.name, e.t) for e in again.events] == [(e.name, e.t) for e in run.events]
        assert again.method == run.method and again.step == run.step and again.version == alembert.__version__
    run.save(file, columns=["energy"])
    assert alembert.load(file).names == ["t", "energy"]


def test_pages(tmp_path):
    run = alembert.simulate("models/double_pendulum.alm", end=1)
    for name in ("page.html", "figure.svg"):
        run.save(tmp_path / name)
    assert "<svg" in (tmp_path / "figure.svg").read_text()
    assert "double" in (tmp_path / "page.html").read_text().lower()
    shown = run._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "lobatto" in shown and shown.count('"') == 6


def test_pandas_and_xarray():
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    run = alembert.model(OSCILLATOR).simulate()
    frame = run.to_pandas()
    assert frame.index.name == "t" and np.array_equal(frame["x"], run["x"])
    data = run.to_xarray()
    assert data["pair"].dims == ("t", "pair_1") and np.array_equal(data["pair"], run["pair"])
    assert float(data["x"].sel(t=0.0)) == 1 and data.attrs["method"] == "gauss(4)"


def test_plot():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    run = alembert.simulate("models/double_pendulum.alm", end=1)
    axes = run.plot()
    assert len(axes) == 4 and len(axes[0].lines) == 4
    one = run.plot("x1", "y1")
    assert [line.get_label() for line in one.lines] == ["x1", "y1"]
    assert run.plot("x2", axes=one) is one and len(one.lines) == 3
    pyplot.close("all")


def test_report():
    report = alembert.simulate("models/double_pendulum.alm", end=1).report
    assert report.energy.max_error == report["energy.max_error"] == report["energy"]["max_error"]
    assert report.q["x1"] == report.entries()["q.x1"]
    assert "Double pendulum" in str(report) and json.dumps(report._tree)
    assert copy.copy(report).energy.max_error == report.energy.max_error


def test_failing_numbers_leave_what_was_computed():
    with pytest.raises(alembert.RunError) as caught:
        alembert.simulate("models/kepler.alm", most_steps=3, end=100)
    error = caught.value
    assert error.run is not None and len(error.run) == 4 and error.t == error.run.t[-1] > 0
    assert error.run.ending == "failed" and error.reason
    run = alembert.simulate("models/kepler.alm", most_steps=3, end=100, raises=False)
    assert run.ending == "failed" and np.array_equal(run.rows, error.run.rows)


def test_warnings():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = alembert.simulate("models/gyroscope.alm", step=0.02, end=0.2)
    told = [w.message for w in caught if isinstance(w.message, alembert.RunWarning)]
    assert [w.code for w in told] == [w.code for w in run.warnings] and "accuracy" in [w.code for w in told]
    assert caught[0].filename == __file__
    with pytest.raises(alembert.RunError):
        alembert.simulate("models/gyroscope.alm", step=0.02, end=0.2, strict=True)


def test_progress():
    told = []
    alembert.simulate("models/double_pendulum.alm", end=2, progress=told.append)
    assert told and told[-1] <= 1
    alembert.simulate("models/double_pendulum.alm", end=2, progress=True)


def test_units(tmp_path):
    run = alembert.model('parameter m = 3 "kg", k = 20 "N/m"\ncoordinate x "m"\nkinetic m/2*x\'^2\npotential k/2*x^2\n'
                         "observe pull: k*x\nsolve gauss(2) step 0.1 end 1\n").simulate()
    assert run.units["x"] == "m" and run.units["x'"] == "m/s" and run.units["pull"]
    run.save(tmp_path / "run.h5")
    assert alembert.load(tmp_path / "run.h5").units == run.units
    assert alembert.model(OSCILLATOR).simulate().units == {}
