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

__all__ = ["InputError", "ModelError", "Problem", "RunError", "RunWarning", "WriteError"]


@dataclass
class Problem:
    """One thing that is wrong, and where it stands.

    >>> import alembert
    >>> try:
    ...     alembert.model("coordinate x\\nkinetic x'^2/2\\npotential k*x\\n", "spring.alm")
    ... except alembert.ModelError as error:
    ...     problem = error.errors[0]
    >>> problem.source, problem.line, problem.column, problem.message
    ('spring.alm', 3, 11, "unknown name 'k'")
    """

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
    """Something that was given is wrong. `errors` has all of it at once, a `Problem` each.

    >>> import alembert
    >>> try:
    ...     alembert.method("lobato(3)")
    ... except alembert.InputError as error:
    ...     print(error.errors[0].hint)
    did you mean 'lobatto'?
    """

    def __init__(self, errors: list[Problem]):
        self.errors = list(errors)
        super().__init__()

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __reduce__(self) -> Any:
        return type(self), (self.errors,)


class ModelError(InputError):
    """An `InputError` with places: in the text of a model, or in a value that was given for something of it.

    >>> import alembert
    >>> try:
    ...     alembert.simulate("models/pendulum.alm", mas=2)
    ... except alembert.ModelError as error:
    ...     print(error.errors[0].message)
    unknown name 'mas'
    """


class WriteError(InputError, OSError):
    """A file could not be written: no such folder, no space, no right to.

    >>> import alembert
    >>> run = alembert.simulate("models/pendulum.alm", end=0.1)
    >>> try:
    ...     run.save("/no/such/folder/swing.csv")
    ... except OSError as error:
    ...     print(error.errors[0].hint)
    there is no folder '/no/such/folder'
    """


class RunError(RuntimeError):
    """The numbers failed. `run` is what was computed so far (None for a single step), `t` how far it came.

    >>> import alembert
    >>> try:
    ...     alembert.simulate("models/kepler.alm", most_steps=3, end=100)
    ... except alembert.RunError as error:
    ...     print(len(error.run), error.run.ending)
    4 failed
    """

    def __init__(self, reason: str, t: float, run: Optional["Run"] = None):
        self.reason = reason
        self.t = t
        self.run = run
        super().__init__(reason)

    def __reduce__(self) -> Any:
        return type(self), (self.reason, self.t)


class RunWarning(UserWarning):
    """The result may be other than it seems: `code` says in one word what it is about, `t` where it was seen.

    >>> import alembert, warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", alembert.RunWarning)
    ...     run = alembert.simulate("models/double_pendulum.alm", end=20)
    >>> [warning.code for warning in run.warnings]
    ['sensitive']
    """

    def __init__(self, text: str, code: str = "", t: float = 0.0):
        self.code = code
        self.text = text
        self.t = t
        super().__init__(text)

    def __repr__(self) -> str:
        return f"RunWarning({self.code!r} at t = {self.t:.6g}: {self.text})"


# Functions of the library, and those that do the same here.
_CALLED = {"`examine(model)`": "`alembert.check(model)`", "`describe_methods()`": "`alembert.methods()`",
           "`write(trajectory, path)`": "`run.save(path)`", "`to_json(report)`": "`run.report`"}


def _in_python(text: str) -> str:
    for theirs, ours in _CALLED.items():
        text = text.replace(theirs, ours)
    return text


def input_error(described: list[tuple], writing: bool = False) -> InputError:
    """Made by the library: (message, hint, source, text, line, column, length, shown) each. writing: a file could not be
    written."""
    errors = []
    for message, hint, source, text, line, column, length, shown in described:
        message, hint, shown = _in_python(message), _in_python(hint), _in_python(shown)
        # What the library calls by the names of its options.
        for theirs, ours in (("`set` ", "value "), ("`observed` ", "observe "), ("`input` ", "input ")):
            if source.startswith(theirs):
                shown = shown.replace(theirs, ours, 1)
                source = ours + source[len(theirs):]
        errors.append(Problem(message, hint, source, text, line, column, length, shown))
    if writing:
        return WriteError(errors)
    placed = any(error.source for error in errors)
    return (ModelError if placed else InputError)(errors)


def wrong(message: str, hint: str = "") -> InputError:
    """An InputError without a place."""
    return InputError([Problem(message, hint, shown=message + (f"\n  {hint}" if hint else ""))])


def step_error(reason: str, t: float) -> RunError:
    return RunError(reason, t)
