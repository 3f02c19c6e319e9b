"""Steps in the hand: for control loops, and whatever is not a plain run."""

from __future__ import annotations

import functools
import itertools
import re
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _core
from ._model import Model, merge, with_values
from ._run import Event, method_name
from ._values import array, is_list, names_of, nearest, number, unicode, whole
from .errors import InputError, wrong

if TYPE_CHECKING:
    import pandas

    from ._run import Run

__all__ = ["Stepper", "Moved", "Record", "compile"]


class Moved(NamedTuple):
    """A value that was given and had to be moved for the constraints to hold.

    >>> import alembert
    >>> s = alembert.compile("models/pendulum.alm", step=0.01)
    >>> [(one.name, one.given, round(one.value, 12)) for one in s.restart(y=0.5)]
    [('x', 1.0, 0.894427191), ('y', 0.5, 0.4472135955)]
    """

    name: str
    given: float
    value: float


class Stepper(_core.Stepper):
    """A motion, the compiled code that makes it, and where it stands.

    >>> import alembert
    >>> s = alembert.compile("models/pendulum.alm", "lobatto(3)", inputs=["l"], step=0.01)
    >>> s.names, s.inputs, s.t
    (['x', 'y', "x'", "y'"], ['l'], 0.0)
    >>> s.step()
    >>> s.steps(99)
    >>> round(s.t, 12), s.steps_made
    (1.0, 100)
    >>> other = s.copy()
    >>> s.steps(10); other.steps(10)
    >>> bool((s.state == other.state).all())
    True

    One thread at a time may use a stepper; a copy shares the code and goes its own way, in a thread of its own. The GIL
    is not held while `steps` runs.
    """

    def __init__(self, model: Model, method: str, inputs: list[str], start: float, step: float, steps: float):
        super().__init__(model._source, method, inputs, start, step, steps)
        self._made = (model, method, inputs, start, step, steps)

    @property
    def model(self) -> Model:
        """The model that it was compiled from."""
        return self._made[0]

    def copy(self) -> "Stepper":
        """Another one that stands where this one stands."""
        other = Stepper.__new__(Stepper)
        _core.Stepper.__init__(other, self)
        other._made = self._made
        return other

    __copy__ = copy

    def __deepcopy__(self, _: Any) -> "Stepper":
        return self.copy()

    def __reduce__(self) -> tuple:
        return _again, (self._made, self.save())

    @property
    def events(self) -> list[Event]:
        """The events of the last `step`, or of all steps of the last `steps`; `run` keeps those of all its steps."""
        return [Event(name, np.array([t, *state]), functools.partial(_places, ["t", *self.names]), kind, note)
                for name, t, state, kind, note in self.event_records]

    def load(self, data: Any) -> None:
        """Stands where a stepper of the same model stood that gave these bytes by `save()`."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"bytes are needed, which save() gave, not {type(data).__name__}")
        super().load(bytes(data))

    def __getitem__(self, name: str) -> Union[float, np.ndarray]:
        """Anything by its name: a state, an input, 't', 'energy', 'lambda.rod', what the model observes. Of a vector: all its
        entries."""
        if not isinstance(name, str):
            raise TypeError(f"values have names, such as s['x1'], not {type(name).__name__}")
        try:
            return self.value(unicode("a name", name))
        except InputError:
            found = self._entries(name)
            if not found:
                raise
            return np.array(found)

    def _entries(self, name: str) -> list[float]:
        """Of a vector, or of a family of them: r[1], r[2], or r[1][1], r[1][2], r[2][1], ..."""
        base, dots = name.rstrip("'"), name[len(name.rstrip("'")):]
        found: list[float] = []
        for i in itertools.count(1):
            entry = f"{base}[{i}]{dots}"
            try:
                found.append(self.value(entry))
            except InputError:
                deeper = self._entries(entry) if name.count("[") < 2 else []
                if not deeper:
                    return found
                found += deeper
        raise AssertionError  # count() never ends

    def __setitem__(self, name: str, value: Any) -> None:
        self.set({name: value})

    def set(self, values: Optional[Mapping[str, Any]] = None, **named: Any) -> None:
        """Sets inputs and entries of the state, or whole vectors of them; other entries move the shortest way onto the
        constraints."""
        self.set_values(self._numbers(merge(values, named)))

    def restart(self, values: Optional[Mapping[str, Any]] = None, **named: Any) -> list[Moved]:
        """Begins again, with these values in place of the model's. Gives those that had to be moved for the constraints to hold."""
        return [Moved(*one) for one in self.restart_with(self._numbers(merge(values, named)))]

    def _numbers(self, values: Mapping[str, Any]) -> dict[str, float]:
        """Vectors by their entries."""
        single: dict[str, float] = {}
        for name, value in values.items():
            if not is_list(value):
                single[name] = number(name, value)
                continue
            known = [*self.names, *self.inputs]
            entries = [known[i] for i in _places(known, name, [])]
            if not entries or entries == [name]:
                raise TypeError(f"{name} must be a number, not {type(value).__name__}")
            given = array(name, value, any_shape=True).ravel()
            if len(given) != len(entries):
                raise wrong(f"'{name}' has {len(entries)} entries, not {len(given)}")
            single.update(zip(entries, given.tolist()))
        return single

    def run(self, end: Optional[float] = None, *, steps: Optional[int] = None, every: int = 1,
            **controls: Any) -> "Record":
        """Steps on to a time, or a number of steps, and records. Each input may be a number, a list for a vector, or a function
        of the stepper, asked before every step. An event that stops a run ends it there, too; `stopped` has its name.

        >>> import alembert
        >>> s = alembert.compile("models/pendulum.alm", inputs=["gravity"], step=0.01)
        >>> record = s.run(1, gravity=lambda s: 9.81 if s.t < 0.5 else 0.0)
        >>> record.t[-1].round(9), record["gravity"][0], record["gravity"][-1]
        (1.0, 9.81, 0.0)
        """
        if (end is None) == (steps is None):
            raise TypeError("run() needs either an end or a number of steps")
        if steps is None:
            count = (number("end", end) - self.t) / self.h
            steps = int(round(count))
            if steps < 0:
                raise wrong(f"`end` = {end} lies behind t = {self.t}: steps have the size {self.h}")
            if abs(count - steps) > 1e-6 * max(1.0, abs(count)):
                raise wrong(f"no whole number of steps of {self.h} leads to `end` = {end}")
        steps, every = whole("steps", steps, 0), whole("every", every)
        for name, control in controls.items():
            if not _places(self.inputs, name, []):
                near = nearest(name, self.inputs)
                raise wrong(f"'{name}' is not open in this stepper", f"did you mean '{near}'?" if near else "")
            if not callable(control):
                self._numbers({name: control})  # says at once what is wrong with it
        rows, used, events = [self._row()], [], []
        eventful = bool(self.event_names)
        for i in range(1, steps + 1):
            self.step(**{name: c(self) if callable(c) else c for name, c in controls.items()})
            if eventful:
                events += self.events
            if i == 1:
                used.append(self.parameters)
            stopped = bool(self.stopped)
            if i % every == 0 or i == steps or stopped:
                rows.append(self._row())
                used.append(self.parameters)
            if stopped:
                break
        return Record(self.names, self.inputs, np.array(rows), np.array(used or [self.parameters]), events)

    def _row(self) -> np.ndarray:
        return np.array([self.t, *self.state])

    def simulate(self, **options: Any) -> "Run":
        """`alembert.simulate(self, ...)`: a whole run from here; the stepper stays where it is."""
        from ._run import simulate
        return simulate(self, **options)

    def __repr__(self) -> str:
        return f"Stepper({self.model.title or self.model.name}: {self.method}, t = {self.t:.12g}, h = {self.h:g})"


