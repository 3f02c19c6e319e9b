"""A bar for long work: tqdm where it is there, else a line on the error output."""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional


class Progress:
    """`progress` of a call: False, True, or a function of the fraction that is done."""

    def __init__(self, progress: Any, title: str):
        if not isinstance(progress, bool) and not callable(progress):
            raise TypeError(f"progress must be True, False or a function, not {type(progress).__name__}")
        self._given = progress
        self._title = title
        self._bar: Any = None
        self._shown = 0.0

    def __enter__(self) -> Optional[Callable[[float], None]]:
        if self._given is False:
            return None
        if self._given is not True:
            return self._given
        try:
            from tqdm.auto import tqdm
            self._bar = tqdm(total=100, desc=self._title, unit="%", leave=False)
        except ImportError:
            self._bar = None
        return self._show

    def _show(self, done: float) -> None:
        percent = 100 * done
        if self._bar is None:
            print(f"\r{self._title} {percent:3.0f} %", end="", file=sys.stderr, flush=True)
        else:
            self._bar.update(percent - self._shown)
        self._shown = percent

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._given is True and self._shown:
            print(file=sys.stderr)
