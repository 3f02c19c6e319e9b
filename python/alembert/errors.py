"""What can go wrong, in three kinds: the input is wrong, the numbers fail, a run warns.

>>> import alembert
>>> try:
...     alembert.model("parameter lenght = 1\\ncoordinate x\\nkinetic x'^2/2\\npotential length*x")
... except alembert.ModelError as error:
...     print(error.errors[0].line, error.errors[0].message)
...     print(error.errors[0].hint)
4 unknown name 'length'
did you mean 'lenght' (parameter, line 1)?
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from ._run import Run

__all__ = ["InputError", "ModelError", "Problem", "RunError", "RunWarning"]


@dataclass
class Problem:
    """One thing that is wrong, and where it stands."""

    message: str
    hint: str = ""
    source: str = ""  # the file, or what else the text is
    text: str = ""  # that whole text
    line: int = 0  # from 1; 0: no place
    column: int = 0
    length: int = 1
    shown: str = ""  # with the line of text and a caret below it
    origin: str = ""  # where a statement was made in Python: "file.py:12"

    def __str__(self) -> str:
        return self.shown + (f"\n    (made in {self.origin})" if self.origin else "")


class InputError(ValueError):
    """Something that was given is wrong. `errors` has all of it at once, a `Problem` each."""

    def __init__(self, errors: list[Problem]):
        self.errors = list(errors)
        super().__init__()

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)

    def __reduce__(self) -> Any:
        return type(self), (self.errors,)


class ModelError(InputError):
    """An `InputError` with places: in the text of a model, or in a value that was given for something of it."""


class RunError(RuntimeError):
    """The numbers failed. `run` is what was computed so far (None for a single step), `t` how far it came."""

    def __init__(self, reason: str, t: float, run: Optional["Run"] = None):
        self.reason = reason
        self.t = t
        self.run = run
        super().__init__(reason)

    def __reduce__(self) -> Any:
        return type(self), (self.reason, self.t)


class RunWarning(UserWarning):
    """The result may be other than it seems: `code` says in one word what it is about, `t` where it was seen."""

    def __init__(self, text: str, code: str = "", t: float = 0.0):
        self.code = code
        self.text = text
        self.t = t
        super().__init__(text)

    def __repr__(self) -> str:
        return f"RunWarning({self.code!r} at t = {self.t:.6g}: {self.text})"


def input_error(described: list[tuple]) -> InputError:
    """Made by the library: (message, hint, source, text, line, column, length, shown) each."""
    errors = []
    for message, hint, source, text, line, column, length, shown in described:
        # The library calls what was given instead of the model's values `set`.
        if source.startswith("`set` "):
            shown = shown.replace(source, "value " + source[6:], 1)
            source = "value " + source[6:]
        errors.append(Problem(message, hint, source, text, line, column, length, shown))
    placed = any(error.source for error in errors)
    return (ModelError if placed else InputError)(errors)


def wrong(message: str, hint: str = "") -> InputError:
    """An InputError without a place."""
    return InputError([Problem(message, hint, shown=message + (f"\n  {hint}" if hint else ""))])


def step_error(reason: str, t: float) -> RunError:
    return RunError(reason, t)