def _set_state(stepper: Stepper, state: Any) -> None:
    stepper.set_state(array("state", state).tolist())


def _set_h(stepper: Stepper, h: Any) -> None:
    stepper.set_step(number("h", h))


# They are read by the extension module alone, which is faster, and checked here when they are set.
for _name, _setter in (("state", _set_state), ("h", _set_h)):
    _read = vars(_core.Stepper)[_name]
    setattr(Stepper, _name, property(_read.fget, _setter, doc=_read.__doc__))


def _again(made: tuple, bytes_: bytes) -> Stepper:
    stepper = Stepper(*made)
    stepper.load(bytes_)
    return stepper


def _places(names: list[str], name: str, otherwise: Optional[list[int]] = None) -> list[int]:
    """Where a name stands in a list: one place, or those of the entries of a vector; a KeyError where it does not, and nothing
    else is said."""
    if not isinstance(name, str):
        raise TypeError(f"values have names, such as event['x1'], not {type(name).__name__}")
    if name in names:
        return [names.index(name)]
    entries = re.compile(re.escape(name.rstrip("'")) + r"(\[\d+\])+" + re.escape(name[len(name.rstrip("'")):]))
    found = [i for i, one in enumerate(names) if entries.fullmatch(one)]
    if not found and otherwise is not None:
        return otherwise
    if not found:
        near = nearest(name, names)
        raise KeyError(f"there is no '{name}'" + (f": did you mean '{near}'?" if near else ""))
    return found


