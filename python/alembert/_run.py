"""Runs: simulate, what it gives, files."""

from __future__ import annotations

import functools
import html
import os
import re
import warnings as python_warnings
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core
from ._model import InputFiles, _parameters, with_values
from ._progress import Progress
from ._report import Report
from ._values import array, check_ending, nearest, names_of, number, path_of, truth, unicode, whole
from .errors import RunError, RunWarning, wrong

if TYPE_CHECKING:
    import pandas
    import xarray

__all__ = ["Run", "Event", "simulate", "load"]

_CONTROLS = ["fixed", "tolerance", "reversible"]
_GUESSES = ["extrapolated", "naive", "educated"]
_LIMITS = {"tolerance": "tolerance", "absolute": "tolerance", "largest": "tolerance", "growth": "tolerance",
           "shrink": "tolerance", "good_steps": "tolerance", "smallest": "tolerance or reversible", "most_steps": ""}
# Rows of a picture: more than a screen has columns.
_SHOWN_ROWS = 3000


class Event:
    """An event that was found: `name`, `t`, and the values behind it, `event["x1"]`: of all columns of a run, of the state of a
    stepper. `kind` is what a contact did (impact, close, open, stick, slip, reverse), '' elsewhere; `note` what is to be said of it.

    >>> import alembert
    >>> run = alembert.simulate("models/bouncing_ball.alm", end=1)
    >>> [(e.name, e.kind, round(e.t, 6)) for e in run.events]
    [('floor', 'impact', 0.451524)]
    >>> run.events[0]["y'"] > 0
    True
    """

    def __init__(self, name: str, row: np.ndarray, columns: Callable[[str], list[int]], kind: str = "", note: str = ""):
        self.name = name
        self.row = row
        self.kind = kind
        self.note = note
        self._columns = columns

    @property
    def t(self) -> float:
        """When it was."""
        return float(self.row[0])

    def __getitem__(self, name: str) -> Union[float, np.ndarray]:
        columns = self._columns(name)
        return float(self.row[columns[0]]) if len(columns) == 1 else self.row[columns]

    def __repr__(self) -> str:
        return f"Event({self.name!r}, t={self.t:.12g}" + (f", {self.kind})" if self.kind else ")")


