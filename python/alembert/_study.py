"""Many runs of a model, and what is measured on it."""

from __future__ import annotations

import os
import re
import warnings as python_warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence

import numpy as np

from . import _core
from ._model import InputFiles, Model, as_model, check_keywords, merge, with_values
from ._progress import Progress
from ._report import Findings, Report
from ._run import OPTIONS, Run, make_options, method_name
from ._values import array, check_ending, is_list, names_of, nearest, number, path_of, truth
from .errors import InputError, RunWarning, wrong

if TYPE_CHECKING:
    import pandas
    import xarray

__all__ = ["Study", "sweep", "ensemble", "draws", "check", "verify", "converge", "derive", "Equations", "Method", "MethodFamily",
           "method", "methods"]


# Numbers that are drawn at once; on their way they take a hundred bytes each.
_MOST_DRAWS = 20_000_000
# Members whose reports are in memory at once: 3 kB each, which a million would not fit.
_AT_ONCE = 20000


class Study:
    """The members of a sweep or an ensemble: arrays of their shape, by name.

    `study["m2"]` are the values that were given, `study["energy.max_error"]` what the reports say; `failures` the
    reasons of those that failed ('' elsewhere), and NaN is what they have no number for. With rows, `study.rows("x1")`
    has one axis more, the times, and `study.runs` are the runs themselves.

    >>> import alembert
    >>> study = alembert.sweep("models/pendulum.alm", l=[1.0, 2.0], end=0.1, columns=["q.x"])
    >>> study
    Study(Pendulum: 2 runs of shape (2,))
    >>> list(study), study["l"]
    (['l', 'q.x', 't'], array([1., 2.]))
    """

    def __init__(self, given: dict[str, np.ndarray], axes: dict[str, np.ndarray], shape: tuple[int, ...]):
        self.given = given
        self.axes = axes  # of a sweep: the values along each axis; empty for an ensemble
        self.shape = shape
        self.title = ""
        self.columns: list[str] = []
        self._found: dict[str, np.ndarray] = {}
        self.failures = np.full(shape, "", dtype=object)
        self.warnings: list[tuple[int, RunWarning]] = []  # with the number of the member, flat
        self.runs: Optional[np.ndarray] = None

    def _take(self, table: Any, members: np.ndarray) -> None:
        """The members (flat numbers) of one compilation."""
        for number_, name in enumerate(table.columns):
            values = table.column(number_)
            if name not in self._found:
                self.columns.append(name)
                kind = object if isinstance(values, list) else float
                self._found[name] = np.full(self.shape, None if kind is object else np.nan, dtype=kind)
            self._found[name].flat[members] = values
        self.failures.flat[members] = table.failures
        self.warnings += [(int(members[i]), RunWarning(text, code, t)) for i, code, text, t in table.warnings]
        if table.runs:
            if self.runs is None:
                self.runs = np.empty(self.shape, dtype=object)
            for i, data in zip(members, table.runs):
                self.runs.flat[i] = Run(data)

    def __getitem__(self, name: str) -> np.ndarray:
        for known in (self._found, self.given):
            if name in known:
                return known[name]
        near = nearest(str(name), [*self._found, *self.given])
        raise KeyError(f"the study has no '{name}'" + (f": did you mean '{near}'?" if near else ""))

    def __iter__(self) -> Iterator[str]:
        return iter([*self.given, *self._found])

    def __contains__(self, name: object) -> bool:
        return name in self._found or name in self.given

    @property
    def failed(self) -> np.ndarray:
        """Which members failed."""
        return self.failures != ""

    def rows(self, name: str) -> np.ndarray:
        """A column of all members: the shape of the study, then the rows, then the entries of a vector. Where a member has
        fewer rows than others, NaN follows."""
        if self.runs is None:
            raise wrong("the members kept no rows", "ask for them: rows=True, with at=... or every=...")
        columns = [run[name] if len(run) else None for run in self.runs.flat]
        entries = next((c.shape[1:] for c in columns if c is not None), ())
        longest = max((len(c) for c in columns if c is not None), default=0)
        result = np.full((len(columns), longest, *entries), np.nan)
        for row, column in zip(result, columns):
            if column is not None:
                row[:len(column)] = column
        return result.reshape(*self.shape, longest, *entries)

    def to_pandas(self) -> "pandas.DataFrame":
        """A DataFrame with a row for each member."""
        import pandas
        frame = {name: np.ravel(self[name]) for name in self}
        frame["failure"] = np.ravel(self.failures)
        return pandas.DataFrame(frame)

    def to_xarray(self) -> "xarray.Dataset":
        """A Dataset; a sweep has its axes as coordinates."""
        import xarray
        axes = list(self.axes) or [f"member_{k}" for k in range(1, len(self.shape) + 1)]
        variables = {name: (axes, values) for name, values in self._found.items()}
        if not self.axes:
            variables.update({name: (axes, values) for name, values in self.given.items()})
        return xarray.Dataset(variables, coords=self.axes or None, attrs={"model": self.title})

    def save(self, path: Any) -> None:
        """A table with a row for each member (.csv, .h5, .json; numbers only, the time reached first), which `load`
        reads; or all arrays (.npz)."""
        place = path_of(path)
        numbers = {name: self[name] for name in ["t", *self] if self[name].dtype != object}
        if place.endswith(".npz"):
            np.savez(place, **numbers, failures=self.failures.astype(str))
            return
        check_ending(place, [".csv", ".h5", ".json", ".npz"])
        numbers["failed"] = self.failed.astype(float)
        table = np.column_stack([np.ravel(values).astype(float) for values in numbers.values()])
        _core.write_table(os.fsencode(place), list(numbers), table, self.title)

    def statistics(self, name: str) -> Report:
        """What the members have in a column, of those that have a finite number there: count, mean, deviation, min, max,
        quantiles (5, 25, 50, 75 and 95 %) and a histogram of 32 equal parts from min to max, as `alembert sweep --statistics`
        gives them; None where there is none.

        >>> import alembert
        >>> found = alembert.sweep("models/pendulum.alm", l=[1.0, 2.0, 4.0], end=0.1).statistics("l")
        >>> found.count, round(found.mean, 6), found["quantiles"]["0.5"]
        (3, 2.333333, 2.0)
        """
        values = self._numbers(name)
        values = values[np.isfinite(values)]
        count, shares = int(values.size), ("0.05", "0.25", "0.5", "0.75", "0.95")
        told: dict[str, Any] = dict(count=count, mean=None, deviation=None, min=None, max=None,
                                    quantiles=dict.fromkeys(shares), histogram=[])
        if count:
            told.update(mean=float(values.mean()), min=float(values.min()), max=float(values.max()),
                        quantiles={s: float(np.quantile(values, float(s))) for s in shares},
                        histogram=np.histogram(values, bins=32)[0].tolist())
        if count > 1:
            told["deviation"] = float(values.std(ddof=1))
        return Report(told)

    def plot(self, name: str, axes: Any = None) -> Any:
        """Draws a column with matplotlib: over the axis of a sweep, as a map over two of them (x is the first), else a histogram
        of its members. Gives the axes.

        >>> import alembert
        >>> study = alembert.sweep("models/pendulum.alm", l=[1.0, 2.0], gravity=[9.81, 1.62], end=1, columns=["q.x"])
        >>> drawn = study.plot("q.x")
        >>> drawn.get_xlabel(), drawn.get_ylabel()
        ('l', 'gravity')
        """
        from matplotlib import pyplot
        values = self._numbers(name)
        if axes is None:
            _, axes = pyplot.subplots(layout="constrained")
        names = list(self.axes)
        if len(names) == 1:
            axes.plot(self.axes[names[0]], values, ".-")
            axes.set_ylabel(name)
        elif len(names) == 2:
            x, y = (np.argsort(self.axes[n]) for n in names)
            drawn = axes.pcolormesh(self.axes[names[0]][x], self.axes[names[1]][y], values[np.ix_(x, y)].T, shading="nearest")
            axes.figure.colorbar(drawn, ax=axes, label=name)
            axes.set_ylabel(names[1])
        else:
            axes.hist(values[np.isfinite(values)], bins=32)
            axes.set_ylabel("members")
        axes.set_xlabel(names[0] if len(names) in (1, 2) else name)
        return axes

    def _numbers(self, name: str) -> np.ndarray:
        values = self[name]
        if values.dtype == object:
            raise TypeError(f"'{name}' has words, and no numbers")
        return values

    def __repr__(self) -> str:
        failed = int(np.sum(self.failed))
        return f"Study({self.title}: {int(np.prod(self.shape))} runs of shape {self.shape}" + \
            (f", {failed} failed)" if failed else ")")

    def _repr_html_(self) -> Optional[str]:
        try:
            return self.to_pandas()._repr_html_()
        except ImportError:
            return None