class Record:
    """What `Stepper.run` saw: `t`, `states`, `inputs` (as they were in the step that led to each row), any by its name, and
    the `events` on the way.

    >>> import alembert
    >>> s = alembert.compile("models/pendulum.alm", inputs=["gravity"], step=0.01)
    >>> record = s.run(steps=10, gravity=1.62)
    >>> record["x"].shape, record["gravity"][-1], len(record)
    ((11,), 1.62, 11)
    """

    def __init__(self, names: list[str], inputs: list[str], rows: np.ndarray, used: np.ndarray,
                 events: Sequence[Event] = ()):
        self.events = list(events)
        self.names = names
        self.input_names = inputs
        self.t = rows[:, 0]
        self.states = rows[:, 1:]
        self.inputs = used.reshape(len(rows), len(inputs))

    def __getitem__(self, name: str) -> np.ndarray:
        columns = _places(["t", *self.names, *self.input_names], name)
        table = np.column_stack([self.t, self.states, self.inputs])
        return table[:, columns[0]] if len(columns) == 1 else table[:, columns]

    def __len__(self) -> int:
        return len(self.t)

    def to_pandas(self) -> "pandas.DataFrame":
        """A DataFrame with t as its index."""
        import pandas
        frame = pandas.DataFrame(np.column_stack([self.states, self.inputs]), columns=[*self.names, *self.input_names])
        return frame.set_index(pandas.Index(self.t, name="t"))

    def plot(self, *names: str, axes: Any = None) -> Any:
        """Draws columns over time with matplotlib: those that are named, else all. Gives the axes."""
        from matplotlib import pyplot
        if axes is None:
            _, axes = pyplot.subplots(layout="constrained")
        for name in names or [*self.names, *self.input_names]:
            axes.plot(self.t, self[name], label=name)
        axes.set_xlabel("t")
        axes.legend(fontsize="small")
        return axes

    def __repr__(self) -> str:
        return f"Record({len(self)} rows of {', '.join([*self.names, *self.input_names])})"


def compile(model: Any, method: Any = None, *, inputs: Any = (), step: Optional[float] = None, start: float = 0.0,
            steps: float = 1e6, values: Optional[Mapping[str, Any]] = None, **named: Any) -> Stepper:
    """Compiles the step of a method for a model and stands at its consistent start.

    inputs: parameters and inputs of the model that stay open, to be set between steps; everything else is folded in.
    step: its size; the model's where not given, else 0.01. steps: how many will be made, roughly; that decides how much
    compiling pays off. Other keywords are values of the model, as for `simulate`.

    >>> import alembert
    >>> s = alembert.compile("models/double_pendulum.alm", "lobatto(3)", inputs=["m2"], step=0.01)
    >>> s.step(m2=0.5)
    >>> s.steps(99)
    >>> round(s.t, 12), round(float(s["x1"]**2 + s["y1"]**2), 12)
    (1.0, 1.0)
    """
    size = 0.0 if step is None else number("step", step)
    if step is not None and size == 0:
        raise wrong("`step` must not be 0")
    full = with_values("compile", model, values, named, ["method", "inputs", "step", "start", "steps", "values"])
    return Stepper(full, method_name(method), names_of("inputs", inputs), number("start", start), size,
                   number("steps", steps))