class Run:
    """The rows of a run, as NumPy arrays that nobody copied, and its report.

    >>> import alembert
    >>> run = alembert.simulate("models/pendulum.alm", step=0.01, end=1)
    >>> run.t.shape, run.q.shape, run["x"].shape
    ((101,), (101, 2), (101,))
    >>> bool(run.report.residual.position < 1e-14)
    True
    """

    def __init__(self, data: _core.RunData):
        self._data = data

    # The rows -------------------------------------------------------------------------------------------------------
    @functools.cached_property
    def rows(self) -> np.ndarray:
        """All of them, a column for each of `names`; read-only, in the run's own memory."""
        return self._data.rows

    @functools.cached_property
    def names(self) -> list[str]:
        """The names of the columns of `rows`."""
        return self._data.names

    @property
    def units(self) -> dict[str, str]:
        """Of the columns whose units the model gives."""
        return {name: unit for name, unit in zip(self.names, self._data.units) if unit}

    @property
    def t(self) -> np.ndarray:
        """The times of the rows."""
        return self.rows[:, 0]

    @functools.cached_property
    def _groups(self) -> dict[str, tuple[int, int]]:
        return self._data.groups

    def _group(self, name: str) -> np.ndarray:
        begin, end = self._groups[name]
        return self.rows[:, begin:end]

    @property
    def q(self) -> np.ndarray:
        """Coordinates, a column each."""
        return self._group("q")

    @property
    def v(self) -> np.ndarray:
        """The other half of the state: velocities, or momenta in the Hamiltonian form."""
        return self._group("v")

    @property
    def momenta(self) -> np.ndarray:
        """Momenta, in the Lagrangian form."""
        return self._group("momenta")

    @property
    def multipliers(self) -> np.ndarray:
        """Forces of the constraints, a column each."""
        return self._group("multipliers")

    @property
    def residuals(self) -> np.ndarray:
        """Largest |g|, |g'|, |k| of each row, as far as the model has such."""
        return self._group("residuals")

    @property
    def invariants(self) -> np.ndarray:
        """What the model conserves, a column each."""
        return self._group("invariants")

    @property
    def observed(self) -> np.ndarray:
        """What the model observes, a column each."""
        return self._group("observed")

    @property
    def ports(self) -> np.ndarray:
        """Inputs, outputs and energies of a port-Hamiltonian system."""
        return self._group("ports")

    @property
    def energy(self) -> Optional[np.ndarray]:
        """None where the model has none."""
        begin, end = self._groups["energy"]
        return self.rows[:, begin] if end > begin else None

    def group_names(self, group: str) -> list[str]:
        """The names of the columns of `q`, `v`, `multipliers`, ..."""
        if group not in self._groups:
            raise KeyError(f"there is no group '{group}': there are {', '.join(self._groups)}")
        begin, end = self._groups[group]
        return self.names[begin:end]

    def _columns(self, name: str) -> list[int]:
        if not isinstance(name, str):
            raise TypeError(f"columns have names, such as run['x1'], not {type(name).__name__}")
        columns = [0] if name == "t" else self._data.columns_named(name)
        if not columns:
            near = nearest(name, self.names)
            raise KeyError(f"the run has no column '{name}'" + (f": did you mean '{near}'?" if near else ""))
        return columns

    def __getitem__(self, name: str) -> np.ndarray:
        """A column by its name; the columns of a vector by its name alone."""
        columns = self._columns(name)
        if len(columns) == 1 and (name == self.names[columns[0]] or "[" not in self.names[columns[0]]):
            return self.rows[:, columns[0]]
        if columns == list(range(columns[0], columns[-1] + 1)):
            return self.rows[:, columns[0]:columns[-1] + 1]
        return self.rows[:, columns]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name == "t" or bool(self._data.columns_named(name)))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def keys(self) -> list[str]:
        """The names of all columns."""
        return list(self.names)

    def __len__(self) -> int:
        return len(self.rows)

    @functools.cached_property
    def events(self) -> list[Event]:
        """Every event that was found, in the order of time."""
        names, rows, numbers = self._data.event_names, self._data.event_rows, self._data.event_numbers
        kinds, notes = self._told[2] or [""] * len(numbers), self._told[3] or [""] * len(numbers)
        return [Event(names[k], rows[i], self._columns, kinds[i], notes[i]) for i, k in enumerate(numbers)]

    # What is said of it ---------------------------------------------------------------------------------------------
    @functools.cached_property
    def report(self) -> Report:
        """Empty for a run that was read from a file."""
        return Report(self._told[0], self._told[1])

    @functools.cached_property
    def _told(self) -> tuple[dict[str, Any], str, list[str], list[str]]:
        return self._data.told

    @property
    def warnings(self) -> list[RunWarning]:
        """What may be other than it seems, a `RunWarning` each."""
        return [RunWarning(text, code, t) for code, text, t in self._data.warnings]

    @property
    def ending(self) -> str:
        """'done', 'failed' or 'interrupted'."""
        return self._data.ending

    @property
    def reason(self) -> str:
        """Why it failed; '' where it did not."""
        return self._data.reason

    @property
    def account(self) -> Optional[Report]:
        """Where the energy went: initial, supplied, dissipated, final, max_error. None where the model has no energy."""
        return self.report.get("energy") if self._data.has_report else None

    @functools.cached_property
    def _description(self) -> dict[str, Any]:
        return self._data.description

    @property
    def title(self) -> str:
        """What the model calls itself."""
        return self._description["model"]

    @property
    def model_text(self) -> str:
        """The text of the model."""
        return self._description["model_text"]

    @property
    def method(self) -> str:
        """The method that made it."""
        return self._description["method"]

    @property
    def step(self) -> float:
        """The size of its steps, or of the first one."""
        return self._description["step"]

    @property
    def version(self) -> str:
        """Of the alembert that made it."""
        return self._description["version"]

    @property
    def parameters(self) -> dict[str, Union[float, np.ndarray]]:
        """The values that they had."""
        return _parameters(self._description["parameters"])

    # Other forms ----------------------------------------------------------------------------------------------------
    def to_pandas(self) -> "pandas.DataFrame":
        """A DataFrame with t as its index."""
        import pandas
        return pandas.DataFrame(self.rows, columns=self.names).set_index("t")

    def to_xarray(self) -> "xarray.Dataset":
        """A Dataset over t; vectors are variables of more dimensions."""
        import xarray
        variables = {}
        for name, columns, shape in _quantities(self.names[1:]):
            values = self.rows[:, [1 + c for c in columns]] if shape else self.rows[:, 1 + columns[0]]
            axes = [f"{name}_{k}" for k in range(1, len(shape) + 1)]
            variables[name] = (["t", *axes], values.reshape(len(self), *shape))
        attributes = {k: v for k, v in self._description.items() if k in ("model", "method", "step", "version")}
        return xarray.Dataset(variables, coords={"t": self.t}, attrs=attributes)

    def save(self, path: Any, columns: Optional[Sequence[str]] = None) -> None:
        """Writes the rows (.csv, .h5, .json; numbers read back to the same bits), a figure (.svg) or a page (.html)."""
        place = path_of(path)
        if place.endswith((".svg", ".html")):
            if columns is not None:
                raise wrong("`columns` chooses those of a table: .csv, .h5 or .json")
            with open(place, "w", encoding="utf-8") as file:
                file.write(self.svg() if place.endswith(".svg") else self.html())
            return
        check_ending(place, [".csv", ".h5", ".json", ".svg", ".html"])
        self._data.save(os.fsencode(place), names_of("columns", columns))

    def svg(self) -> str:
        """The figure that `alembert run --plot` draws."""
        return self._data.svg(_SHOWN_ROWS)

    def html(self) -> str:
        """A page with the animation, the figure and the report; it needs nothing else."""
        return self._data.page(_SHOWN_ROWS)

    def plot(self, *names: str, axes: Any = None) -> Any:
        """Draws columns over time with matplotlib: those that are named, else a panel for each group. Gives the axes."""
        from matplotlib import pyplot
        if names:
            groups = [("", list(names))]
        else:
            groups = [(g, self.group_names(g)) for g in ("q", "v", "multipliers", "energy", "invariants", "observed")]
            groups = [(g, n) for g, n in groups if n] or [("", self.names[1:])]
        if axes is None:
            _, axes = pyplot.subplots(len(groups), 1, sharex=True, squeeze=False, layout="constrained",
                                      figsize=(7, 2 + 1.6 * len(groups)))
            axes = list(axes[:, 0])
        elif not isinstance(axes, (list, tuple, np.ndarray)):
            axes = [axes]
        if len(axes) < len(groups):
            raise wrong(f"{len(groups)} axes are needed, not {len(axes)}")
        for ax, (group, members) in zip(axes, groups):
            for name in members:
                ax.plot(self.t, self[name], label=name)
            if group:
                ax.set_ylabel({"q": "coordinates", "v": "velocities"}.get(group, group))
            if len(members) <= 8:
                ax.legend(loc="upper right", fontsize="small")
        axes[len(groups) - 1].set_xlabel("t")
        return axes[0] if len(groups) == 1 else axes

    def __reduce__(self) -> tuple:
        return _run_again, (_core.run_state(self._data),)

    def __repr__(self) -> str:
        ended = "" if self.ending == "done" else f", {self.ending}"
        last = f" to t = {self.t[-1]:.12g}" if len(self) else ""
        return f"Run({self.title or 'rows'}: {self.method or 'unknown method'}, {len(self)} rows{last}{ended})"

    def _repr_html_(self) -> str:
        page = html.escape(self.html(), quote=True)
        return (f'<iframe srcdoc="{page}" style="width:100%;height:620px;border:0" '
                f'title="{html.escape(self.title)}"></iframe>')