def sweep(model: Any, method: Any = None, *, values: Optional[Mapping[str, Any]] = None, columns: Any = None,
          rows: bool = False, observe: Any = None, inputs: Optional[Mapping[str, Any]] = None, progress: Any = False,
          **keywords: Any) -> Study:
    """Runs a model with every combination of some values, on all cores.

    Keywords are options of `simulate`, or names of the model: a list or array is an axis of the study, a number holds
    for all. columns: paths into the report ('energy.max_error', 'q.x1', a group such as 'q'). rows: keep them too. observe and
    inputs are as for `simulate`, the same for all.

    >>> import alembert, numpy
    >>> study = alembert.sweep("models/pendulum.alm", l=[1.0, 2.0, 4.0], gravity=[9.81, 1.62], end=1, columns=["q.x"])
    >>> study["q.x"].shape, bool(study.failed.any())
    ((3, 2), False)
    """
    full, options, given = _prepared("sweep", model, values, observe, keywords)
    axes = {name: _axis(full, name, value) for name, value in given.items()}
    grids = np.meshgrid(*axes.values(), indexing="ij")
    study = Study(dict(zip(axes, grids)), axes, grids[0].shape)
    with InputFiles(full, inputs) as driven:
        return _run(study, driven, method, options, columns, rows, progress)


