"""Wrong uses end in the right exception, with a message that helps, and never in a crash."""

import pathlib
import pickle
import re
import sys
import threading

import numpy as np
import pytest

import alembert

PENDULUM = "models/pendulum.alm"


def simulate(*args, **keywords):
    keywords.setdefault("end", 0.1)
    return alembert.simulate(PENDULUM, *args, **keywords)


def stepper(**keywords):
    return alembert.compile(PENDULUM, "lobatto(2)", inputs=["l"], step=0.01, **keywords)


def builder():
    m = alembert.ModelBuilder("M")
    m.x = m.coordinate("x", 1)
    return m


def other_expression():
    return alembert.ModelBuilder("other").coordinate("z")


def vector():
    return alembert.model("parameter a[2] = (1, 2)\ncoordinate x[2]\nkinetic norm2(x')/2\nforce x = a\nsolve gauss(1) step 0.1 end 1\n")


def damaged_run(part, inner, value):
    """A run made of a pickle in which something is other than it was written."""
    state = list(alembert._core.run_state(alembert.simulate("models/bouncing_ball.alm", end=0.6)._data))
    state[part] = value if inner is None else (*state[part][:inner], value, *state[part][inner + 1:])
    return alembert.Run(alembert._core.run_again(tuple(state))).q


def failing_stepper():
    model = alembert.model("parameter a = 1\ncoordinate x = 1\nkinetic x'^2/2\nconstraint c: x^2 = a - t\n")
    s = alembert.compile(model, "lobatto(2)", step=0.3)
    for _ in range(10):
        s.step()


INPUT, MODEL, RUN = alembert.InputError, alembert.ModelError, alembert.RunError

