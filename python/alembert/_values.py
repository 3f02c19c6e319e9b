"""Numbers, names and texts on their way into the library."""

from __future__ import annotations

import difflib
import functools
import math
import numbers
import os
from typing import Any, Iterable, Mapping, Optional

import numpy as np

from .errors import wrong


# What float() would take for a number.
_NO_NUMBERS = (bool, np.bool_, str, bytes, np.datetime64, np.timedelta64)


def number(name: str, value: Any, *, finite: bool = True) -> float:
    """A single number; TypeError for what is none, InputError for what is not finite."""
    if isinstance(value, _NO_NUMBERS):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    if isinstance(value, np.ndarray) and value.ndim > 0:
        raise TypeError(f"{name} must be a single number, not an array of shape {value.shape}")
    if not isinstance(value, numbers.Real) and not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    try:
        result = float(value)
    except OverflowError:
        raise wrong(f"`{name}` must be a finite number, not one of {len(str(value))} digits") from None
    if finite and not math.isfinite(result):
        raise wrong(f"`{name}` must be a finite number, not {result}")
    return result


def whole(name: str, value: Any, least: int = 1) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Integral, np.integer)):
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}")
    if int(value) < least:
        raise wrong(f"`{name}` must be at least {least}, not {int(value)}")
    return int(value)


def is_list(value: Any) -> bool:
    """Whether it is several values, in whatever holds such in an order: a list, an array, a range, a Series, a generator."""
    if isinstance(value, (str, bytes, Mapping, set, frozenset)) or hasattr(value, "workshop"):
        return False
    return getattr(value, "ndim", 1) > 0 and (hasattr(value, "__array__") or isinstance(value, Iterable))


def array(name: str, values: Any, *, any_shape: bool = False) -> np.ndarray:
    """Finite numbers, in one list unless any shape is allowed. Dates, truths, texts and complex numbers are none."""
    if isinstance(values, (str, bytes, Mapping, set, frozenset)):
        raise TypeError(f"{name} must be a list of numbers, not {type(values).__name__}")
    if isinstance(values, Iterable) and not hasattr(values, "__array__"):
        values = list(values)
    try:
        given = np.array(values, ndmin=0 if any_shape else 1)
        # A mask hides values that nobody means; numbers of other libraries (fractions, decimals) arrive as objects.
        objects = given.ravel().tolist() if given.dtype.kind == "O" else []
        if given.size and (given.dtype.kind not in "iufO" or np.ma.is_masked(values) or
                           any(one is None or isinstance(one, _NO_NUMBERS) for one in objects)):
            raise TypeError
        result = given.astype(float)
    except (TypeError, ValueError):
        kind = f"{values.dtype}" if isinstance(values, np.ndarray) else type(values).__name__
        raise TypeError(f"{name} must be {'' if any_shape else 'a list of '}numbers, not {kind}") from None
    except OverflowError:
        raise wrong(f"`{name}` must be finite numbers") from None
    if result.ndim != 1 and not any_shape:
        raise wrong(f"`{name}` must be a list of numbers, not an array of shape {result.shape}")
    if not np.all(np.isfinite(result)):
        raise wrong(f"`{name}` must be finite numbers")
    return result


def truth(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, not {type(value).__name__}")
    return bool(value)


def unicode(what: str, text: Any) -> str:
    """A text that can be written."""
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a text, not {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise wrong(f"{what} holds {text[error.start]!r}, half of a character, which is no text in UTF-8") from None
    return text


def text_of(name: str, value: Any) -> str:
    """A value as the model language writes it: numbers to the last bit, lists as vectors, expressions as they are."""
    if isinstance(value, str):
        return unicode(name, value)
    if isinstance(value, _NO_NUMBERS) or value is None:
        raise TypeError(f"{name} must be a number, a list of numbers or a text, not {type(value).__name__}")
    if hasattr(value, "workshop"):  # an expression of a builder
        return value.text
    if type(value).__module__.startswith("sympy."):
        return sympy_text(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, (numbers.Integral, np.integer)):
        return str(int(value))
    if is_list(value):
        value = list(value)
        if len(value) == 0:
            raise wrong(f"`{name}` is an empty list")
        return "(" + ", ".join(text_of(name, one) for one in value) + ")"
    if callable(value):
        raise TypeError(f"{name} must be a number; a function of Python goes with a stepper: "
                        f"alembert.compile(model, inputs=[{name!r}]).run(end, {name}=...)")
    return repr(number(name, value))


def sympy_text(value: Any) -> str:
    """An expression of SymPy; its symbols are meant by their names."""
    import sympy
    if not isinstance(value, sympy.Expr):
        raise TypeError(f"an expression of SymPy is needed, not {type(value).__name__}")
    return _sympy_printer()({"full_prec": True}).doprint(value)


@functools.lru_cache(maxsize=None)
def _sympy_printer() -> Any:
    from sympy.printing.str import StrPrinter

    class Printer(StrPrinter):
        """What SymPy calls otherwise than the model language, or writes otherwise."""

        def _print_Pow(self, value: Any, rational: bool = False) -> str:
            return super()._print_Pow(value, rational).replace("**", "^")

        def _print_Function(self, value: Any) -> str:
            names = {"Abs": "abs", "Max": "max", "Min": "min", "Heaviside": "positive"}
            name = value.func.__name__
            arguments = value.args[:1] if name == "Heaviside" else value.args  # its second one is its value at 0
            return f"{names.get(name, name)}({', '.join(self._print(a) for a in arguments)})"

        _print_Abs = _print_Max = _print_Min = _print_Heaviside = _print_LatticeOp = _print_Function

        def _print_Piecewise(self, value: Any) -> str:
            text = ""
            for part, condition in reversed(value.args):
                if condition == True or not text:  # noqa: E712: SymPy's own truth
                    text = self._print(part)
                else:
                    text = f"if({self._print(condition)}, {self._print(part)}, {text})"
            return text

        def _print_And(self, value: Any) -> str:
            return "(" + " and ".join(self._print(a) for a in value.args) + ")"

        def _print_Or(self, value: Any) -> str:
            return "(" + " or ".join(self._print(a) for a in value.args) + ")"

        def _print_Not(self, value: Any) -> str:
            return f"not ({self._print(value.args[0])})"

        def _print_Relational(self, value: Any) -> str:
            sign = {"==": "="}.get(value.rel_op, value.rel_op)
            return f"{self._print(value.lhs)} {sign} {self._print(value.rhs)}"

    return Printer


def path_of(path: Any) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"a path is needed, not {type(path).__name__}")
    result = os.fspath(path)
    if isinstance(result, bytes):
        result = os.fsdecode(result)
    if "\0" in result:
        raise wrong("a path must not contain a zero byte")
    try:
        os.fsencode(result)
    except UnicodeEncodeError:
        raise wrong(f"no file can have the name {result!r}") from None
    return result


def check_ending(path: str, known: list[str]) -> None:
    if not path.endswith(tuple(known)):
        raise wrong(f"cannot tell the format of '{path}' by its ending",
                    f"the endings {', '.join(known[:-1])} and {known[-1]} are known")


def nearest(name: str, known: Iterable[str]) -> Optional[str]:
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return found[0] if found else None


def names_of(what: str, names: Any) -> list[str]:
    """A list of names, or one name."""
    if names is None:
        return []
    if isinstance(names, str):
        names = [names]
    try:
        names = list(names)
    except TypeError:
        raise TypeError(f"{what} must be a list of names, not {type(names).__name__}") from None
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be names, not {type(name).__name__}")
        unicode(what, name)
    if len(set(names)) != len(names):
        raise wrong(f"`{what}` names something twice")
    return names