def ensemble(model: Any, method: Any = None, *, values: Optional[Mapping[str, Any]] = None, columns: Any = None,
             rows: bool = False, observe: Any = None, inputs: Optional[Mapping[str, Any]] = None, progress: Any = False,
             **keywords: Any) -> Study:
    """Runs a model with many sets of values, on all cores: arrays of one shape (or that broadcast to one), a member for
    each entry; those of a vector have its entries as their last axis. Everything else is as for `sweep`.

    >>> import alembert, numpy
    >>> speeds = numpy.linspace(0, 2, 5)
    >>> study = alembert.ensemble("models/pendulum.alm", values={"y'": speeds}, end=0.5, columns=["energy.initial"])
    >>> study["energy.initial"].round(6)
    array([0.   , 0.125, 0.5  , 1.125, 2.   ])
    """
    full, options, given = _prepared("ensemble", model, values, observe, keywords)
    lists: dict[str, np.ndarray] = {}
    for name, value in given.items():
        entries, shape = _entries(full, name)
        if entries and value.shape[-len(shape):] != shape:
            raise wrong(f"`{name}` is a vector of shape {shape}, and the array has the shape {value.shape}",
                        "its last axis has the entries of the vector")
        flat = value.reshape(*value.shape[:value.ndim - len(shape)], -1) if entries else value[..., np.newaxis]
        lists.update((one, flat[..., i]) for i, one in enumerate(entries or [name]))
    try:
        arrays = np.broadcast_arrays(*lists.values())
    except ValueError:
        shapes = ", ".join(f"{name} {np.shape(value)}" for name, value in lists.items())
        raise wrong(f"the shapes do not fit together: {shapes}") from None
    study = Study(dict(zip(lists, arrays)), {}, arrays[0].shape)
    with InputFiles(full, inputs) as driven:
        return _run(study, driven, method, options, columns, rows, progress)


