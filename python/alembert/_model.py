"""Models: read from files and texts."""

from __future__ import annotations

import html
import os
import tempfile
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core
from ._values import nearest, path_of, text_of
from .errors import wrong

if TYPE_CHECKING:
    from ._run import Run
    from ._stepper import Stepper

__all__ = ["Model", "read", "model"]


class Model:
    """A model that was read and checked; it never changes.

    >>> import alembert
    >>> pendulum = alembert.read("models/pendulum.alm")
    >>> pendulum.title, pendulum.states, pendulum.constraints
    ('Pendulum', ['x', 'y', "x'", "y'"], ['rod'])
    >>> pendulum.parameters["l"]
    1.0
    >>> pendulum.set(l=2).parameters["l"]
    2.0
    """

    def __init__(self, text: str, name: str = "model", *, values: Optional[Mapping[str, Any]] = None,
                 observe: Any = (), inputs: Optional[Mapping[str, str]] = None):
        if not isinstance(text, str):
            raise TypeError(f"the text of a model is needed, not {type(text).__name__}")
        self._text = text
        self._name = name
        self._values = {key: text_of(key, value) for key, value in (values or {}).items()}
        self._observe = [observe] if isinstance(observe, str) else list(observe)
        self._inputs = dict(inputs or {})
        self._source = _core.ModelText(text, name, [f"{k}={v}" for k, v in self._values.items()], self._observe,
                                       [f"{k}={v}" for k, v in self._inputs.items()])
        self._core = self._source.read()

    @property
    def title(self) -> str:
        """What its text calls it."""
        return self._core.title

    @property
    def name(self) -> str:
        """What messages call it: its file."""
        return self._name

    def text(self) -> str:
        """The model in the model language, as it was read or built."""
        return self._text

    @property
    def parameters(self) -> dict[str, Union[float, np.ndarray]]:
        """Their values in this model, those that were given for it included."""
        return _parameters(self._core.parameters)

    @property
    def values(self) -> dict[str, str]:
        """What was given in place of the text's values."""
        return dict(self._values)

    @property
    def states(self) -> list[str]:
        """Names of the entries of its state."""
        return self._core.states

    @property
    def constraints(self) -> list[str]:
        """Names of its constraints."""
        return self._core.constraints

    @property
    def method(self) -> Optional[str]:
        """What its solve statement says, where it says it; so are step and end."""
        return self._core.method

    @property
    def step(self) -> Optional[float]:
        """The step of its solve statement."""
        return self._core.step

    @property
    def end(self) -> Optional[float]:
        """The end of its solve statement."""
        return self._core.end

    def set(self, values: Optional[Mapping[str, Any]] = None, **named: Any) -> "Model":
        """The model with other parameters and initial values: `m.set(l=2)`, `m.set({"x'": 1})`."""
        merged = merge(values, named)
        if not merged:
            return self
        return Model(self._text, self._name, values={**self._values, **merged}, observe=self._observe,
                     inputs=self._inputs)

    def observing(self, *expressions: str) -> "Model":
        """The model with more that is recorded: `m.observing("x^2 + y^2", "rod.force")`."""
        return Model(self._text, self._name, values=self._values, observe=[*self._observe, *expressions],
                     inputs=self._inputs)

    def with_inputs(self, files: Mapping[str, str]) -> "Model":
        """The model with inputs that follow CSV files with the columns t and the input's name."""
        return Model(self._text, self._name, values=self._values, observe=self._observe,
                     inputs={**self._inputs, **files})

    def save(self, path: Any) -> None:
        """Writes the text to a file (.alm)."""
        with open(path_of(path), "w", encoding="utf-8") as file:
            file.write(self._text)

    def simulate(self, *args: Any, **keywords: Any) -> "Run":
        """`alembert.simulate(self, ...)`."""
        from ._run import simulate
        return simulate(self, *args, **keywords)

    def compile(self, *args: Any, **keywords: Any) -> "Stepper":
        """`alembert.compile(self, ...)`."""
        from ._stepper import compile
        return compile(self, *args, **keywords)

    def __reduce__(self) -> tuple:
        return _again, (self._text, self._name, self._values, self._observe, self._inputs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash((self._text, self._name, tuple(self._values.items())))

    def __repr__(self) -> str:
        given = "".join(f", {k}={v}" for k, v in self._values.items())
        title = self.title if hasattr(self, "_core") else ""  # one that could not be read may be shown in a traceback
        return f"Model({title or self._name!r}{given})"

    def _repr_html_(self) -> str:
        return f"<b>{html.escape(self.title or self._name)}</b><pre>{html.escape(self._text)}</pre>"


def _again(text: str, name: str, values: dict, observe: list, inputs: dict) -> Model:
    return Model(text, name, values=values, observe=observe, inputs=inputs)


def _parameters(listed: Sequence[tuple]) -> dict[str, Union[float, np.ndarray]]:
    return {name: np.array(values).reshape(shape) if shape else values[0] for name, shape, values, _ in listed}


def read(path: Any, **values: Any) -> Model:
    """Reads a model file; keywords replace its parameters and initial values.

    >>> import alembert
    >>> alembert.read("models/pendulum.alm", l=2).parameters["l"]
    2.0
    """
    place = path_of(path)
    try:
        with open(place, encoding="utf-8") as file:
            text = file.read()
    except UnicodeDecodeError:
        raise wrong(f"'{place}' is no text in UTF-8") from None
    return Model(text, place, values=values)


def model(text: str, name: str = "model", **values: Any) -> Model:
    """A model from its text.

    >>> import alembert
    >>> m = alembert.model('''
    ... model "Oscillator"
    ... parameter m = 1, k = 4
    ... coordinate x = 1
    ... kinetic m/2*x'^2
    ... potential k/2*x^2
    ... ''')
    >>> run = m.simulate("gauss(4)", step=0.01, end=1)
    >>> abs(run["x"][-1] - __import__("math").cos(2)) < 1e-13
    True
    """
    return Model(text, name, values=values)


def merge(values: Optional[Mapping[str, Any]], named: Mapping[str, Any]) -> dict[str, Any]:
    """Values given as a dictionary and as keywords."""
    if values is not None and not isinstance(values, Mapping):
        raise TypeError(f"values must be a dictionary of names and numbers, not {type(values).__name__}")
    merged = dict(values or {})
    for key in merged:
        if not isinstance(key, str):
            raise TypeError(f"names must be texts, not {type(key).__name__}")
    for key, value in named.items():
        if key in merged:
            raise TypeError(f"'{key}' is given twice")
        merged[key] = value
    return merged


def as_model(given: Any) -> Model:
    """A model, a builder, or the path of a file."""
    if isinstance(given, Model):
        return given
    if hasattr(given, "build") and hasattr(given, "text"):
        return given.build()
    if isinstance(given, (str, os.PathLike)):
        if isinstance(given, str) and "\n" in given:
            raise TypeError("this is the text of a model: alembert.model(text) makes a model of it")
        return read(given)
    raise TypeError(f"a model is needed (or the path of one), not {type(given).__name__}")


# What others call the options, in SciPy, MuJoCo, CasADi and elsewhere.
_ELSEWHERE = {"t_eval": "at", "times": "at", "rtol": "tolerance", "tol": "tolerance", "reltol": "tolerance", "atol": "absolute",
              "abstol": "absolute", "dt": "step", "h": "step", "timestep": "step", "step_size": "step", "max_step": "largest",
              "first_step": "step", "min_step": "smallest", "t_span": "end", "tf": "end", "t_end": "end", "tspan": "end",
              "duration": "end", "max_steps": "most_steps", "y0": "values", "x0": "values", "initial": "values",
              "params": "values", "parameters": "values", "args": "values", "solver": "method", "integrator": "method",
              "controls": "inputs"}


def check_keywords(function: str, model: Model, values: Mapping[str, Any], options: Any) -> None:
    """A misspelt option is no parameter of the model."""
    known = {name.split("[")[0].rstrip("'") for name in [*model.parameters, *model.states]}
    for key in values:
        if key.split("[")[0].rstrip("'") in known:
            continue
        near = _ELSEWHERE.get(key)
        if near in options:
            raise TypeError(f"{function}() got an unexpected keyword '{key}': here it is called '{near}'")
        near = nearest(key, options)
        if near and not nearest(key, known):
            raise TypeError(f"{function}() got an unexpected keyword '{key}': did you mean '{near}'?")


def with_values(function: str, given: Any, values: Optional[Mapping[str, Any]], named: Mapping[str, Any],
                options: Any) -> Model:
    model = as_model(given)
    merged = merge(values, named)
    check_keywords(function, model, merged, options)
    return model.set(merged)


class InputFiles:
    """Inputs given as pairs of arrays (t, u) become files for the time of a call."""

    def __init__(self, inputs: Optional[Mapping[str, Any]]):
        if inputs is not None and not isinstance(inputs, Mapping):
            raise TypeError(f"inputs must be a dictionary, not {type(inputs).__name__}")
        self._given = dict(inputs or {})
        self._folder: Optional[tempfile.TemporaryDirectory] = None

    def __enter__(self) -> dict[str, str]:
        files = {}
        for number, (name, value) in enumerate(self._given.items()):
            if isinstance(value, (str, os.PathLike)):
                files[name] = path_of(value)
                continue
            try:
                t, u = (np.array(one, dtype=float) for one in value)
            except (TypeError, ValueError):
                hint = f"; a function of Python goes with a stepper: compile(model, inputs=[{name!r}]).run(end, {name}=...)" \
                    if callable(value) else ""
                raise TypeError(f"the input '{name}' must be the path of a CSV file or a pair of arrays (t, values){hint}") \
                    from None
            if t.ndim != 1 or t.shape != u.shape:
                raise wrong(f"the input '{name}': times of shape {t.shape} and values of shape {u.shape} do not fit")
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="alembert_")
            path = os.path.join(self._folder.name, f"input{number}.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"t,{name}\n")
                file.writelines(f"{float(a)!r},{float(b)!r}\n" for a, b in zip(t, u))
            files[name] = path
        return files

    def __exit__(self, *_: Any) -> None:
        if self._folder is not None:
            self._folder.cleanup()
