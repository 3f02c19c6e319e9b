"""Models: read from files and texts."""

from __future__ import annotations

import html
import os
import re
import tempfile
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core
from ._values import array, is_list, nearest, path_of, text_of, unicode
from .errors import InputError, wrong

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
        self._text = unicode("the text of a model", text)
        self._name = unicode("the name of a model", name)
        self._values = {key: text_of(key, value) for key, value in (values or {}).items()}
        self._observe = [unicode("what is observed", one) for one in ([observe] if isinstance(observe, str) else observe)]
        self._inputs = dict(inputs or {})
        self._source = _core.model_text(text, name, [f"{k}={v}" for k, v in self._values.items()], self._observe,
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
        if not hasattr(self, "_core"):  # one that could not be read may be shown in a traceback
            return f"Model({getattr(self, '_name', 'not read')!r})"
        title = self.title
        given = "".join(f", {k}={v}" for k, v in self._values.items())
        return f"Model({title or self._name!r}{given})"

    def _repr_html_(self) -> str:
        return f"<b>{html.escape(self.title or self._name)}</b><pre>{html.escape(self._text)}</pre>"


def _again(text: str, name: str, values: dict, observe: list, inputs: dict) -> Model:
    return Model(text, name, values=values, observe=observe, inputs=inputs)


def _parameters(listed: Sequence[tuple]) -> dict[str, Union[float, np.ndarray]]:
    return {name: np.array(values).reshape(shape) if shape else values[0] for name, shape, values, _ in listed}


def read(path: Any, *, values: Optional[Mapping[str, Any]] = None, **named: Any) -> Model:
    """Reads a model file; keywords, and `values` for names that are no words of Python, replace its parameters and initial
    values.

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
    return Model(text, place, values=merge(values, named))


def model(text: str, name: str = "model", *, values: Optional[Mapping[str, Any]] = None, **named: Any) -> Model:
    """A model from its text; keywords and `values` as for `read`.

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
    return Model(text, name, values=merge(values, named))


def merge(values: Optional[Mapping[str, Any]], named: Mapping[str, Any]) -> dict[str, Any]:
    """Values given as a dictionary and as keywords."""
    if values is not None and not isinstance(values, Mapping):
        raise TypeError(f"values must be a dictionary of names and numbers, not {type(values).__name__}")
    merged = dict(values or {})
    for key in merged:
        if not isinstance(key, str):
            raise TypeError(f"names must be texts, not {type(key).__name__}")
        unicode("a name", key)
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


# Options of whole runs, which those who step, check or measure may look for in vain.
_OF_RUNS = ("end", "at", "sample", "every", "control", "tolerance", "absolute", "smallest", "largest", "most_steps", "observe",
            "inputs", "strict", "raises", "progress", "newton", "guess")


def check_keywords(function: str, model: Model, values: Mapping[str, Any], options: Any) -> None:
    """A misspelt option is no parameter of the model."""
    known = {name.split("[")[0].rstrip("'") for name in [*model.parameters, *model.states]}
    for key in values:
        if key.split("[")[0].rstrip("'") in known:
            continue
        near = _ELSEWHERE.get(key)
        if near in options:
            raise TypeError(f"{function}() got an unexpected keyword '{key}': here it is called '{near}'")
        if key in _OF_RUNS:
            raise TypeError(f"{function}() got an unexpected keyword '{key}': it is an option of simulate()")
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
    """A model whose inputs follow tables, for the time of a call: files, or pairs of arrays (t, values), which become files."""

    def __init__(self, model: Model, inputs: Optional[Mapping[str, Any]]):
        if inputs is not None and not isinstance(inputs, Mapping):
            raise TypeError(f"inputs must be a dictionary, not {type(inputs).__name__}")
        self._model = model
        self._given = merge(inputs, {})
        self._folder: Optional[tempfile.TemporaryDirectory] = None

    def __enter__(self) -> Model:
        if not self._given:
            return self._model
        try:
            return self._model.with_inputs({name: self._file(name, value) for name, value in self._given.items()})
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise

    def __exit__(self, _: Any, error: Any, __: Any) -> None:
        if self._folder is not None and isinstance(error, InputError):
            # Nobody gave these files.
            for problem in error.errors:
                for part in ("message", "hint", "source", "text", "shown"):
                    told = re.sub(re.escape(self._folder.name) + r"/\d+\.csv", "(t, values)", getattr(problem, part))
                    setattr(problem, part, told)
        if self._folder is not None:
            self._folder.cleanup()

    def _file(self, name: str, value: Any) -> str:
        if isinstance(value, (str, os.PathLike)):
            return path_of(value)
        if not is_list(value) or len(value) != 2:
            hint = f"; a function of Python goes with a stepper: compile(model, inputs=[{name!r}]).run(end, {name}=...)" \
                if callable(value) else ""
            raise TypeError(f"the input '{name}' must be the path of a CSV file or a pair of arrays (t, values){hint}")
        t, u = array(f"the times of {name}", value[0]), array(f"the values of {name}", value[1])
        if t.shape != u.shape:
            raise wrong(f"the input '{name}': {len(t)} times and {len(u)} values do not fit")
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="alembert_")
        path = os.path.join(self._folder.name, f"{len(os.listdir(self._folder.name))}.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"t,{name}\n")
            file.writelines(f"{float(a)!r},{float(b)!r}\n" for a, b in zip(t, u))
        return path