WRONG = [
    # Files and texts
    ("a file that is not there", lambda: alembert.read("no_such.alm"), FileNotFoundError, "no_such"),
    ("a folder", lambda: alembert.read("models"), IsADirectoryError, "models"),
    ("a number for a path", lambda: alembert.read(3), TypeError, "path"),
    ("bytes for a text", lambda: alembert.model(b"coordinate x"), TypeError, "text"),
    ("a file that is no text", lambda: alembert.read(sys.executable), INPUT, "UTF-8"),
    ("a zero byte in a path", lambda: alembert.read("a\0b"), INPUT, "zero byte"),
    ("a text for a path", lambda: alembert.simulate("coordinate x\nkinetic x'^2"), TypeError, "alembert.model"),
    ("an empty text", lambda: alembert.model(""), INPUT, ""),
    ("an unknown name", lambda: alembert.model("coordinate x\nkinetic x'^2/2\npotential k*x"), MODEL, "unknown name 'k'"),
    ("a bracket too many", lambda: alembert.model("coordinate x\nkinetic (x'^2"), MODEL, ""),
    ("no model at all", lambda: alembert.simulate(None), TypeError, "model is needed"),
    ("a list for a model", lambda: alembert.check([1]), TypeError, "model is needed"),
    # Names and values of the model
    ("a parameter that is not there", lambda: simulate(mas=2), MODEL, "unknown name 'mas'"),
    ("a state that is not there", lambda: simulate(values={"w'": 2}), MODEL, "w"),
    ("a value that is no number", lambda: simulate(l="two"), MODEL, "two"),
    ("nan for a parameter", lambda: simulate(l=float("nan")), INPUT, "finite"),
    ("infinity for a parameter", lambda: simulate(l=np.inf), INPUT, "finite"),
    ("None for a parameter", lambda: simulate(l=None), TypeError, "NoneType"),
    ("a function for a parameter", lambda: simulate(l=lambda t: t), TypeError, "stepper"),
    ("a vector for a scalar", lambda: simulate(l=[1, 2]), MODEL, ""),
    ("an empty list", lambda: simulate(l=[]), INPUT, "empty"),
    ("a value given twice", lambda: simulate(l=1, values={"l": 2}), TypeError, "twice"),
    ("values that are no dictionary", lambda: simulate(values=[1]), TypeError, "dictionary"),
    ("a misspelt option", lambda: simulate(tolerence=1e-3), TypeError, "did you mean 'tolerance'"),
    ("no consistent start",
     lambda: alembert.model("coordinate x = 1\nkinetic x'^2/2\nconstraint c: x^2 = -1").simulate(step=0.1, end=1), INPUT,
     "c"),
    ("an expression that cannot be observed", lambda: simulate(observe="x + w"), MODEL, "observe x + w:1:5"),
    # Options
    ("an unknown method", lambda: simulate("lobato(3)"), INPUT, "did you mean 'lobatto'"),
    ("a method with wrong arguments", lambda: simulate("lobatto(1)"), INPUT, ""),
    ("a method that does not take the model", lambda: simulate("discrete_gradient"), INPUT, ""),
    ("a number for a method", lambda: simulate(3), TypeError, "lobatto(3)"),
    ("an empty method", lambda: simulate(" "), INPUT, "empty"),
    ("step 0", lambda: simulate(step=0), INPUT, "step"),
    ("a step in the wrong direction", lambda: simulate(step=-0.01), INPUT, "step"),
    ("a text for a step", lambda: simulate(step="small"), TypeError, "step must be a number"),
    ("True for a step", lambda: simulate(step=True), TypeError, "step must be a number"),
    ("an array for a step", lambda: simulate(step=np.ones(3)), TypeError, "single number"),
    ("nan for an end", lambda: simulate(end=np.nan), INPUT, "finite"),
    ("infinity for an end", lambda: simulate(end=np.inf), INPUT, "finite"),
    ("times outside", lambda: simulate(at=[5.0]), INPUT, "at"),
    ("nan among times", lambda: simulate(at=[0.0, np.nan]), INPUT, "finite"),
    ("a matrix of times", lambda: simulate(at=np.zeros((2, 2))), INPUT, "shape"),
    ("words for times", lambda: simulate(at=["now"]), TypeError, "numbers"),
    ("every 0", lambda: simulate(every=0), INPUT, "at least 1"),
    ("every 1.5", lambda: simulate(every=1.5), TypeError, "whole number"),
    ("a negative sample", lambda: simulate(sample=-1), INPUT, "above 0"),
    ("a tolerance of 0", lambda: simulate(tolerance=0), INPUT, "above 0"),
    ("an unknown control", lambda: simulate(control="tolerant"), INPUT, "did you mean 'tolerance'"),
    ("a limit without control", lambda: simulate(largest=1), INPUT, "control='tolerance'"),
    ("strict as a word", lambda: simulate(strict="yes"), TypeError, "True or False"),
    ("progress as a number", lambda: simulate(progress=3), TypeError, "progress"),
    ("an unknown input", lambda: simulate(inputs={"F": ([0, 1], [0, 1])}), INPUT, "F"),
    ("inputs of two lengths", lambda: simulate(inputs={"F": ([0, 1], [0])}), INPUT, "fit"),
    ("no step anywhere", lambda: alembert.model("coordinate x\nkinetic x'^2/2").simulate(end=1), INPUT, "step"),
    # Runs
    ("a column that is not there", lambda: simulate()["z"], KeyError, "no column 'z'"),
    ("a number for a column", lambda: simulate()[0], TypeError, "names"),
    ("writing into a result", lambda: simulate().t.__setitem__(0, 1.0), ValueError, "read-only"),
    ("an unknown format", lambda: simulate().save("run.xyz"), INPUT, ".svg and .html are known"),
    ("an unknown format of a study", lambda: alembert.sweep(PENDULUM, l=[1, 2], end=0.1).save("study.html"), INPUT, ".npz are known"),
    ("a folder that is not there", lambda: simulate().save("/no/such/folder/run.csv"), INPUT, "no/such"),
    ("a file that is no trajectory", lambda: alembert.load("README.md"), INPUT, ""),
    ("a report that has no such entry", lambda: simulate().report.enregy, AttributeError, "did you mean 'energy'"),
    ("a path that a report has not", lambda: simulate().report["q.z"], KeyError, "z"),
    ("a group that is not there", lambda: simulate().group_names("w"), KeyError, "group"),
    # Steppers
    ("an unknown input of a step", lambda: stepper().step(F=1), INPUT, "not open"),
    ("nan for an input", lambda: stepper().step(l=np.nan), INPUT, "finite"),
    ("a word for an input", lambda: stepper().step(l="one"), TypeError, ""),
    ("an input by place", lambda: stepper().step(1.0), TypeError, "by name"),
    ("a negative number of steps", lambda: stepper().steps(-1), ValueError, "negative"),
    ("half a step", lambda: stepper().steps(1.5), TypeError, ""),
    ("a state of the wrong size", lambda: setattr(stepper(), "state", [1.0]), INPUT, "4 entries"),
    ("nan in a state", lambda: setattr(stepper(), "state", [np.nan, 0, 0, 0]), INPUT, "finite"),
    ("a value that is not there", lambda: stepper()["z"], INPUT, "no value 'z'"),
    ("setting what is not open", lambda: stepper().set(m=3), INPUT, ""),
    ("step size 0", lambda: setattr(stepper(), "h", 0), INPUT, "other than 0"),
    ("setting what is read-only", lambda: setattr(stepper(), "t", 0), AttributeError, ""),
    ("an input that shapes the model", lambda: alembert.compile("models/chain.alm", inputs=["N"]), INPUT, "N"),
    ("an input named twice", lambda: alembert.compile(PENDULUM, inputs=["l", "l"]), INPUT, "twice"),
    ("bytes of another stepper", lambda: stepper().load(alembert.compile("models/kepler.alm").save()), INPUT, "another model"),
    ("bytes that are none", lambda: stepper().load(b"abc"), INPUT, ""),
    ("an expression that was never made", lambda: alembert.Expression.__new__(alembert.Expression).text, TypeError, "made by"),
    ("a method by its class", lambda: alembert.Method("lobatto(3)"), TypeError, "made by functions"),
    ("the state of a stepper that was never made", lambda: alembert.Stepper.__new__(alembert.Stepper).state, TypeError, "never made"),
    ("a stepper that was never made", lambda: alembert.Stepper.__new__(alembert.Stepper).step(), TypeError, ""),
    ("steps beyond the last", failing_stepper, RUN, ""),
    ("an end between steps", lambda: stepper().run(0.015), INPUT, "whole number of steps"),
    ("an end and steps", lambda: stepper().run(1, steps=3), TypeError, "either"),
    ("a controller that raises", lambda: stepper().run(0.1, l=lambda s: 1 / 0), ZeroDivisionError, ""),
    ("a controller for nothing", lambda: stepper().run(0.1, F=lambda s: 1), INPUT, "not open"),
    # Building
    ("expressions of two models", lambda: builder().x + other_expression(), ValueError, "two models"),
    ("an expression of another model", lambda: builder().kinetic(other_expression()), INPUT, "another model"),
    ("the truth of an expression", lambda: bool(builder().x > 0), TypeError, "where"),
    ("the value of an expression", lambda: float(builder().x), TypeError, "no value"),
    ("nan in an expression", lambda: builder().x + np.nan, ValueError, "nan"),
    ("a word in an expression", lambda: builder().x + "y", TypeError, ""),
    ("a NumPy function that it has not", lambda: np.gcd(builder().x, 2), TypeError, "gcd"),
    ("a name that is none", lambda: builder().coordinate("2x"), INPUT, "no name"),
    ("a name twice", lambda: (lambda m: (m.coordinate("x"), m.kinetic(m.rate(m.x)**2), m.build()))(builder()), MODEL, ""),
    ("the rate of a parameter", lambda: (lambda m: m.rate(m.parameter("a", 1)))(builder()), INPUT, "rate"),
    ("a joint that does not exist", lambda: builder().joint("magic", "j", None, None), INPUT, "magic"),
    ("a joint between nothing", lambda: builder().revolute("j", None, 3), TypeError, "body"),
    ("a direction that is none", lambda: (lambda m: m.event("e", m.x, 0, "up"))(builder()), INPUT, "rising"),
    ("a contact with half its sides", lambda: (lambda m: m.contact("c", m.ground.plane()))(builder()), TypeError, "two sides"),
    ("a contact with too many", lambda: (lambda m: m.contact("c", m.x, m.ground.plane()))(builder()), TypeError, "two sides"),
    ("an unknown law", lambda: (lambda m: m.contact("c", m.x, law="hooke"))(builder()), INPUT, "poisson"),
    ("friction without a slip", lambda: (lambda m: (m.kinetic(m.rate(m.x)**2), m.contact("c", m.x, friction=1), m.build()))(builder()), MODEL, "along"),
    ("a body of another model", lambda: builder().load("w", alembert.Body(builder(), "b", True), force=(0, 1)), INPUT, "another model"),
    ("the target of another model", lambda: builder().force(other_expression(), 1), INPUT, "another model"),
    ("a drawing that does not exist", lambda: builder().draw("cone", builder().ground), INPUT, "cone"),
    ("a table of words", lambda: builder().table("f", ["a", "b"], [0, 1]), TypeError, "numbers"),
    ("a table of two lengths", lambda: builder().table("f", [0, 1, 2], [0, 1]), INPUT, "one length"),
    ("planar as a word", lambda: builder().body("b", mass=1, inertia=1, planar="no"), TypeError, "True or False"),
    ("a table of a kind that is none", lambda: builder().table("f", [0, 1], [0, 1], "cubic"), INPUT, "spline"),
    ("a table from nowhere", lambda: (lambda m: (m.kinetic(m.rate(m.x)**2), m.potential(m.table("f", "no.csv")(m.x)), m.build()))(builder()), MODEL, "no.csv"),
    ("entries without two names", lambda: builder().structure({"q": 1}), TypeError, "two names"),
    ("a joint for a motor", lambda: builder().drive("d", 3, angle=1), TypeError, "joint"),
    ("an event that sets nothing", lambda: builder().when("e", {}), INPUT, "empty"),
    ("a size of 0", lambda: builder().coordinate("z", size=0), INPUT, "size"),
    ("over as a number", lambda: builder().constraint("c", 1, over=3), TypeError, "i = 2..N"),
    ("a pickled builder", lambda: pickle.dumps(builder()), TypeError, "build()"),
    ("a pickled expression", lambda: pickle.dumps(builder().x), TypeError, "pickle"),
    ("a run from a damaged pickle", lambda: alembert._core.run_again(((), (), np.zeros(3), [], np.zeros(0), None)), (IndexError, ValueError), ""),
    ("stages for a method that is chosen", lambda: simulate("auto(3)"), INPUT, ""),
    ("a column by its number", lambda: simulate()[0], TypeError, "names"),
    ("writing into a run", lambda: simulate().q.__setitem__(0, 1.0), ValueError, "read-only"),
    ("a word of SciPy", lambda: simulate(t_eval=[0, 1]), TypeError, "here it is called 'at'"),
    ("another word of SciPy", lambda: simulate(rtol=1e-8), TypeError, "here it is called 'tolerance'"),
    ("a word of MuJoCo", lambda: simulate(timestep=0.01), TypeError, "here it is called 'step'"),
    ("a function as an input", lambda: simulate(inputs={"F": np.sin}), TypeError, "stepper"),
    ("a function of math", lambda: __import__("math").sin(builder().x), TypeError, "numpy.sin"),
    ("the velocity as an attribute", lambda: builder().x.dot, AttributeError, "m.rate(x)"),
    ("infinity in an expression", lambda: builder().x * np.inf, ValueError, "inf"),
    ("a place of another model", lambda: builder().revolute("j", builder().ground, alembert.ModelBuilder().ground), INPUT, "another model"),
    ("a joint of another model", lambda: builder().drive("d", alembert.Joint(builder(), "j", True), angle=1), INPUT, "another model"),
    ("a contact with neither gap nor load", lambda: builder().contact("c", friction=1), TypeError, "load"),
    ("a contact with gap and load", lambda: (lambda m: m.contact("c", m.x, load=1))(builder()), TypeError, "load"),
    ("a title of two lines", lambda: alembert.ModelBuilder("a\nb"), INPUT, "one line"),
    ("half a character", lambda: alembert.model("coordinate \ud800"), INPUT, "half of a character"),
    ("half a character as a value", lambda: simulate(l="\ud800"), INPUT, "half of a character"),
    ("half a character as a method", lambda: simulate("\ud800"), INPUT, "half of a character"),
    ("half a character as a name", lambda: builder().symbol("\ud800"), INPUT, "half of a character"),
    ("half a character as a path", lambda: alembert.read("\ud800.alm"), INPUT, "no file"),
    ("a number for the name of a model", lambda: alembert.model("coordinate x", 3), TypeError, "name of a model"),
    ("a date for a parameter", lambda: simulate(l=np.timedelta64(3, "s")), TypeError, "timedelta64"),
    ("a complex parameter", lambda: simulate(l=1j), TypeError, "complex"),
    ("a set for a vector", lambda: simulate(l={1, 2}), TypeError, "set"),
    ("complex times", lambda: simulate(at=np.array([0.05 + 1j])), TypeError, "complex128"),
    ("truths for times", lambda: simulate(at=[True, False]), TypeError, "numbers"),
    ("dates for times", lambda: simulate(at=np.array([0], dtype="m8[s]")), TypeError, "timedelta64"),
    ("masked times", lambda: simulate(at=np.ma.array([0.0, 0.1], mask=[0, 1])), TypeError, "numbers"),
    ("a step of 400 digits", lambda: simulate(step=10**400), INPUT, "finite"),
    ("raises as a word", lambda: simulate(raises="no"), TypeError, "True or False"),
    ("inputs that are no pair", lambda: simulate(inputs={"F": ([0, 1], [0, 1], [0, 1])}), TypeError, "pair"),
    ("nan in an input", lambda: simulate(inputs={"F": ([0, 1], [0, np.nan])}), INPUT, "finite"),
    ("an input by a number", lambda: simulate(inputs={"F": 3.0}), TypeError, "pair"),
    ("an unknown input by arrays", lambda: simulate(inputs={"F": ([0, 1], [0, 1])}, values={"l": 2}), MODEL, "input F=(t, values)"),
    ("a file of rows that is not there", lambda: alembert.load("no_such.h5"), FileNotFoundError, "no_such"),
    ("a folder of rows", lambda: alembert.load("models"), IsADirectoryError, "models"),
    ("a folder that is not there, for a page", lambda: simulate().save("/no/such/folder/run.html"), FileNotFoundError, "no/such"),
    ("a folder that is not there, as Python says it", lambda: simulate().save("/no/such/folder/run.h5"), OSError, "no/such"),
    ("a list of columns", lambda: simulate()[["x", "y"]], TypeError, "names"),
    ("a tolerance for a stepper", lambda: stepper(tolerance=1e-6), TypeError, "option of simulate"),
    ("None for an input of a step", lambda: stepper().step(l=None), TypeError, "'l' must be a number, not NoneType"),
    ("an array for an input of a step", lambda: stepper().step(l=np.ones(3)), TypeError, "'l' must be a number"),
    ("an input of 400 digits", lambda: stepper().step(l=10**400), INPUT, "finite"),
    ("too many steps", lambda: stepper().steps(10**30), INPUT, "too large"),
    ("a word for steps", lambda: stepper().steps("3"), TypeError, "whole number, not str"),
    ("no number of steps", lambda: stepper().steps(), TypeError, "takes their number"),
    ("a matrix for a state", lambda: setattr(stepper(), "state", np.zeros((2, 2))), INPUT, "shape"),
    ("a word for a state", lambda: setattr(stepper(), "state", "here"), TypeError, "numbers"),
    ("None for a state", lambda: setattr(stepper(), "state", None), TypeError, "numbers"),
    ("a complex state", lambda: setattr(stepper(), "state", np.ones(4) * 1j), TypeError, "complex128"),
    ("a word for a step size", lambda: setattr(stepper(), "h", "small"), TypeError, "h must be a number"),
    ("nan for a step size", lambda: setattr(stepper(), "h", np.nan), INPUT, "finite"),
    ("a vector for an entry", lambda: stepper().set(x=[1, 2]), TypeError, "x must be a number, not list"),
    ("a text for bytes", lambda: stepper().load("abc"), TypeError, "bytes"),
    ("a controller that gives nothing", lambda: stepper().run(0.1, l=lambda s: None), TypeError, "'l' must be a number, not NoneType"),
    ("a controller that gives nan", lambda: stepper().run(0.1, l=lambda s: np.nan), INPUT, "finite"),
    ("a class that is made by functions", lambda: alembert._core.Options(), TypeError, "made by"),
    ("a text that was never made", lambda: alembert._core.ModelText.__new__(alembert._core.ModelText).read(), TypeError, "made by"),
    ("columns of a damaged pickle", lambda: damaged_run(0, 1, [(0, 10**6)] * 9), ValueError, "no columns"),
    ("negative columns of a damaged pickle", lambda: damaged_run(0, 1, [(-5, -2)] * 9), ValueError, "no columns"),
    ("units of a damaged pickle", lambda: damaged_run(0, 3, ["m"]), ValueError, "no units"),
    ("events of a damaged pickle", lambda: damaged_run(3, None, [7]), ValueError, ""),
    # Studies
    ("complex values", lambda: alembert.sweep(PENDULUM, l=np.array([1, 1j]), end=0.1), TypeError, "complex128"),
    ("dates to vary", lambda: alembert.sweep(PENDULUM, l=np.array(["2020-01-01"], dtype="M8[D]"), end=0.1), TypeError, "datetime64"),
    ("truths to vary", lambda: alembert.sweep(PENDULUM, l=[True, False], end=0.1), TypeError, "numbers"),
    ("words to vary", lambda: alembert.ensemble(PENDULUM, l=["1", "2"], end=0.1), TypeError, "numbers"),
    ("nan to vary", lambda: alembert.ensemble(PENDULUM, l=[1, np.nan], end=0.1), INPUT, "finite"),
    ("None to vary", lambda: alembert.ensemble(PENDULUM, l=[1, None], end=0.1), TypeError, "numbers"),
    ("a mask to vary", lambda: alembert.ensemble(PENDULUM, l=np.ma.array([1.0, 2], mask=[0, 1]), end=0.1), TypeError, "numbers"),
    ("a set to vary", lambda: alembert.sweep(PENDULUM, l={1, 2}, end=0.1), TypeError, "set"),
    ("a vector for an axis", lambda: alembert.sweep(vector(), a=[[1, 2], [3, 4]]), INPUT, "a[1]"),
    ("a vector of the wrong length", lambda: alembert.ensemble(vector(), a=[[1, 2, 3]]), INPUT, "last axis"),
    ("rows of nobody", lambda: alembert.sweep(PENDULUM, l=[1, 2], end=0.1).rows("x"), INPUT, "rows=True"),
    ("rows as a name", lambda: alembert.sweep(PENDULUM, l=[1, 2], end=0.1, rows="x"), TypeError, "True or False"),
    ("an unknown distribution", lambda: alembert.draws(3, {"l": ("gamma", 1, 1)}), INPUT, "normal"),
    ("a deviation below 0", lambda: alembert.draws(3, {"l": ("normal", 1, -1)}), INPUT, "above 0"),
    ("members of 400 digits", lambda: alembert.draws(10**400, {"l": ("uniform", 0, 1)}), INPUT, "2^53"),
    ("a text for a number in a choice", lambda: alembert.maximum(builder().x, "3"), TypeError, "number"),
    ("a number of 400 digits in a choice", lambda: np.clip(builder().x, 0, 10**400), INPUT, "finite"),
    ("more members than fit into memory", lambda: alembert.draws(10**12, {"l": ("uniform", 0, 1)}), INPUT, "alembert sweep"),
    ("more members than there are numbers", lambda: alembert.draws(10**18, {"l": ("uniform", 0, 1)}), INPUT, "2^53"),
    ("nothing varied", lambda: alembert.sweep(PENDULUM, end=1), INPUT, "nothing is varied"),
    ("a value twice", lambda: alembert.sweep(PENDULUM, l=[1, 1], end=1), INPUT, "twice"),
    ("no values", lambda: alembert.sweep(PENDULUM, l=[], end=1), INPUT, "no values"),
    ("shapes that do not fit", lambda: alembert.ensemble(PENDULUM, l=[1, 2], m=[1, 2, 3], end=1), INPUT, "shapes"),
    ("an axis that is not there", lambda: alembert.sweep(PENDULUM, w=[1, 2], end=1), MODEL, "w"),
    ("a column of no report", lambda: alembert.sweep(PENDULUM, l=[1, 2], end=0.1, columns=["q.z"]), INPUT, "q.z"),
    ("an unknown form", lambda: alembert.derive(PENDULUM, form="index9"), INPUT, "index9"),
    ("an unknown letter", lambda: alembert.derive(PENDULUM).sympy("qq"), INPUT, "qq"),
    ("a method twice", lambda: alembert.converge(PENDULUM, ["gauss(1)", "gauss(1)"]), INPUT, "twice"),
    ("steps that do not divide", lambda: alembert.converge(PENDULUM, "gauss(1)", steps=[0.3], end=1), INPUT, ""),
    ("a number for methods", lambda: alembert.converge(PENDULUM, 3), TypeError, "lobatto(3)"),
    ("quad as a word", lambda: alembert.converge(PENDULUM, "gauss(1)", quad="no"), TypeError, "True or False"),
    ("all as a word", lambda: alembert.derive(PENDULUM, all="no"), TypeError, "True or False"),
    ("an empty name of a method", lambda: alembert.method(""), INPUT, "empty"),
    ("too many stages", lambda: alembert.method("gauss(1000)"), INPUT, "1 to 30"),
    ("steps of 0", lambda: alembert.converge(PENDULUM, "gauss(1)", steps=[0.0]), INPUT, "other than 0"),
    ("nan seconds", lambda: alembert.verify(PENDULUM, seconds=np.nan), INPUT, "finite"),
    ("an option that verify has not", lambda: alembert.verify(PENDULUM, tolerance=1e-3), TypeError, "option of simulate"),
    ("a number for a name of a method", lambda: alembert.method(3), TypeError, "lobatto(3)"),
]


