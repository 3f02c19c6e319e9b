"""What a run, a check or a measurement says about itself."""

from __future__ import annotations

import html
from typing import Any, Iterator, Mapping

from ._values import nearest

__all__ = ["Report", "Findings"]


class Report(Mapping):
    """A tree of numbers and words, with attributes: `report.energy.max_error`, `report.q["x1"]`, `report["q.x1"]`.

    The keys are those that `docs/json.md` lists; what is missing or not finite is None.

    >>> import alembert
    >>> report = alembert.simulate("models/pendulum.alm", step=0.01, end=1).report
    >>> report.statistics.steps, report["statistics.steps"]
    (100, 100)
    """

    def __init__(self, tree: Mapping[str, Any], text: str = ""):
        self._tree = tree
        self._text = text

    @property
    def text(self) -> str:
        """What the program prints."""
        return self._text

    def __getitem__(self, path: str) -> Any:
        if not isinstance(path, str):
            raise TypeError(f"keys are texts, not {type(path).__name__}")
        if path in self._tree:
            return wrapped(self._tree[path])
        for cut in reversed([i for i, c in enumerate(path) if c == "."]):
            if path[:cut] in self._tree and isinstance(self._tree[path[:cut]], Mapping):
                return Report(self._tree[path[:cut]])[path[cut + 1:]]
        if path.endswith("]") and "[" in path:
            name, _, number = path[:-1].rpartition("[")
            if number.isdigit() and int(number) >= 1:
                found = self[name]
                if isinstance(found, list) and int(number) <= len(found):
                    return found[int(number) - 1]
        near = nearest(path, self._tree)
        raise KeyError(f"there is no '{path}'" + (f": did you mean '{near}'?" if near else ""))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._tree:
            return wrapped(self._tree[name])
        near = nearest(name, self._tree)
        raise AttributeError(f"the report has no '{name}'" + (f": did you mean '{near}'?" if near else ""))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(k for k in self._tree if k.isidentifier())]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tree)

    def __len__(self) -> int:
        return len(self._tree)

    def entries(self) -> dict[str, Any]:
        """All numbers and words by their paths, as the columns of a sweep name them."""
        found: dict[str, Any] = {}
        _collect("", self._tree, found)
        return found

    def __repr__(self) -> str:
        return self._text.rstrip("\n") if self._text else f"Report({self._tree!r})"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"

    def __reduce__(self) -> tuple:
        return type(self), (self._tree, self._text)


def _collect(path: str, tree: Any, found: dict[str, Any]) -> None:
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            _collect(f"{path}.{key}" if path else key, value, found)
    elif isinstance(tree, list):
        for number, value in enumerate(tree, 1):
            _collect(f"{path}[{number}]", value, found)
    else:
        found[path] = tree


def wrapped(value: Any) -> Any:
    if isinstance(value, Mapping):
        return Report(value)
    if isinstance(value, list):
        return [wrapped(one) for one in value]
    return value


class Findings(Report):
    """What `check`, `verify` or `converge` found: `print(found)` shows what the program prints, attributes and keys
    give the numbers. `failed`: a run failed, or a claim is false. `csv` and `svg` where there are such.

    >>> import alembert
    >>> found = alembert.check("models/pendulum.alm")
    >>> found.degrees_of_freedom, found.failed
    (1, False)
    """

    def __init__(self, told: tuple):
        text, tree, self._csv, self._svg, self._failed = told[:5]
        super().__init__(tree, text)

    @property
    def failed(self) -> bool:
        """A run failed, or a claim is false."""
        return self._failed

    @property
    def csv(self) -> str:
        """A table, where there is one."""
        return self._csv

    @property
    def svg(self) -> str:
        """A figure, where there is one."""
        return self._svg

    def __reduce__(self) -> tuple:
        return type(self), ((self._text, self._tree, self._csv, self._svg, self._failed),)

    def _repr_html_(self) -> str:
        return super()._repr_html_() + self._svg