def _run_again(state: tuple) -> Run:
    return Run(_core.run_again(state))


def _quantities(names: Sequence[str]) -> Iterator[tuple[str, list[int], tuple[int, ...]]]:
    """(name, columns, shape): neighbouring entries r[1], r[2] are one quantity."""
    pattern = re.compile(r"^(.*?)((?:\[\d+\])+)('?)$")
    at = 0
    while at < len(names):
        match = pattern.match(names[at])
        members, places = [], []
        if match:
            for column in range(at, len(names)):
                other = pattern.match(names[column])
                if not other or (other[1], other[3]) != (match[1], match[3]):
                    break
                members.append(column)
                places.append(tuple(int(i) for i in re.findall(r"\d+", other[2])))
        shape = tuple(max(p[k] for p in places) for k in range(len(places[0]))) if places else ()
        regular = places and all(len(p) == len(shape) for p in places) and \
            places == [tuple(k + 1 for k in index) for index in np.ndindex(*shape)]
        if match and regular:
            yield match[1] + match[3], members, shape
            at = members[-1] + 1
        else:
            yield names[at], [at], ()
            at += 1


def make_options(*, step: Any = None, end: Any = None, control: Any = None, tolerance: Any = None, absolute: Any = None,
                 smallest: Any = None, largest: Any = None, growth: Any = None, shrink: Any = None,
                 good_steps: Any = None, most_steps: Any = None, every: Any = None, at: Any = None, sample: Any = None,
                 strict: Any = False, guess: Any = None, newton: Any = None, newton_tolerance: Any = None,
                 dirac: Any = False) -> _core.Options:
    """The options of a run; what is None stays as the library has it."""
    options = _core.options()
    if step is not None:
        options.step = number("step", step)
        if options.step == 0:
            raise wrong("`step` must not be 0")
    if end is not None:
        options.end = number("end", end)
    if control is None:
        control = "fixed" if tolerance is None else "tolerance"
    options.control = _choice("control", control, _CONTROLS)
    given = dict(tolerance=tolerance, absolute=absolute, largest=largest, growth=growth, shrink=shrink,
                 good_steps=good_steps, smallest=smallest, most_steps=most_steps)
    for name, value in given.items():
        if value is None:
            continue
        needed = _LIMITS[name]
        if needed and control not in needed.split(" or "):
            raise wrong(f"`{name}` has no meaning here", f"it goes with control={needed!r}")
        value = float(whole(name, value)) if name in ("good_steps", "most_steps") else number(name, value)
        if value <= 0:
            raise wrong(f"`{name}` must be above 0, not {value:g}")
        options.limit(name, value)
    if every is not None:
        options.every = whole("every", every)
    if at is not None:
        options.at = array("at", at).tolist()
    if sample is not None:
        options.sample = number("sample", sample)
        if options.sample <= 0:
            raise wrong(f"`sample` must be above 0, not {options.sample:g}")
    options.strict = truth("strict", strict)
    options.dirac = truth("dirac", dirac)
    if guess is not None:
        options.guess = _choice("guess", guess, _GUESSES)
    if newton is not None:
        options.two_matrix = _choice("newton", newton, ["exact", "two-matrix"]) == 1
    if newton_tolerance is not None:
        options.newton_tolerance = number("newton_tolerance", newton_tolerance)
        if not 0 <= options.newton_tolerance < 1:
            raise wrong(f"`newton_tolerance` is at least 0 and below 1, not {newton_tolerance:g}")
    return options


