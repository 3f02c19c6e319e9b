"""Expressions of a model that is built in Python: operators, NumPy functions, vectors.

Symbols are made by a ModelBuilder. `np.sin(x)`, `x**2`, `abs(x)`, arrays of expressions with `+`, `*`, `@` and `np.dot`
work; `==` compares expressions, and `x > 0` is an expression that is 1 where it holds and 0 elsewhere.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import _core
from ._values import number
from .errors import wrong

__all__ = ["Expression", "where", "maximum", "minimum", "sign", "norm", "cross"]

Expression = _core.Expression

# What NumPy calls its functions, and what does the same here.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b, "true_divide": lambda a, b: a / b, "power": lambda a, b: a ** b,
    "float_power": lambda a, b: a ** b, "negative": lambda a: -a, "positive": lambda a: a,
    "square": lambda a: a * a, "reciprocal": lambda a: 1 / a,
    "cbrt": lambda a: a.sign() * abs(a) ** (1 / 3),  # as NumPy's, of negative numbers too
    "sin": lambda a: a.sin(), "cos": lambda a: a.cos(), "tan": lambda a: a.tan(), "arcsin": lambda a: a.arcsin(),
    "arccos": lambda a: a.arccos(), "arctan": lambda a: a.arctan(), "sinh": lambda a: a.sinh(),
    "cosh": lambda a: a.cosh(), "tanh": lambda a: a.tanh(), "exp": lambda a: a.exp(), "log": lambda a: a.log(),
    "sqrt": lambda a: a.sqrt(), "absolute": abs, "fabs": abs, "sign": lambda a: a.sign(),
    "log2": lambda a: a.log() / np.log(2), "log10": lambda a: a.log() / np.log(10), "exp2": lambda a: 2 ** a,
    "log1p": lambda a: (1 + a).log(), "expm1": lambda a: 2 * (a / 2).sinh() * (a / 2).exp(),
    "arctanh": lambda a: ((1 + a) / (1 - a)).log() / 2, "arccosh": lambda a: (a + (a * a - 1).sqrt()).log(),
    # 2 artanh(a/(1 + sqrt(1 + a^2))): the same for both signs, where log(a + sqrt(a^2 + 1)) cancels for one
    "arcsinh": lambda a: ((1 + (a / (1 + (1 + a * a).sqrt()))) / (1 - (a / (1 + (1 + a * a).sqrt())))).log(),
    "heaviside": lambda a, at_zero: (a > 0) + at_zero * (1 - (a > 0) - (a < 0)),
    "deg2rad": lambda a: a * (np.pi / 180), "radians": lambda a: a * (np.pi / 180),
    "rad2deg": lambda a: a * (180 / np.pi), "degrees": lambda a: a * (180 / np.pi),
    "greater": lambda a, b: a > b, "greater_equal": lambda a, b: a >= b, "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b, "logical_and": lambda a, b: a & b, "logical_or": lambda a, b: a | b,
    "logical_not": lambda a: ~a,
}


def _both(name: str) -> Callable[..., Any]:
    def call(a: Any, b: Any) -> Any:
        a, b = _alike(a, b)
        return getattr(a, name)(b)
    return call


for _name in ("arctan2", "hypot", "maximum", "minimum"):
    _FUNCTIONS[_name] = _both(_name)
_FUNCTIONS.update(fmax=_FUNCTIONS["maximum"], fmin=_FUNCTIONS["minimum"])


def _alike(*values: Any) -> list[Any]:
    """Numbers among expressions become expressions of the same model."""
    one = next((v for v in values if isinstance(v, Expression)), None)
    if one is None:
        raise TypeError("an expression is needed")
    return [v if isinstance(v, Expression) else one.workshop.number(number("a value", v, finite=False)) for v in values]


def _boxed(value: Any) -> np.ndarray:
    if isinstance(value, Expression):
        box = np.empty((), dtype=object)
        box[()] = value
        return box
    return np.asarray(value)


def _array_ufunc(self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
    function = _FUNCTIONS.get(ufunc.__name__)
    if method != "__call__" or keywords or function is None:
        return NotImplemented
    result = np.frompyfunc(function, ufunc.nin, 1)(*[_boxed(value) for value in inputs])
    return result


def _no_truth(self: Any) -> bool:
    raise TypeError("an expression is neither true nor false: alembert.where(x > 0, a, b), alembert.maximum and "
                    "alembert.minimum choose in the model, of vectors too")


def _no_number(self: Any) -> float:
    raise TypeError(f"the expression {self.text} has no value before a run; functions of NumPy take it (numpy.sin), those of math "
                    "do not")


def _no_attribute(self: Any, name: str) -> Any:
    hint = ": the velocity of a coordinate is m.rate(x)" if name in ("dot", "rate", "velocity", "diff", "dt", "d") else ""
    raise AttributeError(f"an expression has no '{name}'{hint}")


def _clip(self: Any, min: Any = None, max: Any = None, out: Any = None, **_: Any) -> Any:
    """What np.clip calls."""
    clipped = self if min is None else self.maximum(*_alike(self, min)[1:])
    return clipped if max is None else clipped.minimum(*_alike(self, max)[1:])


_METHODS: dict[str, Callable[..., Any]] = {
    "clip": _clip, "__copy__": lambda self: self, "__deepcopy__": lambda self, _: self,  # they never change
    "__array_ufunc__": _array_ufunc, "__bool__": _no_truth, "__float__": _no_number,
    "__getattr__": _no_attribute,
    "__eq__": lambda self, other: isinstance(other, Expression) and self.same(other),
    "__hash__": lambda self: hash(self.text), "__repr__": lambda self: self.text,
    "_repr_latex_": lambda self: f"${self.latex}$",
}
for _name, _method in _METHODS.items():
    setattr(Expression, _name, _method)
Expression.__doc__ = """An expression of a model in the making; its operators and NumPy's functions make new ones.

    >>> import alembert, numpy
    >>> m = alembert.ModelBuilder("Pendulum")
    >>> phi, l = m.coordinate("phi"), m.parameter("l", 2)
    >>> l*numpy.sin(phi) - 1
    l*sin(phi) - 1
    >>> (phi > 0) & (phi < 1)
    positive(phi)*positive(1 - phi)
    """


def _entrywise(function: Callable[..., Any], *values: Any) -> Any:
    """The function of expressions and numbers, or of vectors entry by entry."""
    given = [_boxed(v) for v in values]
    if all(v.ndim == 0 for v in given):
        return function(*(v.item() for v in given))
    return np.frompyfunc(function, len(values), 1)(*given)


def _is_expression(*values: Any) -> bool:
    return any(isinstance(v, Expression) for v in values)


def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, else b; a step of a run ends where it changes.

    >>> import alembert
    >>> x = alembert.ModelBuilder().coordinate("x")
    >>> print(alembert.where(x > 0, x, 7).text)
    where(1 - positive(x), 7) + where(positive(x), x)
    """
    def choose(condition: Any, a: Any, b: Any) -> Any:
        if not isinstance(condition, Expression):
            raise TypeError(f"the condition must be an expression, not {type(condition).__name__}")
        condition, a, b = _alike(condition, a, b)
        return condition.where(a, b)
    return _entrywise(choose, condition, a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two, of vectors entry by entry; `np.maximum` does the same for single ones.

    >>> import alembert
    >>> alembert.maximum(alembert.ModelBuilder().coordinate("x"), 0.5)
    max(x, 0.5)
    """
    return _entrywise(lambda a, b: _FUNCTIONS["maximum"](a, b) if _is_expression(a, b) else max(a, b), a, b)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two, of vectors entry by entry; `np.minimum` does the same for single ones.

    >>> import alembert
    >>> alembert.minimum(alembert.ModelBuilder().coordinate("x"), 0.5)
    min(x, 0.5)
    """
    return _entrywise(lambda a, b: _FUNCTIONS["minimum"](a, b) if _is_expression(a, b) else min(a, b), a, b)


def sign(a: Any) -> Any:
    """-1, 0 or 1, of vectors entry by entry.

    >>> import alembert
    >>> alembert.sign(alembert.ModelBuilder().coordinate("x"))
    sign(x)
    """
    return _entrywise(lambda a: a.sign() if _is_expression(a) else float(np.sign(a)), a)


def norm(vector: Any) -> Any:
    """The length of a vector.

    >>> import alembert
    >>> alembert.norm(alembert.ModelBuilder().coordinate("r", size=2))
    sqrt(r[1]^2 + r[2]^2)
    """
    vector = np.asarray(vector, dtype=object).ravel()
    if len(vector) == 0:
        raise wrong("the norm of an empty vector")
    square = sum(x * x for x in vector)
    return square.sqrt() if _is_expression(square) else float(np.sqrt(square))


def cross(a: Any, b: Any) -> np.ndarray:
    """The product of two vectors in space.

    >>> import alembert
    >>> r = alembert.ModelBuilder().coordinate("r", size=3)
    >>> alembert.cross(r, (0, 0, 2))
    array([2*r[2], -2*r[1], 0], dtype=object)
    """
    a, b = np.asarray(a, dtype=object), np.asarray(b, dtype=object)
    if a.shape != (3,) or b.shape != (3,):
        raise wrong(f"vectors of three entries are needed, not of shapes {a.shape} and {b.shape}")
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dtype=object)