def draws(members: int, distributions: Mapping[str, tuple], *, seed: int = 0,
          sampling: str = "random") -> dict[str, np.ndarray]:
    """Values for `ensemble`: an array of each name, drawn from ("normal", mean, deviation) or ("uniform", low, high).

    sampling: "random", "latin" (hypercube) or "sobol". The same seed gives the same numbers on every machine, those that
    `alembert sweep --draw` has.

    >>> import alembert
    >>> thrown = alembert.draws(1000, {"y'": ("normal", 0, 0.1)}, seed=1)
    >>> study = alembert.ensemble("models/pendulum.alm", values=thrown, end=0.1, columns=["energy.initial"])
    >>> study["y'"].shape, bool(abs(study["y'"].std() - 0.1) < 0.01)
    ((1000,), True)
    """
    if isinstance(members, bool) or not isinstance(members, (int, np.integer)):
        raise TypeError("members must be a whole number")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError("seed must be a whole number")
    if members < 1 or not 0 <= seed < 2**63:
        raise wrong("`members` is at least 1, `seed` from 0 to 2^63 - 1")
    if sampling not in ("random", "latin", "sobol"):
        near = nearest(str(sampling), ["random", "latin", "sobol"])
        raise wrong(f"`sampling` knows no '{sampling}'", f"did you mean '{near}'?" if near else "random, latin or sobol")
    if not isinstance(distributions, Mapping) or not distributions:
        raise TypeError("distributions must be a dict: {\"x\": (\"normal\", 0, 0.1)}")
    asked = []
    for name, given in distributions.items():
        if not isinstance(given, (tuple, list)) or len(given) != 3 or given[0] not in ("normal", "uniform"):
            raise wrong(f"`{name}` wants (\"normal\", mean, deviation) or (\"uniform\", low, high), not {given!r}")
        asked.append((str(name), given[0], number(name, given[1]), number(name, given[2])))
    if members > 2**53:
        raise wrong(f"`members` is at most 2^53 = {2**53}")
    if members * len(asked) > _MOST_DRAWS:
        raise wrong(f"{members} members do not fit into memory", "`alembert sweep --draw` runs any number of them")
    table = _core.draws(asked, int(members), int(seed), sampling)
    return {name: np.ascontiguousarray(table[:, i]) for i, (name, *_) in enumerate(asked)}


def _axis(model: Model, name: str, value: np.ndarray) -> np.ndarray:
    entries = _entries(model, name)[0]
    if entries:
        raise wrong(f"`{name}` is a vector, and no axis", f"vary its entries, values={{{entries[0]!r}: [...]}}, or take ensemble()")
    result = array(name, value)
    if len(np.unique(result)) != len(result):
        raise wrong(f"`{name}` has a value twice")
    return result


def _entries(model: Model, name: str) -> tuple[list[str], tuple[int, ...]]:
    """The entries of what the model has as a vector, and its shape; none of a single number."""
    base, dots = name.rstrip("'"), name[len(name.rstrip("'")):]
    shape = np.shape(model.parameters.get(name, 0.0))
    if not shape:
        pattern = re.compile(re.escape(base) + r"((?:\[\d+\])+)" + re.escape(dots))
        places = [tuple(map(int, re.findall(r"\d+", m[1]))) for m in map(pattern.fullmatch, model.states) if m]
        shape = tuple(max(p[k] for p in places) for k in range(len(places[0]))) if places else ()
    entries = [base + "".join(f"[{i + 1}]" for i in index) + dots for index in np.ndindex(*shape)] if shape else []
    return entries, shape