OPTIONS = [name for name in make_options.__kwdefaults__]


def _choice(name: str, value: Any, words: Sequence[str]) -> int:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be one of {', '.join(words)}, not {type(value).__name__}")
    if value not in words:
        near = nearest(value, words)
        raise wrong(f"`{name}` is {', '.join(words[:-1])} or {words[-1]}, not '{value}'",
                    f"did you mean '{near}'?" if near else "")
    return list(words).index(value)


def method_name(method: Any) -> str:
    if method is None:
        return ""
    name = getattr(method, "name", method)
    if not isinstance(name, str):
        raise TypeError(f"a method is named by a text such as 'lobatto(3)', not {type(method).__name__}")
    if not name.strip():
        raise wrong("`method` is empty", "such as 'lobatto(3)'; leave it out for the model's own")
    return unicode("method", name)


def simulate(model: Any, method: Any = None, *, step: Optional[float] = None, end: Optional[float] = None,
             at: Optional[Sequence[float]] = None, sample: Optional[float] = None, every: Optional[int] = None,
             control: Optional[str] = None, tolerance: Optional[float] = None, absolute: Optional[float] = None,
             smallest: Optional[float] = None, largest: Optional[float] = None, growth: Optional[float] = None,
             shrink: Optional[float] = None, good_steps: Optional[int] = None, most_steps: Optional[int] = None,
             observe: Union[str, Sequence[str], None] = None, inputs: Optional[Mapping[str, Any]] = None,
             strict: bool = False, newton: Optional[str] = None, newton_tolerance: Optional[float] = None,
             guess: Optional[str] = None, dirac: bool = False, values: Optional[Mapping[str, Any]] = None,
             progress: Union[bool, Callable[[float], Any]] = False, raises: bool = True, **named: Any) -> Run:
    """Integrates a model, as `alembert run` does, and gives its rows and its report.

    model: a Model, a ModelBuilder, the path of a file, or a Stepper (then the run begins where it stands, with its
    method). method: 'lobatto(3)'; 'auto' chooses one that suits the model, and so does
    None where a tolerance is given; else None is the model's own, or lobatto(3). Other keywords are either options or values of parameters
    and initial values of the model; `values={"x1'": 2}` takes names that are no words of Python.

    step, end            step size (or the first one) and end of time; the model's where not given
    at, sample, every    rows at these times; at multiples of a time; at every Nth step
    control              'fixed', 'tolerance', 'reversible'
    tolerance, absolute, smallest, largest, growth, shrink, good_steps, most_steps      limits of the steps
    observe              expressions to record beside the model's own
    inputs               {'F': 'wind.csv'} or {'F': (t, F)}: inputs of the model that follow tables of their time
    strict               a warning ends the run
    newton, newton_tolerance, guess, dirac      for experts, as in the program
    progress             True: a bar; or a function of the fraction that is done
    raises               False: a run that fails is returned, with ending 'failed', instead of raising RunError

    Warnings of the run are Python warnings (RunWarning) and stand in run.warnings.

    >>> import alembert, numpy
    >>> run = alembert.simulate("models/pendulum.alm", "gauss(3)", step=0.02, at=numpy.linspace(0, 1, 5), end=1, l=2)
    >>> run.t
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    >>> round(float(run["x"][0]), 12)
    2.0
    """
    options = make_options(
        step=step, end=end, control=control, tolerance=tolerance, absolute=absolute, smallest=smallest, largest=largest,
        growth=growth, shrink=shrink, good_steps=good_steps, most_steps=most_steps, every=every, at=at, sample=sample,
        strict=strict, guess=guess, newton=newton, newton_tolerance=newton_tolerance, dirac=dirac)
    truth("raises", raises)
    from ._stepper import Stepper
    with Progress(progress, "simulating") as show:
        if isinstance(model, Stepper):
            if method is not None or inputs or observe or values or named:
                raise TypeError("a stepper has its method and its values: set them before")
            data = model.follow(options, show)
        else:
            names = [*OPTIONS, "method", "inputs", "observe", "values", "progress", "raises"]
            full = with_values("simulate", model, values, named, names)
            if observe is not None:
                full = full.observing(*names_of("observe", observe))
            with InputFiles(full, inputs) as driven:
                data = _core.simulate(driven._source, method_name(method), options, show)
    return finished(Run(data), data, raises)


def finished(run: Run, data: _core.RunData, raises: bool) -> Run:
    if data.raised is not None:
        setattr(data.raised, "run", run)
        raise data.raised
    for warning in run.warnings:
        python_warnings.warn(warning, stacklevel=3)
    if raises and run.ending == "failed":
        raise RunError(run.reason, float(run.t[-1]) if len(run) else 0.0, run)
    return run


def load(path: Any) -> Run:
    """The rows of a file that a run, or `Run.save`, wrote: .csv, .h5 or .json. One whose writing was cut short is read up to its
    last whole row, with a RunWarning.

    >>> import alembert, os, tempfile
    >>> run = alembert.simulate("models/pendulum.alm", step=0.01, end=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run.save(os.path.join(folder, "swing.h5"))
    ...     again = alembert.load(os.path.join(folder, "swing.h5"))
    >>> bool((again.rows == run.rows).all()), again.method
    (True, 'lobatto(3)')
    """
    place = path_of(path)
    with open(place, "rb"):  # what Python raises where it cannot be read
        pass
    run = Run(_core.load(os.fsencode(place)))
    for warning in run.warnings:
        python_warnings.warn(warning, stacklevel=2)
    return run
