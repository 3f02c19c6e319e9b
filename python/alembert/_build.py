"""Models built in Python: symbols and expressions, bodies and joints as objects.

Numbers, lists, expressions of the builder, texts of the model language and expressions of SymPy may stand wherever a value
is wanted. Every call writes a statement of the model language; `text()` shows them, and `build()` checks all of it at once. What is
wrong is shown in that text, with the line of Python that made it.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core
from ._expression import Expression
from ._model import Model
from ._values import number, text_of
from .errors import ModelError, wrong

__all__ = ["ModelBuilder", "Body", "Joint", "Place"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*\Z")
_JOINTS = ["spherical", "revolute", "prismatic", "cylindrical", "universal", "fixed", "planar", "distance", "rolling"]
_HERE = os.path.dirname(os.path.abspath(__file__))


class Place:
    """A point and an axis of a body, or of the ground."""

    def __init__(self, owner: str, point: Any = None, axis: Any = None):
        self.owner = owner
        self.point_given = point
        self.axis_given = axis

    def at(self, point: Any = None, axis: Any = None) -> "Place":
        """Another place of the same body, or of the ground: `m.ground.at(axis=(1, 0, 0))`."""
        return Place(self.owner, point, axis)

    def _text(self, builder: "ModelBuilder") -> str:
        words = self.owner
        if self.point_given is not None:
            words += f" point {builder._text(self.point_given)}"
        if self.axis_given is not None:
            words += f" axis {builder._text(self.axis_given)}"
        return words


class _Made:
    """Something that a statement made, whose parts are symbols: NAME.part."""

    def __init__(self, builder: "ModelBuilder", name: str):
        self._builder = builder
        self.name = name

    def _symbol(self, part: str) -> Expression:
        return self._builder.symbol(f"{self.name}.{part}")

    def _vector(self, part: str, size: int) -> np.ndarray:
        return _vector([self._symbol(f"{part}[{i}]") for i in range(1, size + 1)])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class Body(_Made):
    """A rigid body; `at(point=..., axis=...)` is where joints, springs and loads take hold of it."""

    def __init__(self, builder: "ModelBuilder", name: str, planar: bool):
        super().__init__(builder, name)
        self.planar = planar

    def at(self, point: Any = None, axis: Any = None) -> Place:
        return Place(self.name, point, axis)

    @property
    def r(self) -> np.ndarray:
        """Its centre of mass."""
        return self._vector("r", 2 if self.planar else 3)

    @property
    def e(self) -> np.ndarray:
        """Its unit quaternion."""
        return self._vector("e", 4)

    @property
    def phi(self) -> Expression:
        """Its angle, in the plane."""
        return self._symbol("phi")

    @property
    def angles(self) -> np.ndarray:
        return self._vector("angles", 3)

    @property
    def spin(self) -> np.ndarray:
        """Its angular velocity in its own frame."""
        return self._vector("spin", 3)

    @property
    def omega(self) -> np.ndarray:
        """Its angular velocity in the frame of the world."""
        return self._vector("omega", 3)

    def point(self, *place: Any) -> np.ndarray:
        """Where a point of the body is in the world."""
        return self._of("point", place)

    def direction(self, *vector: Any) -> np.ndarray:
        """A direction of the body in the frame of the world."""
        return self._of("direction", vector)

    def _of(self, function: str, arguments: Sequence[Any]) -> np.ndarray:
        size = 2 if self.planar else 3
        if len(arguments) != size:
            raise TypeError(f"{function}() of '{self.name}' takes {size} numbers, not {len(arguments)}")
        given = ", ".join(self._builder._text(one) for one in arguments)
        return self._vector(f"{function}({given})", size)


class Joint(_Made):
    """A joint; its angle and its reactions may stand in expressions."""

    def __init__(self, builder: "ModelBuilder", name: str, planar: bool):
        super().__init__(builder, name)
        self.planar = planar

    def __getattr__(self, part: str) -> Expression:
        if part in ("angle", "rate", "distance", "speed", "angle1", "angle2", "rate1", "rate2"):
            return self._symbol(part)
        raise AttributeError(f"a joint has no '{part}'")

    @property
    def force(self) -> np.ndarray:
        """The reaction on the second body, in the frame of the world."""
        return self._vector("force", 2 if self.planar else 3)

    @property
    def moment(self) -> Union[Expression, np.ndarray]:
        return self._symbol("moment") if self.planar else self._vector("moment", 3)


class ModelBuilder:
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
    """

    def __init__(self, title: str = "", source: str = ""):
        if not isinstance(title, str):
            raise TypeError(f"the title must be a text, not {type(title).__name__}")
        self._workshop = _core.Workshop()
        self._lines: list[str] = []
        self._origins: list[str] = []
        self._rates: dict[str, Expression] = {}
        self.title = title
        self.ground = Place("ground")
        if title:
            self.statement(f'model "{_quoted(title)}"')
        if source:
            self.statement(f'source "{_quoted(source)}"')

    # Symbols ----------------------------------------------------------------------------------------------------------
    def symbol(self, name: str) -> Expression:
        """What the model language calls by this name: 'rod.angle', 'lambda'."""
        return self._workshop.symbol(name)

    @property
    def t(self) -> Expression:
        """The time."""
        return self.symbol("t")

    def parameter(self, name: str, value: Any) -> Any:
        """A constant that a run may replace; lists make vectors."""
        return self._declare("parameter", name, value)

    def coordinate(self, name: str, start: Any = None, *, rate: Any = None, size: Optional[int] = None) -> Any:
        """A coordinate (a vector with size), with its value and its rate at the start; 0 where nothing is said."""
        made = self._declare("coordinate", name, start, size)
        for x in np.atleast_1d(np.asarray(made, dtype=object)):
            self._rates[x.text] = self.symbol(x.text + "'")
        if rate is not None:
            self.statement(f"initial {name}' = {self._text(rate)}")
        return made

    def coordinates(self, names: str) -> tuple[Expression, ...]:
        """Several at once: `x, y = m.coordinates("x y")`."""
        return tuple(self.coordinate(name) for name in names.replace(",", " ").split())

    def rate(self, x: Any) -> Any:
        """The velocity of a coordinate, or of a vector of them."""
        if isinstance(x, (list, tuple, np.ndarray)):
            return _vector([self.rate(one) for one in x])
        self._check(x)
        if x.text not in self._rates:
            raise wrong(f"only a coordinate of the model has a rate, not '{x.text}'")
        return self._rates[x.text]

    def momentum(self, name: str, of: Any, start: Any = None) -> Any:
        """The momentum of a coordinate, in the Hamiltonian form."""
        of_name = _base(of)
        size = len(of) if isinstance(of, np.ndarray) else None
        entry = f"[{size}]" if size else ""
        self.statement(f"momentum {_name(name)}{entry} of {of_name}" + self._start(start))
        return self._symbols(name, size)

    def variable(self, name: str, start: Any = None) -> Any:
        """A first-order state beside the mechanics: the integrator of a controller, a filter; `derivative` says how it
        changes."""
        return self._declare("variable", name, start)

    def derivative(self, variable: Any, value: Any) -> None:
        """The rate of a variable: `m.derivative(z, x - target)`."""
        self.statement(f"rate {_base(variable)}' = {self._text(value)}")

    def let(self, name: str, value: Any) -> Any:
        """A name for an expression."""
        self.statement(f"let {_name(name)} = {self._text(value)}")
        return self._symbols(name, len(value) if isinstance(value, (list, tuple, np.ndarray)) else None)

    def table(self, name: str, x: Any, y: Any, kind: str = "linear"):
        """A function by its values: linear, spline or monotone between them. Gives a function of expressions."""
        x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        if x.ndim != 1 or x.shape != y.shape:
            raise wrong(f"a table needs two lists of one length, not shapes {x.shape} and {y.shape}")
        points = ", ".join(f"({self._text(a)}, {self._text(b)})" for a, b in zip(x.tolist(), y.tolist()))
        self.statement(f"table {_name(name)}(x) = {points} {kind}")
        return lambda argument: self.symbol(f"{name}({self._text(argument)})")

    # What the model says ----------------------------------------------------------------------------------------------
    def kinetic(self, energy: Any) -> None:
        self.statement(f"kinetic {self._text(energy)}")

    def potential(self, energy: Any) -> None:
        self.statement(f"potential {self._text(energy)}")

    def lagrangian(self, L: Any) -> None:
        self.statement(f"lagrangian {self._text(L)}")

    def hamiltonian(self, H: Any) -> None:
        self.statement(f"hamiltonian {self._text(H)}")

    def rayleigh(self, dissipation: Any) -> None:
        self.statement(f"rayleigh {self._text(dissipation)}")

    def force(self, coordinate: Any, force: Any) -> None:
        self.statement(f"force {_base(coordinate)} = {self._text(force)}")

    def constraint(self, name: str, left: Any, right: Any = 0) -> None:
        """left = right: holonomic, or nonholonomic where it contains rates."""
        self.statement(f"constraint {_name(name)}: {self._text(left)} = {self._text(right)}")

    def conserve(self, name: str, value: Any) -> None:
        self.statement(f"conserve {_name(name)}: {self._text(value)}")

    def observe(self, name: str, value: Any) -> None:
        """Records a scalar or a vector: a column of the run of its own."""
        self.statement(f"observe {_name(name)}: {self._text(value)}")

    def event(self, name: str, left: Any, right: Any = 0, direction: str = "") -> None:
        """Found where left = right; direction: 'rising', 'falling', or both."""
        _direction(direction)
        self.statement(f"event {_name(name)}: {self._text(left)} = {self._text(right)} {direction}".rstrip())

    def when(self, event: str, values: Mapping[Any, Any]) -> None:
        """What an event sets: `m.when("bottom", {vx: -e*vx})`."""
        if not isinstance(values, Mapping):
            raise TypeError(f"values must be a dictionary, not {type(values).__name__}")
        actions = ", ".join(f"{_base(target)} = {self._text(value)}" for target, value in values.items())
        self.statement(f"when {_name(event)}: {actions}")

    def stop(self, left: Any, right: Any = 0, direction: str = "") -> None:
        _direction(direction)
        self.statement(f"stop when {self._text(left)} = {self._text(right)} {direction}".rstrip())

    def initial(self, target: Any, value: Any) -> None:
        self.statement(f"initial {_base(target)} = {self._text(value)}")

    def pin(self, *targets: Any) -> None:
        """Initial values that stay as they are when the others are made consistent."""
        self.statement("pin " + ", ".join(_base(target) for target in targets))

    def density(self, value: Any) -> None:
        self.statement(f"density {self._text(value)}")

    def solve(self, method: str, step: float, end: float) -> None:
        """What a run does where nothing else is said."""
        self.statement(f"solve {method} step {number('step', step)!r} end {number('end', end)!r}")

    # Bodies and joints ------------------------------------------------------------------------------------------------
    def body(self, name: str, *, mass: Any = None, inertia: Any = None, planar: bool = False, at: Any = None,
             rotated: Any = None, about: Any = None, euler: Optional[str] = None, angles: Any = None, angle: Any = None,
             velocity: Any = None, spin: Any = None, omega: Any = None) -> Body:
        """A rigid body, its frame at its centre of mass. rotated with about: an angle and an axis."""
        words = f"body {_name(name)}" + self._words(mass=mass, inertia=inertia)
        words += " planar" if planar else ""
        words += f" euler {euler}" if euler else ""
        words += self._words(at=at, rotated=rotated, about=about, angles=angles, angle=angle, velocity=velocity,
                             spin=spin, omega=omega)
        self.statement(words)
        return Body(self, name, planar)

    def gravity(self, *acceleration: Any) -> None:
        """`m.gravity(0, 0, -9.81)`: on all bodies."""
        given = acceleration[0] if len(acceleration) == 1 else acceleration
        self.statement(f"gravity {self._text(given)}")

    def joint(self, kind: str, name: str, first: Union[Body, Place], second: Union[Body, Place], *, length: Any = None,
              radius: Any = None, zero: Any = None) -> Joint:
        """What the second may do relative to the first: 'revolute', 'prismatic', 'spherical', ..."""
        if kind not in _JOINTS:
            raise wrong(f"there is no joint '{kind}'", "there are " + ", ".join(_JOINTS))
        words = f"joint {kind} {_name(name)} from {self._held(first)} to {self._held(second)}"
        self.statement(words + self._words(length=length, radius=radius, zero=zero))
        planar = any(isinstance(one, Body) and one.planar for one in (first, second))
        return Joint(self, name, planar or self._is_planar(first) or self._is_planar(second))

    def revolute(self, name: str, first: Any, second: Any, **options: Any) -> Joint:
        return self.joint("revolute", name, first, second, **options)

    def spherical(self, name: str, first: Any, second: Any, **options: Any) -> Joint:
        return self.joint("spherical", name, first, second, **options)

    def prismatic(self, name: str, first: Any, second: Any, **options: Any) -> Joint:
        return self.joint("prismatic", name, first, second, **options)

    def load(self, name: str, on: Union[Body, Place], *, force: Any = None, torque: Any = None,
             frame: Optional[Body] = None) -> None:
        """A force at a point of a body, a torque, or both, in the frame of the world or of a body."""
        self.statement(f"load {_name(name)} on {self._held(on)}" + self._words(force=force, torque=torque) +
                       (f" frame {frame.name}" if frame is not None else ""))

    def drive(self, name: str, joint: Joint, **what: Any) -> None:
        """A motor: angle, distance, torque or force of a joint."""
        self.statement(f"drive {_name(name)} joint {joint.name}" + self._words(**what))

    def spring(self, name: str, first: Union[Body, Place], second: Union[Body, Place], *, stiffness: Any = None,
               length: Any = None, damping: Any = None) -> None:
        self.statement(f"spring {_name(name)} from {self._held(first)} to {self._held(second)}" +
                       self._words(stiffness=stiffness, length=length, damping=damping))

    def torsion(self, name: str, joint: Joint, what: str = "", *, stiffness: Any = None, rest: Any = None,
                damping: Any = None) -> None:
        """A spring or damper in a joint."""
        self.statement(f"torsion {_name(name)} joint {joint.name}" + (f" {what}" if what else "") +
                       self._words(stiffness=stiffness, rest=rest, damping=damping))

    # The model --------------------------------------------------------------------------------------------------------
    def statement(self, text: str) -> None:
        """Any statement of the model language."""
        if not isinstance(text, str):
            raise TypeError(f"a statement is a text, not {type(text).__name__}")
        origin = _caller()
        for line in text.splitlines():
            self._lines.append(line)
            self._origins.append(origin)

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

    def simulate(self, *args: Any, **keywords: Any):
        """`alembert.simulate(self, ...)`."""
        return self.build().simulate(*args, **keywords)

    def compile(self, *args: Any, **keywords: Any):
        """`alembert.compile(self, ...)`."""
        return self.build().compile(*args, **keywords)

    def _repr_html_(self) -> str:
        import html
        return f"<pre>{html.escape(self.text())}</pre>"

    def __repr__(self) -> str:
        return f"ModelBuilder({self.title!r}, {len(self._lines)} statements)"

    # Inside -----------------------------------------------------------------------------------------------------------
    def _check(self, value: Any) -> None:
        if not isinstance(value, Expression):
            raise TypeError(f"an expression is needed, not {type(value).__name__}")
        if value.workshop is not self._workshop:
            raise wrong(f"'{value.text}' belongs to another model")

    def _text(self, value: Any) -> str:
        if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(np.empty(np.shape(value))) > 0:
            return "(" + ", ".join(self._text(one) for one in value) + ")"
        if isinstance(value, Expression):
            self._check(value)
        return text_of("a value", value)

    def _start(self, start: Any) -> str:
        return "" if start is None else f" = {self._text(start)}"

    def _declare(self, keyword: str, name: str, start: Any, size: Optional[int] = None) -> Any:
        if size is None and isinstance(start, (list, tuple, np.ndarray)):
            size = len(start)
        self.statement(f"{keyword} {_name(name)}" + (f"[{size}]" if size else "") + self._start(start))
        return self._symbols(name, size)

    def _symbols(self, name: str, size: Optional[int]) -> Any:
        if size is None:
            return self.symbol(name)
        return _vector([self.symbol(f"{name}[{i}]") for i in range(1, size + 1)])

    def _words(self, **parts: Any) -> str:
        return "".join(f" {key} {self._text(value)}" for key, value in parts.items() if value is not None)

    def _held(self, one: Any) -> str:
        if isinstance(one, Body):
            return one.name
        if isinstance(one, Place):
            return one._text(self)
        raise TypeError(f"a body, a place of one, or the ground is needed, not {type(one).__name__}")

    def _is_planar(self, one: Any) -> bool:
        name = one.owner if isinstance(one, Place) else one.name
        return any(re.match(rf"body {re.escape(name)}\b.* planar\b", line) for line in self._lines)


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


def _base(target: Any) -> str:
    """What a statement calls a symbol, or a whole vector of them."""
    if isinstance(target, str):
        return target
    if isinstance(target, Expression):
        return target.text
    if isinstance(target, np.ndarray) and len(target):
        name = re.sub(r"\[\d+\]", "", target[0].text)
        return name
    raise TypeError(f"a symbol is needed, not {type(target).__name__}")


def _direction(direction: str) -> None:
    if direction not in ("", "rising", "falling"):
        raise wrong(f"`direction` is 'rising' or 'falling', not '{direction}'")


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _caller() -> str:
    """The line outside this package that called."""
    frame = sys._getframe(1)
    while frame is not None and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == _HERE:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else ""
