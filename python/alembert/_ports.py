"""Port-Hamiltonian systems and components in a builder."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Union

from ._bodies import Body
from ._expression import Expression
from ._statements import Statements, _family_name, _quoted

__all__ = ["Component"]


class Component:
    """A model in a file of its own that was put into another one: `motor["speed"]` is what it calls speed, `leg.body("thigh")`
    a body of an assembly.

    >>> import alembert
    >>> m = alembert.ModelBuilder("Drive")
    >>> motor = m.component("motor", "models/components/dc_motor.alm", values={"R": 2})
    >>> motor["speed"]
    motor.speed
    """

    def __init__(self, builder: Statements, name: str):
        self._builder = builder
        self.name = name

    def __getitem__(self, name: str) -> Expression:
        return self._builder.symbol(f"{self.name}.{name}")

    def body(self, name: str, planar: bool = False) -> Body:
        """A body of an assembly, for joints and what else takes hold of it."""
        return Body(self._builder, f"{self.name}.{name}", planar)

    def __repr__(self) -> str:
        return f"Component({self.name!r})"


class PortStatements(Statements):
    """E x' + r = (J - R) z + (B - P) u, y = (B + P)^T z + (S - N) u. Matrices are given whole, as lists of rows, or by their
    entries: `m.structure({(q, p): 1})`."""

    def state(self, name: str, start: Any = None, *, size: Optional[int] = None, unit: str = "", over: str = "") -> Any:
        """A state x of a port-Hamiltonian system, with its initial value.

        >>> import alembert, math
        >>> m = alembert.ModelBuilder("Mass on a spring, pushed")
        >>> q, p = m.state("q", 1), m.state("p")
        >>> F = m.input("F", 0)
        >>> m.hamiltonian(q**2/2 + p**2/2)
        >>> m.structure({(q, p): 1})
        >>> m.port({(p, F): 1})
        >>> run = m.simulate("gauss_collocation(3)", step=0.01, end=1)
        >>> abs(run["q"][-1] - math.cos(1)) < 1e-12
        True
        """
        return self._declare("state", name, start, size, unit, over)

    def input(self, name: Union[str, Expression], value: Any = None, *, size: Optional[int] = None, unit: str = "", over: str = "") -> Any:
        """An input: what may be set from outside (`compile(inputs=["F"])`, `simulate(inputs={"F": (t, F)})`), and its value
        where nobody does, which may be an expression of time, states and outputs. Of a component: `m.input(motor["V"], 12)`.

        >>> import alembert
        >>> m = alembert.ModelBuilder("Pushed mass")
        >>> x = m.coordinate("x")
        >>> m.kinetic(m.rate(x)**2/2)
        >>> m.force(x, m.input("F", 0))
        >>> s = m.compile("gauss(2)", inputs=["F"], step=0.01)
        >>> s.steps(100, F=2)
        >>> round(s["x"], 12)
        1.0
        """
        return self._declare("input", name if isinstance(name, str) else self._target(name), value, size, unit, over)

    def output(self, name: str, of: Any = None, *, unit: str = "") -> Any:
        """A name for the output that belongs to an input; by order where none is named."""
        return self._declare("output", name, unit=unit, of="" if of is None else self._target(of))

    def flow(self, E: Any) -> None:
        """E, the identity where nothing is said; singular for algebraic states."""
        self._matrix("flow", "E", E)

    def structure(self, J: Any) -> None:
        """J, skew; an entry brings its partner."""
        self._matrix("structure", "J", J)

    def dissipation(self, R: Any) -> None:
        """R, symmetric and positive semidefinite."""
        self._matrix("dissipation", "R", R)

    def port(self, B: Any) -> None:
        """B, a row for each state and a column for each input."""
        self._matrix("port", "B", B)

    def coupling(self, P: Any) -> None:
        """P, the dissipation between states and inputs."""
        self._matrix("coupling", "P", P)

    def feedthrough(self, D: Any) -> None:
        """S - N, from inputs to outputs."""
        self._matrix("feedthrough", "D", D)

    def effort(self, values: Any) -> None:
        """z of some states, where it is not to be found from grad H = E^T z: `m.effort({v: v})`."""
        self._entries("effort", values)

    def drift(self, values: Any) -> None:
        """r of some states: `m.drift({q: omega*np.cos(omega*m.t)})`."""
        self._entries("drift", values)

    def component(self, name: str, file: Any, *, at: Any = None, rotated: Any = None, about: Any = None,
                  turned: Any = None, values: Optional[Mapping[str, Any]] = None, over: str = "") -> Component:
        """A model in a file of its own: a port-Hamiltonian system, or an assembly of bodies and joints, which may be placed
        (`at`, and `rotated` by an angle `about` an axis; `turned` is the older word). values: in place of its parameters and initial values."""
        words = f'component {_family_name(name)} = "{_quoted(file)}"' + self._words(at=at, rotated=rotated, turned=turned, about=about)
        if values:
            words += " with " + ", ".join(f"{self._target(key)} = {self._text(value)}" for key, value in values.items())
        self._say(words, over)
        return Component(self, name)

    def connect(self, left: Any, right: Any, *, lossy: bool = False, over: str = "") -> None:
        """A linear equation between inputs and outputs of components: `m.connect(motor["load"], -gear["torque1"])`. All of them
        together conserve power, unless lossy allows that they take some."""
        self._say(f"connect {'lossy ' if lossy else ''}{self._text(left)} = {self._text(right)}", over)

    def _matrix(self, keyword: str, letter: str, given: Any) -> None:
        if not isinstance(given, Mapping):
            self._say(f"{keyword} {self._text(given)}")
            return
        entries = []
        for place, value in given.items():
            if not isinstance(place, tuple) or len(place) != 2:
                raise TypeError(f"entries of {letter} are given by two names: {{(q, p): 1}}, not {place!r}")
            row, column = (self._target(one) for one in place)
            entries.append(f"{letter}({row}, {column}) = {self._text(value)}")
        self._say(f"{keyword} " + ", ".join(entries))

    def _entries(self, keyword: str, given: Any) -> None:
        if not isinstance(given, Mapping):
            self._say(f"{keyword} {self._text(given)}")
            return
        self._say(f"{keyword} " + ", ".join(f"{self._target(key)} = {self._text(value)}" for key, value in given.items()))
