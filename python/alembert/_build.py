"""Models built in Python: symbols and expressions, bodies and joints as objects.

Numbers, lists, expressions of the builder, texts of the model language and expressions of SymPy may stand wherever a value
is wanted. Every call writes a statement of the model language; `text()` shows them, and `build()` checks all of it at once. What is
wrong is shown in that text, with the line of Python that made it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Mapping, NoReturn, Optional, Union

import numpy as np

from ._bodies import BodyStatements, Place
from ._expression import Expression
from ._model import Model
from ._ports import PortStatements
from ._statements import _direction, _family_name, _is_single, _name, _quoted, _vector
from ._values import array, number, whole
from .errors import ModelError, wrong

if TYPE_CHECKING:
    from ._run import Run
    from ._stepper import Stepper

__all__ = ["ModelBuilder"]


class ModelBuilder(BodyStatements, PortStatements):
    """Puts a model together.

    >>> import alembert
    >>> m = alembert.ModelBuilder("Pendulum")
    >>> mass, l = m.parameter("m", 1), m.parameter("l", 2)
    >>> x, y = m.coordinate("x", l), m.coordinate("y")
    >>> m.kinetic(mass/2*(m.rate(x)**2 + m.rate(y)**2))
    >>> m.potential(9.81*mass*y)
    >>> m.constraint("rod", x**2 + y**2, l**2)
    >>> print(m.text())
    model "Pendulum"
    parameter m = 1
    parameter l = 2
    coordinate x = l
    coordinate y
    kinetic m/2*(x'^2 + y'^2)
    potential y*9.81*m
    constraint rod: x^2 + y^2 = l^2
    <BLANKLINE>
    >>> run = m.simulate("lobatto(3)", step=0.01, end=1)
    >>> bool(run.report.residual.position < 1e-14)
    True

    Names such as "r[i]" belong to families: `m.family("i", 1, N)` says what i runs over, and `over="i = 2..N"` of a statement for
    which members it holds.
    """

    def __init__(self, title: str = "", source: str = ""):
        if not isinstance(title, str):
            raise TypeError(f"the title must be a text, not {type(title).__name__}")
        super().__init__()
        self._constant = {"t"}
        self.title = title
        self.ground = Place("ground", builder=self)
        if title:
            self.statement(f'model "{_quoted(title)}"')
        if source:
            self.statement(f'source "{_quoted(source)}"')

    # Symbols ----------------------------------------------------------------------------------------------------------
    @property
    def t(self) -> Expression:
        """The time."""
        return self.symbol("t")

    def parameter(self, name: str, value: Any, *, unit: str = "", size: Optional[int] = None, over: str = "") -> Any:
        """A constant that a run may replace; lists make vectors."""
        made = self._declare("parameter", name, value, size, unit, over)
        self._constant.update(one.text for one in np.ravel(np.asarray(made, dtype=object)))
        return made

    def family(self, name: str, first: Any, last: Any) -> Expression:
        """An index and the values that it takes in names such as "r[i]" and in sums.

        >>> import alembert
        >>> m = alembert.ModelBuilder("Chain")
        >>> N = m.parameter("N", 4)
        >>> i = m.family("i", 1, N)
        >>> r = m.coordinate("r[i]", size=2)
        >>> m.kinetic(m.sum(i, (m.rate(r) @ m.rate(r))/2))
        >>> m.constraint("rod", "norm2(r[i] - r[i-1])", 1, over="i = 2..N")
        >>> m.constraint("first", "norm2(r[1])", 1)
        >>> m.statement("initial r[i] = (i, 0)")
        >>> alembert.check(m).degrees_of_freedom
        4
        """
        self._say(f"family {_name(name)} = {self._text(first)}..{self._text(last)}")
        return self.symbol(name)

    def sum(self, index: Any, value: Any) -> Expression:
        """The sum over all members of a family."""
        return self.symbol(f"sum({self._target(index)}, {self._text(value)})")

    def coordinate(self, name: str, start: Any = None, *, rate: Any = None, size: Optional[int] = None,
                   unit: str = "", over: str = "") -> Any:
        """A coordinate (a vector with size), with its value and its rate at the start; 0 where nothing is said."""
        if size is None and start is None and isinstance(rate, (list, tuple, np.ndarray)):
            size = len(rate)
        made = self._declare("coordinate", name, start, size, unit, over)
        if rate is not None:
            self._say(f"initial {name}' = {self._text(rate)}", over)
        return made

    def coordinates(self, names: str) -> tuple[Expression, ...]:
        """Several at once: `x, y = m.coordinates("x y")`."""
        if not isinstance(names, str):
            raise TypeError(f"names are a text such as 'x y', not {type(names).__name__}")
        return tuple(self.coordinate(name) for name in names.replace(",", " ").split())

    def rate(self, x: Any) -> Any:
        """The velocity of a coordinate, of whatever moves with the coordinates, or of a vector of such.

        >>> import alembert, numpy as np
        >>> m = alembert.ModelBuilder("Pendulum")
        >>> l, phi = m.parameter("l", 2), m.coordinate("phi", 1)
        >>> tip = np.array([l*np.sin(phi), -l*np.cos(phi)])
        >>> m.kinetic(m.rate(tip) @ m.rate(tip)/2)
        >>> print(m.text().splitlines()[-1])
        kinetic ((l*sin(phi))'^2 + (-l*cos(phi))'^2)/2
        """
        if isinstance(x, (list, tuple, np.ndarray)):
            shape = np.shape(np.array(x, dtype=object))
            return _vector([self.rate(one) for one in np.ravel(np.array(x, dtype=object))]).reshape(shape)
        self._check(x)
        if x.text in self._constant or "'" in x.text:
            raise wrong(f"only what the coordinates determine has a rate, not '{x.text}'",
                        "`derivative` says how a variable changes")
        named = _is_single(x.text) and not x.text[0].isdigit()
        return self.symbol(x.text + "'" if named else f"({x.text})'")

    def momentum(self, name: str, of: Any, start: Any = None, *, unit: str = "", over: str = "") -> Any:
        """The momentum of a coordinate, in the Hamiltonian form."""
        size = len(of) if isinstance(of, np.ndarray) else None
        return self._declare("momentum", name, start, size, unit, over, of=self._target(of))

    def velocity(self, name: str, start: Any = None, *, size: Optional[int] = None, unit: str = "", over: str = "") -> Any:
        """A velocity v of the multibody form q' = Z(q) v, M v' = f: see `kinematics` and `mass`."""
        return self._declare("velocity", name, start, size, unit, over)

    def variable(self, name: str, start: Any = None, *, size: Optional[int] = None, unit: str = "", over: str = "") -> Any:
        """A first-order state, alone or beside the mechanics (the integrator of a controller, a filter); `derivative` says how
        it changes."""
        return self._declare("variable", name, start, size, unit, over)

    def multiplier(self, name: str, start: Any = None, *, size: Optional[int] = None, unit: str = "") -> Any:
        """An unknown of the general form that belongs to a constraint, with an initial guess."""
        return self._declare("multiplier", name, start, size, unit)

    def auxiliary(self, name: str, left: Any, right: Any = 0, *, start: Any = None) -> Expression:
        """A variable that the coordinates determine by left = right (a contact point), and a value near which it starts. The
        equation may be a text, since it contains the variable: `m.auxiliary("s", "(x - s) + (y - s^2)*2*s")`."""
        self._say(f"auxiliary {_name(name)}{self._start(start)}: {self._text(left)} = {self._text(right)}")
        return self.symbol(name)

    def quantity(self, name: str, value: Any) -> Any:
        """A differentiated quantity p(t, y, z) of the general form; `derivative` says how it changes."""
        size = len(value) if isinstance(value, (list, tuple, np.ndarray)) else None
        entries = f"[{size}]" if size and size > 1 else ""  # a vector of one entry is written as a scalar
        self._say(f"quantity {_name(name)}{entries} = {self._text(value)}")
        return _vector([self.symbol(name)]) if size == 1 else self._symbols(name, size)

    def derivative(self, variable: Any, value: Any) -> None:
        """The rate of a variable or quantity: `m.derivative(z, x - target)`. `m.reaction(...)` marks what reactions add."""
        self._say(f"rate {self._target(variable)}' = {self._text(value)}")

    def reaction(self, value: Any) -> Any:
        """Marks the part of a derivative that multipliers make, in the general form.

        >>> import alembert
        >>> m = alembert.ModelBuilder("Bead on a line")
        >>> y, z = m.variable("y", [0.0, 0.0]), m.variable("z", [1.0, 1.0])
        >>> psi = m.multiplier("psi")
        >>> m.derivative(y, z)
        >>> m.derivative(z, m.reaction([-psi, psi]))
        >>> m.constraint("line", y[1], y[0])
        >>> run = m.simulate("true_euler(1/2)", step=0.01, end=1)
        >>> bool(abs(run["y"][-1] - 1).max() < 1e-12)
        True
        """
        if isinstance(value, (list, tuple, np.ndarray)):
            return _vector([self.reaction(one) for one in value])
        return self.symbol(f"reaction({self._text(value)})")

    def let(self, name: str, value: Any, *, over: str = "") -> Any:
        """A name for an expression. Functions need no name: those of Python give expressions."""
        self._say(f"let {_family_name(name)} = {self._text(value)}", over)
        return self._symbols(name, len(value) if isinstance(value, (list, tuple, np.ndarray)) else None)

    def table(self, name: str, x: Any, y: Any = None, kind: str = "linear", *,
              column: Union[int, str, None] = None) -> Callable[[Any], Expression]:
        """A function by its values: lists x and y, or a CSV file with a column; linear, spline or monotone between them. Gives a
        function of expressions.

        >>> import alembert
        >>> m = alembert.ModelBuilder("Ramp")
        >>> ramp = m.table("ramp", [0, 1, 3], [0, 2, 2])
        >>> ramp(m.t)
        ramp(t)
        """
        if kind not in ("linear", "spline", "monotone"):
            raise wrong(f"`kind` is 'linear', 'spline' or 'monotone', not '{kind}'")
        if isinstance(x, (str, os.PathLike)):
            if y is not None:
                raise TypeError("a table from a file has its values there: leave out y")
            points = f'"{_quoted(x)}"' + ("" if column is None else f" column {column}")
        else:
            if column is not None:
                raise TypeError("column goes with a file")
            x, y = array("x", x), array("y", y)
            if x.shape != y.shape:
                raise wrong(f"a table needs two lists of one length, not of {len(x)} and {len(y)}")
            points = ", ".join(f"({self._text(a)}, {self._text(b)})" for a, b in zip(x.tolist(), y.tolist()))
        self._say(f"table {_name(name)}(x) = {points} {kind}")
        return lambda argument: self.symbol(f"{name}({self._text(argument)})")

    # What the model says ----------------------------------------------------------------------------------------------
    def kinetic(self, energy: Any) -> None:
        """The kinetic energy, or a part of it."""
        self._say(f"kinetic {self._text(energy)}")

    def potential(self, energy: Any) -> None:
        """The potential energy, or a part of it."""
        self._say(f"potential {self._text(energy)}")

    def lagrangian(self, L: Any) -> None:
        """Kinetic minus potential energy in one."""
        self._say(f"lagrangian {self._text(L)}")

    def hamiltonian(self, H: Any) -> None:
        """The energy as a function of coordinates and momenta, or of the states of a port-Hamiltonian system."""
        self._say(f"hamiltonian {self._text(H)}")

    def rayleigh(self, dissipation: Any) -> None:
        """The dissipation function: its velocity gradient is the braking force."""
        self._say(f"rayleigh {self._text(dissipation)}")

    def force(self, coordinate: Any, force: Any, *, over: str = "") -> None:
        """The force that acts on a coordinate (or on a vector of them), besides the energies."""
        self._say(f"force {self._target(coordinate)} = {self._text(force)}", over)

    def kinematics(self, coordinate: Any, value: Any) -> None:
        """q' = Z(q) v of the multibody form: `m.kinematics(phi, w)`."""
        self._say(f"kinematics {self._target(coordinate)}' = {self._text(value)}")

    def mass(self, velocity: Any, value: Any) -> None:
        """M(q) of the multibody form: masses of the entries of v, or the product M v."""
        self._say(f"mass {self._target(velocity)} = {self._text(value)}")

    def constraint(self, name: str, left: Any, right: Any = 0, *, multiplier: Any = None, over: str = "") -> None:
        """left = right: holonomic, or nonholonomic where it contains rates. multiplier: that of the general form; by order where
        not said."""
        belongs = "" if multiplier is None else f"({self._target(multiplier)})"
        self._say(f"constraint {_name(name)}{belongs}: {self._text(left)} = {self._text(right)}", over)

    def conserve(self, name: str, value: Any, *, over: str = "") -> None:
        """Something that is watched beside energy and constraints."""
        self._say(f"conserve {_name(name)}: {self._text(value)}", over)

    def observe(self, name: str, value: Any, *, over: str = "") -> None:
        """Records a scalar or a vector: a column of the run of its own."""
        self._say(f"observe {_name(name)}: {self._text(value)}", over)

    def event(self, name: str, left: Any, right: Any = 0, direction: str = "", *, over: str = "") -> None:
        """Found where left = right; direction: 'rising', 'falling', or both."""
        self._say(f"event {_name(name)}: {self._text(left)} = {self._text(right)}{_direction(direction)}", over)

    def when(self, event: Any, values: Mapping[Any, Any], *, over: str = "") -> None:
        """What an event sets: `m.when("bottom", {vx: -e*vx})`; or what happens where two sides become equal:
        `m.when((m.t, 5), {k: 2*k})`, with 'rising' or 'falling' as a third entry where it matters."""
        if not isinstance(values, Mapping):
            raise TypeError(f"values must be a dictionary, not {type(values).__name__}")
        if not values:
            raise wrong("`values` is empty", "an event may set parameters and states: {x: 1}")
        if isinstance(event, tuple):
            if len(event) not in (2, 3):
                raise TypeError("an event is a name, or (left, right) or (left, right, direction)")
            at = f"{self._text(event[0])} = {self._text(event[1])}{_direction(event[2] if len(event) == 3 else '')}"
        else:
            at = _name(event)
        actions = ", ".join(f"{self._target(target)} = {self._text(value)}" for target, value in values.items())
        self._say(f"when {at}: {actions}", over)

    def stop(self, left: Any, right: Any = 0, direction: str = "") -> None:
        """Where a run ends: where left = right."""
        self._say(f"stop when {self._text(left)} = {self._text(right)}{_direction(direction)}")

    def stop_after(self, count: int, event: str) -> None:
        """A run ends with the Nth event of a name."""
        self._say(f"stop after {whole('count', count)} {_name(event)}")

    def initial(self, target: Any, value: Any, *, over: str = "") -> None:
        """A value at the start: `m.initial(x, 1)`, `m.initial(m.rate(x), 2)`."""
        self._say(f"initial {self._target(target)} = {self._text(value)}", over)

    def pin(self, *targets: Any) -> None:
        """Initial values that stay as they are when the others are made consistent."""
        if not targets:
            raise TypeError("pin() needs something to hold")
        self._say("pin " + ", ".join(self._target(target) for target in targets))

    def density(self, value: Any) -> None:
        """How closely steps lie, up to a factor, under reversible step-size control."""
        self._say(f"density {self._text(value)}")

    def solve(self, method: str, step: float, end: float) -> None:
        """What a run does where nothing else is said."""
        if not isinstance(method, str):
            raise TypeError(f"a method is named by a text such as 'lobatto(3)', not {type(method).__name__}")
        self._say(f"solve {method} step {number('step', step)!r} end {number('end', end)!r}")

    # The model --------------------------------------------------------------------------------------------------------
    def text(self) -> str:
        """The model in the model language."""
        return "".join(line + "\n" for line in self._lines)

    def build(self) -> Model:
        """The model; raises ModelError with all that is wrong."""
        try:
            return Model(self.text(), self.title or "model")
        except ModelError as error:
            for problem in error.errors:
                if 1 <= problem.line <= len(self._origins):
                    problem.origin = self._origins[problem.line - 1]
            raise

    def simulate(self, *args: Any, **keywords: Any) -> "Run":
        """`alembert.simulate(self, ...)`."""
        return self.build().simulate(*args, **keywords)

    def compile(self, *args: Any, **keywords: Any) -> "Stepper":
        """`alembert.compile(self, ...)`."""
        return self.build().compile(*args, **keywords)

    def save(self, path: Any) -> None:
        """Checks the model and writes its text to a file (.alm)."""
        self.build().save(path)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a builder holds expressions and cannot be copied or pickled: build() gives a model that can")

    def _repr_html_(self) -> str:
        import html
        return f"<pre>{html.escape(self.text())}</pre>"

    def __repr__(self) -> str:
        return f"ModelBuilder({self.title!r}, {len(self._lines)} statements)"
