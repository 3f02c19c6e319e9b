"""What all parts of a builder share: symbols, and statements of the model language made of values."""

from __future__ import annotations

import os
import re
import sys
import types
from typing import Any, Optional, Sequence

import numpy as np

from . import _core
from ._expression import Expression
from ._values import is_list, text_of, unicode
from .errors import wrong

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*\Z")
_FAMILY = re.compile(r"[A-Za-z_][A-Za-z_0-9]*((\[[A-Za-z_0-9+\- ]+\])|(\.[A-Za-z_][A-Za-z_0-9]*))*\Z")
_HERE = os.path.dirname(os.path.abspath(__file__))


class Statements:
    """The statements of a model in the making, and where in Python each was made."""

    def __init__(self) -> None:
        self._workshop = _core.workshop()
        self._lines: list[str] = []
        self._origins: list[str] = []

    def symbol(self, name: str) -> Expression:
        """What the model language calls by this name: 'rod.angle', 'lambda'.

        >>> import alembert
        >>> m = alembert.ModelBuilder()
        >>> m.symbol("rod.angle") + 1
        rod.angle + 1
        """
        if not _is_single(unicode("a name", name)):
            raise wrong(f"'{name}' is no name", "texts of the language stand for themselves: m.potential('x + y')")
        return self._workshop.symbol(name)

    def statement(self, text: str) -> None:
        """Any statement of the model language, or several lines of them.

        >>> import alembert
        >>> m = alembert.ModelBuilder("Free particle")
        >>> m.statement("coordinate x = 1")
        >>> m.statement("kinetic x'^2/2")
        >>> m.build().states
        ['x', "x'"]
        """
        unicode("a statement", text)
        origin = _caller()
        for line in text.splitlines():
            self._lines.append(line)
            self._origins.append(origin)

    def _say(self, text: str, over: str = "") -> None:
        """A statement, for all members of a family where `over` says which: "i = 2..N"."""
        if not isinstance(over, str):
            raise TypeError(f"over must be a text such as 'i = 2..N', not {type(over).__name__}")
        self.statement(text + (f" for {over}" if over else ""))

    def _check(self, value: Any) -> None:
        if not isinstance(value, Expression):
            raise TypeError(f"an expression is needed, not {type(value).__name__}")
        if value.workshop is not self._workshop:
            raise wrong(f"'{value.text}' belongs to another model")

    def _text(self, value: Any) -> str:
        """A value as a statement has it: a number, a text, an expression, or a list of them."""
        if is_list(value):
            value = list(value)
            if not value:
                raise wrong("an empty list stands where a value is needed")
            return "(" + ", ".join(self._text(one) for one in value) + ")"
        if isinstance(value, Expression):
            self._check(value)
            if value.text.endswith("..."):
                raise wrong("an expression is too long to be written out, because it contains the same parts again and again",
                            "give them names: part = m.let('part', ...)")
        return text_of("a value", value)

    def _target(self, target: Any) -> str:
        """What a statement calls a symbol, or a whole vector of them."""
        if isinstance(target, str):
            return target
        if isinstance(target, Expression):
            self._check(target)
            return target.text
        if isinstance(target, np.ndarray) and len(target) and isinstance(target[0], Expression):
            self._check(target[0])
            # A vector of one entry is written as a scalar.
            return _whole_name(target[0].text) if len(target) > 1 else target[0].text
        raise TypeError(f"a symbol is needed, not {type(target).__name__}")

    def _start(self, start: Any) -> str:
        return "" if start is None else f" = {self._text(start)}"

    def _words(self, **parts: Any) -> str:
        """' key value' of each that is given; from_ stands for the word from."""
        return "".join(f" {key.rstrip('_')} {self._text(value)}" for key, value in parts.items() if value is not None)

    def _declare(self, keyword: str, name: str, start: Any = None, size: Optional[int] = None, unit: str = "",
                 over: str = "", of: str = "") -> Any:
        """Something that is declared by name, with its value; gives its symbol, or the vector of its entries."""
        if start is not None and is_list(start):
            start = np.array(list(start), dtype=object)
        if size is None and isinstance(start, np.ndarray):
            size = len(start)
        if size is not None and (isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1):
            raise wrong(f"`size` is a whole number of at least 1, not {size!r}")
        if isinstance(start, np.ndarray) and start.ndim > 1:
            return self._declare_matrix(keyword, name, start, unit, over, of)
        single = size == 1  # a vector of one entry is written as a scalar
        entries = f"[{size}]" if size and not single else ""
        self._say(f"{keyword} {_family_name(name)}{entries}" + (f" of {of}" if of else "") +
                  self._start(start) + (f' "{_quoted(unit)}"' if unit else ""), over)
        return _vector([self.symbol(name)]) if single else self._symbols(name, size)

    def _declare_matrix(self, keyword: str, name: str, start: np.ndarray, unit: str, over: str, of: str) -> np.ndarray:
        entries = "".join(f"[{n}]" for n in start.shape)
        self._say(f"{keyword} {_family_name(name)}{entries}" + (f" of {of}" if of else "") +
                  self._start(start) + (f' "{_quoted(unit)}"' if unit else ""), over)
        made = np.empty(start.shape, dtype=object)
        for index in np.ndindex(*start.shape):
            made[index] = self.symbol(name + "".join(f"[{i + 1}]" for i in index))
        return made

    def _symbols(self, name: str, size: Optional[int]) -> Any:
        if size is None:
            return self.symbol(name)
        return _vector([self.symbol(f"{name}[{i}]") for i in range(1, size + 1)])


def _vector(entries: Sequence[Expression]) -> np.ndarray:
    result = np.empty(len(entries), dtype=object)
    result[:] = entries
    return result


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"a name is a text, not {type(name).__name__}")
    if not _NAME.match(name):
        raise wrong(f"'{name}' is no name", "a letter or _, then letters, digits and _")
    return name


def _is_single(text: str) -> bool:
    """Whether operators around it mean all of it: a name, with what belongs to it in brackets."""
    depth = 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        if depth < 0 or (depth == 0 and not (c.isalnum() or c in "_.')]")):
            return False
    return depth == 0 and bool(text)


def _family_name(name: Any) -> str:
    """A name, that of the members of a family, 'r[i]', or of a part, 'motor.V'."""
    if isinstance(name, str) and _FAMILY.match(name):
        return name
    return _name(name)


def _whole_name(entry: str) -> str:
    """The vector that r[2]' or r[i][2] is an entry of."""
    return re.sub(r"\[\d+\]('*)\Z", r"\1", entry)


def _direction(direction: str) -> str:
    if direction not in ("", "rising", "falling"):
        raise wrong(f"`direction` is 'rising' or 'falling', not '{direction}'")
    return f" {direction}" if direction else ""


def _quoted(text: Any) -> str:
    if not isinstance(text, (str, os.PathLike)):
        raise TypeError(f"a text is needed, not {type(text).__name__}")
    if "\n" in os.fspath(text) or "\r" in os.fspath(text):
        raise wrong(f"{os.fspath(text)!r} must be a text on one line")
    return os.fspath(text).replace("\\", "\\\\").replace('"', '\\"')


def _caller() -> str:
    """The line outside this package that called."""
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == _HERE:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else ""