@pytest.mark.parametrize("use, kind, words", [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_wrong_use(use, kind, words):
    with pytest.raises(kind) as caught:
        use()
    assert words in str(caught.value)
    if kind in (INPUT, MODEL):
        assert caught.value.errors and all(e.message for e in caught.value.errors)


def test_there_are_enough():
    assert len(WRONG) >= 150 and len({w[0] for w in WRONG}) == len(WRONG)


def test_all_errors_at_once_with_places():
    with pytest.raises(alembert.ModelError) as caught:
        alembert.model("coordinate x\nkinetic m/2*x'^2\npotential k*x\n", "spring.alm")
    first, second = caught.value.errors
    assert (first.source, first.line, second.line) == ("spring.alm", 2, 3) and first.column == 9
    shown = str(caught.value)
    assert "spring.alm:2:9" in shown and "    kinetic m/2*x'^2\n            ^" in shown
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == shown and again.errors[1].line == 3


def test_messages_name_functions_of_python():
    """Messages of the library call functions by the names that they have in C++."""
    sources = (pathlib.Path(__file__).resolve().parents[2] / "src/alembert").rglob("*.cpp")
    called = {name for source in sources for name in re.findall(r'"[^"\n]*(`\w+\([^`"\n]*\)`)[^"\n]*"', source.read_text())}
    assert called and called <= set(alembert.errors._CALLED), called - set(alembert.errors._CALLED)
    with pytest.raises(alembert.InputError, match="alembert.methods"):
        alembert.method("zzzzzzzz")


def test_a_stepper_in_two_threads():
    s = alembert.compile("models/double_pendulum.alm", "lobatto(3)", step=1e-4)
    thread = threading.Thread(target=s.steps, args=(2000000,))
    thread.start()
    refused = 0
    while thread.is_alive() and not refused:
        for use in (s.step, lambda: s.state, s.copy, s.save, lambda: s.steps(1), lambda: s["x1"],
                    lambda: s.simulate(end=1), lambda: s.set({"x1": 1.0}), lambda: setattr(s, "h", 0.1)):
            try:
                use()
            except RuntimeError as error:
                refused += "another thread" in str(error)
    thread.join()
    assert refused >= 8
    s.step()


def test_anything_for_anything(tmp_path, monkeypatch):
    """Calls with arguments that make no sense: an exception that Python programs expect, and nothing else."""
    (tmp_path / "models").symlink_to(pathlib.Path("models").resolve())
    monkeypatch.chdir(tmp_path)
    model, m, s = alembert.read(PENDULUM), builder(), stepper()
    run, study = model.simulate(end=0.05), alembert.sweep(model, l=[1.0, 2.0], end=0.02, rows=True)
    things = [None, True, -1, 0, 2, 1.5, np.nan, np.inf, 10**400, "", "x", "y'", "a\0b", "\ud800", "gauss(2)", "x + ", b"x", [], [1],
              [[1]], ["x"], {}, {"l": 2}, {1: 2}, (0, 1, 2), object(), lambda *a: 1, np.array(3), np.arange(3.0), np.zeros((2, 2)),
              np.array(["a"]), np.array([1j]), np.array([None]), model, m, m.x, run, s, study, "out.h5", "out.html", 3j, range(3),
              {1, 2}, alembert.method("gauss(2)"), m.ground, ..., np.float32(0.1), 1e-300, PENDULUM]
    words = ["step", "end", "at", "values", "every", "tolerance", "columns", "rows", "inputs", "observe", "l", "raises", "name",
             "size", "unit", "over", "mass", "inertia", "point", "friction", "along", "load", "seed"]
    calls = [getattr(alembert, n) for n in ("read", "model", "draws", "method", "load", "where", "maximum", "norm", "cross")]
    ones = [run, study, s, model, m, alembert.derive(model)]
    calls += [getattr(one, n) for one in ones for n in dir(one)
              if not n.startswith("_") and n != "set_step" and callable(getattr(one, n))]
    of_models = [getattr(alembert, n) for n in ("simulate", "compile", "sweep", "ensemble", "check", "derive")]
    random = np.random.default_rng(1)
    for _ in range(1500):
        call = (calls + 5 * of_models)[random.integers(len(calls) + 5 * len(of_models))]
        arguments = [things[random.integers(len(things))] for _ in range(random.integers(4))]
        if call in of_models:
            arguments = [model, *arguments[:1]]
        keywords = {words[random.integers(len(words))]: things[random.integers(len(things))] for _ in range(random.integers(3))}
        if call in (alembert.simulate, alembert.sweep, alembert.ensemble):
            keywords.setdefault("end", 0.02)
        try:
            call(*arguments, **keywords)
        except (TypeError, ValueError, LookupError, OSError, AttributeError, alembert.RunError):
            pass


@pytest.mark.parametrize("ending", ["csv", "h5", "json", "pickle"])
def test_damaged_files(ending, tmp_path):
    """They are read as far as they make sense, or refused; nothing else happens."""
    run = alembert.simulate("models/bouncing_ball.alm", end=0.5, every=10)
    file = tmp_path / f"run.{ending}"
    if ending == "pickle":
        file.write_bytes(pickle.dumps(run))
    else:
        run.save(file)
    whole, random, refused = file.read_bytes(), np.random.default_rng(1), 0
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(random.integers(1, 10)):
            data[random.integers(len(data))] = random.integers(256)
        if random.random() < 0.3:
            data = data[:random.integers(len(data))]
        file.write_bytes(data)
        try:
            again = pickle.loads(file.read_bytes()) if ending == "pickle" else alembert.load(file)
            assert len(again.rows) == len(again) and isinstance(repr(again), str)
            again.names, again.units, again.events, again.q, again.v, again.energy, again.report
        except Exception:
            refused += 1
    assert refused > 5


def test_files_cut_short_are_said(tmp_path):
    alembert.simulate(PENDULUM, end=0.5).save(tmp_path / "run.csv")
    text = (tmp_path / "run.csv").read_text()
    (tmp_path / "run.csv").write_text(text[:len(text) // 2])
    with pytest.warns(alembert.RunWarning, match="cut short"):
        run = alembert.load(tmp_path / "run.csv")
    assert 1 < len(run) < 51 and run.warnings[0].code == "cut_short"
    (tmp_path / "run.csv").write_text("")
    with pytest.raises(alembert.InputError, match="first column"):
        alembert.load(tmp_path / "run.csv")


def test_errors_of_callbacks_come_through():
    def stop(done):
        raise LookupError("enough")

    with pytest.raises(LookupError) as caught:
        alembert.simulate("models/double_pendulum.alm", end=1e7, every=10**8, progress=stop)
    assert caught.value.run.ending == "interrupted"