def _prepared(function: str, model: Any, values: Any, observe: Any, keywords: dict) -> tuple[Model, Any, dict[str, np.ndarray]]:
    """The model with what holds for all members, the options, and what is varied."""
    options = make_options(**{key: keywords.pop(key) for key in list(keywords) if key in OPTIONS})
    given = merge(values, keywords)
    full = as_model(model)
    check_keywords(function, full, given, [*OPTIONS, "method", "columns", "rows", "observe", "inputs", "progress", "values"])
    if observe is not None:
        full = full.observing(*names_of("observe", observe))
    varied: dict[str, np.ndarray] = {}
    for name, value in given.items():
        entries, shape = _entries(full, name)
        if is_list(value) and not (entries and np.shape(value) == shape):  # a vector of that shape is that of all members
            varied[name] = array(name, value, any_shape=True)
            if varied[name].size == 0:
                raise wrong(f"`{name}` has no values")
    full = full.set({name: value for name, value in given.items() if name not in varied})
    if not varied:
        raise wrong("nothing is varied", f"give a list of values: {function}(model, m2=[1, 0.1])")
    return full, options, varied


def _stays_open(model: Model, name: str) -> bool:
    try:
        model._source.derive([name], False)
    except InputError:
        return False
    return True


def _run(study: Study, model: Model, method: Any, options: Any, columns: Any, rows: bool, progress: Any) -> Study:
    """One compilation serves all members whose values can stay open; the others are grouped by them."""
    study.title = model.title
    names = list(study.given)
    # A name that the model does not have is an error of its own, with a place.
    model.set({name: float(np.ravel(study.given[name])[0]) for name in names})
    opened = [name for name in names if _stays_open(model, name)]
    closed = [name for name in names if name not in opened]
    flat = {name: np.ravel(study.given[name]) for name in names}
    table = np.column_stack([flat[name] for name in opened]) if opened else np.empty((len(flat[names[0]]), 0))
    groups: dict[tuple, list[int]] = {}
    for i in range(len(table)):
        groups.setdefault(tuple(float(flat[name][i]) for name in closed), []).append(i)
    wanted = names_of("columns", columns)
    if wanted and "t" not in wanted:
        wanted.append("t")  # how far each came; tables begin with it, as those of runs do
    waiting = np.full(len(table), True)
    with Progress(progress, "running") as show:
        done = 0
        for common, together in groups.items():
            part = model.set({name: int(v) if v.is_integer() else v for name, v in zip(closed, common)})
            for members in np.array_split(np.array(together), -(-len(together) // _AT_ONCE)):
                told = None if show is None else \
                    (lambda share, d=done, n=len(members): show((d + share * n) / len(table)))
                result = _core.sweep(part._source, method_name(method), opened, np.ascontiguousarray(table[members]),
                                     options, wanted, truth("rows", rows), told)
                if len(result.failures) == len(members):  # fewer where it was ended before any began
                    study._take(result, members)
                    waiting[members] = False
                if result.raised is not None:
                    study.failures.flat[waiting.nonzero()[0]] = "interrupted"
                    setattr(result.raised, "study", study)
                    raise result.raised
                done += len(members)
    codes = sorted({warning.code for _, warning in study.warnings})
    for code in codes:
        seen = [(i, w) for i, w in study.warnings if w.code == code]
        python_warnings.warn(RunWarning(f"{len({i for i, _ in seen})} of {len(table)} runs: {seen[0][1].text}", code,
                                        seen[0][1].t), stacklevel=3)
    return study


# What is measured --------------------------------------------------------------------------------------------------------
def _found(told: tuple) -> Findings:
    if told[5] is not None:
        raise told[5]
    return Findings(told)


def check(model: Any, *, values: Optional[Mapping[str, Any]] = None, **named: Any) -> Findings:
    """What a model is, whether its initial values are consistent, and which methods take it.

    >>> import alembert
    >>> alembert.check("models/double_pendulum.alm").degrees_of_freedom
    2
    """
    full = with_values("check", model, values, named, ["values"])
    found = _found(_core.examine(full._source))
    if full.method:
        try:
            refused = _core.find_method(full.method).refusal(full._source)
        except InputError as error:
            setattr(error, "check", found)
            raise
        if refused:
            refusal = wrong(f"{full.method} does not take this model", refused)
            setattr(refusal, "check", found)
            raise refusal
    return found


def verify(model: Any, method: Any = None, *, step: Optional[float] = None, end: Optional[float] = None,
           seconds: float = 5.0, values: Optional[Mapping[str, Any]] = None, **named: Any) -> Findings:
    """What a method really preserves on a model, measured beside what it claims; `failed` where a claim is false.

    >>> import alembert
    >>> alembert.verify("models/pendulum.alm", "lobatto(2)", step=0.02, end=1).failed
    False
    """
    full = with_values("verify", model, values, named, ["method", "step", "end", "seconds", "values"])
    return _found(_core.verify(full._source, method_name(method), np.nan if step is None else number("step", step),
                               np.nan if end is None else number("end", end), number("seconds", seconds)))


def converge(model: Any, methods: Any = None, *, steps: Optional[Sequence[float]] = None, end: Optional[float] = None,
             quad: bool = False, progress: Any = False, values: Optional[Mapping[str, Any]] = None,
             **named: Any) -> Findings:
    """Measured orders and work of methods on a model, against a reference in quadruple precision.

    >>> import alembert
    >>> measured = alembert.converge("models/pendulum.alm", "gauss(2)", steps=[0.1, 0.05], end=1)
    >>> round(measured["methods"][0].observed.q, 1)
    4.0
    """
    full = with_values("converge", model, values, named, ["methods", "steps", "end", "quad", "progress", "values"])
    if methods is None:
        methods = []
    elif not is_list(methods):
        methods = [methods]
    names = [method_name(m) for m in methods]
    if len(set(names)) != len(names):
        raise wrong("`methods` names a method twice")
    with Progress(progress, "measuring") as show:
        return _found(_core.converge(full._source, names, [] if steps is None else array("steps", steps).tolist(),
                                     None if end is None else number("end", end), truth("quad", quad), show))


# Equations ---------------------------------------------------------------------------------------------------------------
class Equations:
    """The equations of motion of a model: `print(e)`, `e.latex`, `e.sympy("reduced")`.

    >>> import alembert
    >>> e = alembert.derive("models/pendulum.alm")
    >>> e.sympy("g")[0]
    -l**2 + x**2 + y**2
    """

    LETTERS = ("t", "y", "z", "lambda", "psi", "z_dot", "v", "p", "f", "N", "r", "g", "g_dot", "k", "energy", "L",
               "invariants", "observed", "reduced")

    def __init__(self, model: Model, form: str, numbers: bool, everything: bool):
        self._made = (model, form, numbers, everything)
        self._core = model._source.derive([], not numbers)
        self._form = form
        self._all = everything

    def __reduce__(self) -> tuple:
        return Equations, self._made

    @property
    def text(self) -> str:
        """As `alembert derive` prints them."""
        return self._core.show(self._form, False, self._all)

    @property
    def latex(self) -> str:
        """A document with an align* environment a section."""
        return self._core.show(self._form, True, self._all)

    def sympy(self, letter: Optional[str] = None) -> Any:
        """Expressions of SymPy: the list that a letter of the theory stands for, or a dictionary of all that are not
        empty. `reduced` = 0 determines the accelerations `z_dot` and the multipliers."""
        if letter is None:
            return {name: found for name in self.LETTERS if (found := self.sympy(name))}
        if not isinstance(letter, str):
            raise TypeError(f"a letter is needed, not {type(letter).__name__}")
        nodes, places = self._core.nodes(letter)
        made = _sympy_nodes(nodes)
        return [made[i] for i in places]

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_html_(self) -> str:
        import html
        return f"<pre>{html.escape(self.text)}</pre>"


def _sympy_nodes(nodes: list[tuple]) -> list:
    import sympy
    one = {"negate": lambda a: -a, "abs": sympy.Abs, "sign": sympy.sign,
           "positive": lambda a: sympy.Piecewise((1, a > 0), (0, True))}
    two = {"add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
           "divide": lambda a, b: a / b, "power": lambda a, b: a ** b, "min": sympy.Min, "max": sympy.Max,
           "hypot": lambda a, b: sympy.sqrt(a ** 2 + b ** 2), "atan2": sympy.atan2,
           "where": lambda a, b: sympy.Piecewise((b, sympy.Ne(a, 0)), (0, True))}
    made: list = []
    for op, *rest in nodes:
        if op == "constant":
            made.append(_sympy_number(rest[0]))
        elif op == "symbol":
            made.append(sympy.Symbol(rest[0], real=True))
        elif op == "table":
            made.append(sympy.Function(rest[0])(made[rest[1]]))
        elif len(rest) == 1:
            made.append(one.get(op, getattr(sympy, op, None))(made[rest[0]]))
        else:
            made.append(two[op](made[rest[0]], made[rest[1]]))
    return made


def _sympy_number(text: str) -> Any:
    """A fraction where it is a simple one: the library keeps 1/3 with 36 digits."""
    from fractions import Fraction

    import sympy
    exact = Fraction(text)
    simple = exact.limit_denominator(10000)
    if abs(simple - exact) <= abs(exact) * Fraction(1, 10 ** 33):
        return sympy.Rational(simple.numerator, simple.denominator)
    return sympy.Float(text, 36) if len(text) > 20 else sympy.Rational(text)


def derive(model: Any, *, form: str = "all", numbers: bool = False, all: bool = False,
           values: Optional[Mapping[str, Any]] = None, **named: Any) -> Equations:
    """The equations behind a model. form: 'all', or one system: 'index1', 'index2', 'ggl'. numbers: with the values of
    the parameters instead of their names. all: every equation, however many and however long.

    >>> import alembert
    >>> e = alembert.derive("models/pendulum.alm")
    >>> e.sympy("g_dot")
    [2*x*x' + 2*y*y']
    """
    if not isinstance(form, str):
        raise TypeError(f"form must be a text, not {type(form).__name__}")
    full = with_values("derive", model, values, named, ["form", "numbers", "all", "values"])
    equations = Equations(full, form, truth("numbers", numbers), truth("all", all))
    if form != "all":
        equations.text  # says what is wrong with the form
    return equations


# Methods -----------------------------------------------------------------------------------------------------------------
Method = _core.Method
Method.__doc__ = """A method with its arguments bound: name, stages, order (of q, v, multiplier), what it claims to preserve.

    >>> import alembert
    >>> alembert.method("gauss(2)")
    Method(gauss(2): order 4)
    """
setattr(Method, "__repr__", lambda self: f"Method({self.name}: order {self.order[0]})")
setattr(Method, "__reduce__", lambda self: (method, (self.name,)))


@dataclass(frozen=True)
class MethodFamily:
    """A family of methods, as `alembert methods` lists it.

    >>> import alembert
    >>> next(m.example for m in alembert.methods() if m.signature == "gauss(s)")
    'gauss(2)'
    """

    signature: str
    summary: str
    source: str
    orders: str
    example: str
    aliases: tuple[str, ...]


def methods() -> list[MethodFamily]:
    """All families.

    >>> import alembert
    >>> [m.orders for m in alembert.methods() if m.signature == "lobatto(s)"]
    ['2s-2']
    """
    return [MethodFamily(d[0], d[1], d[2], d[3], d[4], tuple(d[5])) for d in _core.describe_methods()]


def method(name: str) -> Method:
    """One of them.

    >>> import alembert
    >>> alembert.method("lobatto(3)").order, alembert.method("rattle").name
    ((4, 4, 4), 'lobatto(2)')
    """
    if not isinstance(name, str):
        raise TypeError(f"a method is named by a text such as 'lobatto(3)', not {type(name).__name__}")
    return _core.find_method(method_name(name))
