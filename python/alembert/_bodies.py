"""Bodies, joints, what acts on them, and contacts in a builder: objects whose parts stand in expressions."""

from __future__ import annotations

import re
from typing import Any, Optional, Sequence, Union

import numpy as np

from ._expression import Expression
from ._statements import Statements, _family_name, _quoted, _vector
from ._values import is_list, truth
from .errors import wrong

__all__ = ["Body", "Joint", "Place"]

_JOINTS = ["spherical", "revolute", "prismatic", "cylindrical", "universal", "fixed", "planar", "distance", "rolling"]
_DRAWINGS = ["box", "sphere", "cylinder", "line", "spring", "damper", "mesh"]


class Place:
    """A point and an axis of a body, or of the ground; with a shape, a side of a contact.

    >>> import alembert
    >>> m = alembert.ModelBuilder("Ball")
    >>> ball = m.body("ball", mass=1, inertia=(0.004, 0.004, 0.004), at=(0, 0, 1))
    >>> m.contact("floor", ball.sphere(0.1), m.ground.plane(axis=(0, 0, 1)), restitution=0.5, friction=0.3)
    >>> print(m.text().splitlines()[-1])
    contact floor from ball sphere 0.1 to ground plane axis (0, 0, 1) restitution 0.5 friction 0.3
    """

    def __init__(self, owner: str, point: Any = None, axis: Any = None, shape: str = "", size: Any = None,
                 builder: Optional[Statements] = None):
        self.owner = owner
        self._builder = builder
        self.point_given = point
        self.axis_given = axis
        self.shape = shape
        self.size = size

    def at(self, point: Any = None, axis: Any = None) -> "Place":
        """Another place of the same body, or of the ground: `m.ground.at(axis=(1, 0, 0))`."""
        return Place(self.owner, point, axis, builder=self._builder)

    def plane(self, *, axis: Any = None, point: Any = None) -> "Place":
        """A plane through a point (that of the place, else the origin of the body) with the normal `axis` (upwards), for
        contacts."""
        return self._shaped("plane", None, point, axis)

    def sphere(self, radius: Any, *, point: Any = None) -> "Place":
        """A sphere about a point (that of the place, else the centre of mass), for contacts."""
        return self._shaped("sphere", radius, point)

    def box(self, size: Any, *, point: Any = None) -> "Place":
        """The corners of a box with these edges, for contacts with planes."""
        return self._shaped("box", size, point)

    def disk(self, radius: Any, *, axis: Any = None, point: Any = None) -> "Place":
        """The rim of a disk, for contacts with planes."""
        return self._shaped("disk", radius, point, axis)

    def ellipsoid(self, half_axes: Any, *, point: Any = None) -> "Place":
        """An ellipsoid along the axes of the body, for contacts with planes."""
        return self._shaped("ellipsoid", half_axes, point)

    def _shaped(self, shape: str, size: Any, point: Any, axis: Any = None) -> "Place":
        if axis is None and shape in ("plane", "disk"):
            axis = self.axis_given
        return Place(self.owner, self.point_given if point is None else point, axis, shape, size, self._builder)

    def __repr__(self) -> str:
        return f"Place({self.owner!r})"

    def _text(self, builder: Statements) -> str:
        words = self.owner
        if self.shape:
            words += f" {self.shape}" + ("" if self.size is None else f" {builder._text(self.size)}")
        return words + builder._words(point=self.point_given, axis=self.axis_given)


class _Made:
    """Something that a statement made, whose parts are symbols: NAME.part."""

    def __init__(self, builder: Statements, name: str):
        self._builder = builder
        self.name = name

    def _symbol(self, part: str) -> Expression:
        return self._builder.symbol(f"{self.name}.{part}")

    def _vector(self, part: str, size: int) -> np.ndarray:
        return _vector([self._symbol(f"{part}[{i}]") for i in range(1, size + 1)])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class Body(_Made):
    """A rigid body; `at(point=..., axis=...)` is where joints, springs and loads take hold of it.

    >>> import alembert
    >>> m = alembert.ModelBuilder("Rod")
    >>> rod = m.body("rod", mass=1, inertia=0.1, planar=True)
    >>> rod.r, rod.phi, rod.point(0.5, 0)[0]
    (array([rod.r[1], rod.r[2]], dtype=object), rod.phi, rod.point(0.5, 0)[1])
    """

    def __init__(self, builder: Statements, name: str, planar: bool):
        super().__init__(builder, name)
        self.planar = planar

    def at(self, point: Any = None, axis: Any = None) -> Place:
        """A place of it: a point in its frame, an axis, or both."""
        return Place(self.name, point, axis, builder=self._builder)

    def plane(self, *, axis: Any = None, point: Any = None) -> Place:
        """A plane that moves with it, for contacts."""
        return self.at().plane(axis=axis, point=point)

    def sphere(self, radius: Any, *, point: Any = None) -> Place:
        """A sphere about a point (its centre of mass), for contacts."""
        return self.at().sphere(radius, point=point)

    def box(self, size: Any, *, point: Any = None) -> Place:
        """The corners of a box with these edges, for contacts with planes."""
        return self.at().box(size, point=point)

    def disk(self, radius: Any, *, axis: Any = None, point: Any = None) -> Place:
        """The rim of a disk, for contacts with planes."""
        return self.at().disk(radius, axis=axis, point=point)

    def ellipsoid(self, half_axes: Any, *, point: Any = None) -> Place:
        """An ellipsoid along its axes, for contacts with planes."""
        return self.at().ellipsoid(half_axes, point=point)

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
        """Its Euler angles, where it has such."""
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
        if len(arguments) == 1 and np.ndim(np.empty(np.shape(arguments[0]))) == 1:
            arguments = list(arguments[0])
        if len(arguments) != size:
            raise TypeError(f"{function}() of '{self.name}' takes {size} numbers, not {len(arguments)}")
        given = ", ".join(self._builder._text(one) for one in arguments)
        return self._vector(f"{function}({given})", size)


class Joint(_Made):
    """A joint; its angle and its reactions may stand in expressions.

    >>> import alembert
    >>> m = alembert.ModelBuilder("Pendulum")
    >>> rod = m.body("rod", mass=1, inertia=0.1, planar=True, at=(0, -1))
    >>> hinge = m.revolute("hinge", m.ground, rod.at(point=(0, 1)))
    >>> hinge.angle, hinge.force[1]
    (hinge.angle, hinge.force[2])
    """

    def __init__(self, builder: Statements, name: str, planar: bool):
        super().__init__(builder, name)
        self.planar = planar

    @property
    def angle(self) -> Expression:
        """How far it has turned, continuous through any number of turns."""
        return self._symbol("angle")

    @property
    def rate(self) -> Expression:
        """How fast it turns."""
        return self._symbol("rate")

    @property
    def distance(self) -> Expression:
        """How far it has slid."""
        return self._symbol("distance")

    @property
    def speed(self) -> Expression:
        """How fast it slides."""
        return self._symbol("speed")

    @property
    def angle1(self) -> Expression:
        """The first angle of a universal joint."""
        return self._symbol("angle1")

    @property
    def angle2(self) -> Expression:
        """The second angle of a universal joint."""
        return self._symbol("angle2")

    @property
    def rate1(self) -> Expression:
        """How fast the first angle of a universal joint changes."""
        return self._symbol("rate1")

    @property
    def rate2(self) -> Expression:
        """How fast the second angle of a universal joint changes."""
        return self._symbol("rate2")

    @property
    def force(self) -> np.ndarray:
        """The reaction on the second body, in the frame of the world."""
        return self._vector("force", 2 if self.planar else 3)

    @property
    def moment(self) -> Union[Expression, np.ndarray]:
        """The moment of the reaction on the second body, in the frame of the world."""
        return self._symbol("moment") if self.planar else self._vector("moment", 3)


class BodyStatements(Statements):
    """Bodies and joints as objects, loads, motors, springs, contacts, drawings."""

    ground: Place

    def body(self, name: str, *, mass: Any = None, inertia: Any = None, planar: bool = False, at: Any = None,
             rotated: Any = None, about: Any = None, turned: Any = None, euler: Optional[str] = None, angles: Any = None,
             angle: Any = None, velocity: Any = None, spin: Any = None, omega: Any = None, over: str = "") -> Body:
        """A rigid body, its frame at its centre of mass, and where it starts. rotated (or turned) with about: by an angle
        about an axis.

        >>> import alembert
        >>> m = alembert.ModelBuilder("Falling")
        >>> stone = m.body("stone", mass=2, inertia=(1, 1, 1), at=(0, 0, 5))
        >>> m.gravity(0, 0, -10)
        >>> run = m.simulate("gauss(2)", step=0.1, end=1)
        >>> bool(abs(run["stone.r"][-1, 2]) < 1e-12)
        True
        """
        words = f"body {_family_name(name)}" + self._words(mass=mass, inertia=inertia)
        words += " planar" if truth("planar", planar) else ""
        words += f" euler {euler}" if euler else ""
        words += self._words(at=at, rotated=rotated, turned=turned, about=about, angles=angles, angle=angle,
                             velocity=velocity, spin=spin, omega=omega)
        self._say(words, over)
        return Body(self, name, planar)

    def gravity(self, *acceleration: Any) -> None:
        """`m.gravity(0, 0, -9.81)`: on all bodies."""
        given = acceleration[0] if len(acceleration) == 1 else acceleration
        self._say(f"gravity {self._text(given)}")

    def joint(self, kind: str, name: str, first: Union[Body, Place], second: Union[Body, Place], *, length: Any = None,
              radius: Any = None, zero: Any = None, limits: Any = None, restitution: Any = None, friction: Any = None,
              static: Any = None, over: str = "") -> Joint:
        """What the second may do relative to the first: 'spherical', 'revolute', 'prismatic', 'cylindrical', 'universal',
        'fixed', 'planar', 'distance', 'rolling'. limits: (least, largest) of its angle or distance, stops with a restitution.
        friction: dry, by the force in the joint, on a pin of the given radius or along a guide; static: its coefficient while it
        sticks.

        >>> import alembert
        >>> m = alembert.ModelBuilder("Pendulum")
        >>> rod = m.body("rod", mass=1, inertia=0.1, planar=True, at=(0, -1))
        >>> hinge = m.joint("revolute", "hinge", m.ground, rod.at(point=(0, 1)), limits=(-1, 1), restitution=0.2)
        >>> alembert.check(m).degrees_of_freedom
        1
        """
        if kind not in _JOINTS:
            raise wrong(f"there is no joint '{kind}'", "there are " + ", ".join(_JOINTS))
        words = f"joint {kind} {_family_name(name)} from {self._held(first)} to {self._held(second)}"
        self._say(words + self._words(length=length, radius=radius, zero=zero, limits=limits, restitution=restitution,
                                      friction=friction, static=static), over)
        return Joint(self, name, self._is_planar(first) or self._is_planar(second))

    def revolute(self, name: str, first: Union[Body, Place], second: Union[Body, Place], **options: Any) -> Joint:
        """A hinge; as `joint`."""
        return self.joint("revolute", name, first, second, **options)

    def spherical(self, name: str, first: Union[Body, Place], second: Union[Body, Place], **options: Any) -> Joint:
        """A ball joint; as `joint`."""
        return self.joint("spherical", name, first, second, **options)

    def prismatic(self, name: str, first: Union[Body, Place], second: Union[Body, Place], **options: Any) -> Joint:
        """A slider; as `joint`."""
        return self.joint("prismatic", name, first, second, **options)

    def load(self, name: str, on: Union[Body, Place], *, force: Any = None, torque: Any = None,
             frame: Optional[Body] = None, over: str = "") -> None:
        """A force at a point of a body, a torque, or both, in the frame of the world or of a body."""
        self._say(f"load {_family_name(name)} on {self._held(on)}" + self._words(force=force, torque=torque) +
                  (f" frame {self._held(frame)}" if frame is not None else ""), over)

    def drive(self, name: str, joint: Union[Joint, str], *, angle: Any = None, distance: Any = None, torque: Any = None,
              force: Any = None, angle1: Any = None, angle2: Any = None, torque1: Any = None, torque2: Any = None,
              over: str = "") -> None:
        """A motor: the angle or distance of a joint as a function of time, or the torque or force that acts there on its
        second body; angle1, angle2, torque1, torque2 of a universal joint."""
        self._say(f"drive {_family_name(name)} joint {self._joint_name(joint)}" +
                  self._words(angle=angle, angle1=angle1, angle2=angle2, distance=distance, torque=torque, torque1=torque1,
                              torque2=torque2, force=force), over)

    def spring(self, name: str, first: Union[Body, Place], second: Union[Body, Place], *, stiffness: Any = None,
               length: Any = None, damping: Any = None, over: str = "") -> None:
        """A spring or damper between two places; length: without tension."""
        self._say(f"spring {_family_name(name)} from {self._held(first)} to {self._held(second)}" +
                  self._words(stiffness=stiffness, length=length, damping=damping), over)

    def torsion(self, name: str, joint: Union[Joint, str], what: str = "", *, stiffness: Any = None, rest: Any = None,
                damping: Any = None, over: str = "") -> None:
        """A spring or damper in a joint: in its angle, its distance, or what is named."""
        self._say(f"torsion {_family_name(name)} joint {self._joint_name(joint)}" + (f" {what}" if what else "") +
                  self._words(stiffness=stiffness, rest=rest, damping=damping), over)

    def contact(self, name: str, gap: Any = None, other: Union[Body, Place, None] = None, *, load: Any = None,
                restitution: Any = None, friction: Any = None, static: Any = None, along: Any = None, rolling: Any = None,
                drilling: Any = None, law: str = "", over: str = "") -> None:
        """What must not become negative: a gap, as an expression; or the gap between two sides, `ball.sphere(0.1)` and
        `m.ground.plane(axis=(0, 0, 1))`. along: the slip velocity, or a list of two, of a gap that is an expression. load: the
        normal force of friction in a joint or a constraint, which has no gap. law: 'newton' (where nothing is said) or
        'poisson'.

        >>> import alembert
        >>> m = alembert.ModelBuilder("Bouncing ball")
        >>> y = m.coordinate("y", 1)
        >>> m.kinetic(m.rate(y)**2/2)
        >>> m.potential(9.81*y)
        >>> m.contact("floor", y, restitution=0.8)
        >>> run = m.simulate("gauss(2)", step=0.01, end=1)
        >>> run.events[0].name, run.events[0].kind, bool(abs(run.events[0].t - (2/9.81)**0.5) < 1e-12)
        ('floor', 'impact', True)
        """
        sides = isinstance(gap, (Body, Place))
        if sides != (other is not None) or (gap is None) == (load is None):
            raise TypeError("a contact has a gap, m.contact('floor', y), or two sides, m.contact('floor', ball.sphere(0.1), "
                            "m.ground.plane(axis=(0, 0, 1))), or a load, m.contact('guide', load=N, friction=0.3, along=v)")
        words = f"contact {_family_name(name)}"
        if load is not None:
            words += f" load {self._text(load)}"
        else:
            words += f" from {self._held(gap)} to {self._held(other)}" if sides else f": {self._text(gap)} >= 0"
        words += self._words(restitution=restitution, friction=friction, static=static)
        if along is not None:
            slips = along if is_list(along) else [along]
            words += " along " + ", ".join(self._text(slip) for slip in slips)
        words += self._words(rolling=rolling, drilling=drilling)
        if law not in ("", "newton", "poisson"):
            raise wrong(f"`law` is 'newton' or 'poisson', not '{law}'")
        self._say(words + (f" law {law}" if law else ""), over)

    def draw(self, shape: str, on: Union[Body, Place], *, at: Any = None, rotated: Any = None, about: Any = None,
             size: Any = None, radius: Any = None, length: Any = None, axis: Any = None, from_: Any = None, to: Any = None,
             scale: Any = None, colour: str = "", label: str = "", file: Any = "", over: str = "") -> None:
        """What a page shows of a body, or of the ground: 'box' with size, 'sphere' with radius, 'cylinder' with radius,
        length and axis, 'line', 'spring' and 'damper' with from_ and to, 'mesh' with file and scale.

        >>> import alembert
        >>> m = alembert.ModelBuilder("Block")
        >>> block = m.body("block", mass=1, inertia=(1, 1, 1))
        >>> m.draw("box", block, size=(0.1, 0.1, 1), colour="steelblue")
        >>> print(m.text().splitlines()[-1])
        draw box block size (0.1, 0.1, 1) colour "steelblue"
        """
        if shape not in _DRAWINGS:
            raise wrong(f"there is no drawing '{shape}'", "there are " + ", ".join(_DRAWINGS))
        words = f"draw {shape} {self._held(on)}"
        words += self._words(at=at, rotated=rotated, about=about, size=size, radius=radius, length=length, axis=axis,
                             from_=from_, to=to, scale=scale)
        words += "".join(f' {key} "{_quoted(value)}"' for key, value in (("colour", colour), ("label", label), ("file", file))
                         if value)
        self._say(words, over)

    def _held(self, one: Any) -> str:
        if not isinstance(one, (Body, Place)):
            raise TypeError(f"a body, a place of one, or the ground is needed, not {type(one).__name__}")
        name = one.name if isinstance(one, Body) else one.owner
        if one._builder is not None and one._builder is not self:
            raise wrong(f"the {'ground' if name == 'ground' else f'body {name!r}'} belongs to another model")
        return name if isinstance(one, Body) else one._text(self)

    def _joint_name(self, joint: Union[Joint, str]) -> str:
        if isinstance(joint, str):
            return _family_name(joint)
        if not isinstance(joint, Joint):
            raise TypeError(f"a joint is needed, not {type(joint).__name__}")
        if joint._builder is not self:
            raise wrong(f"the joint '{joint.name}' belongs to another model")
        return joint.name

    def _is_planar(self, one: Union[Body, Place]) -> bool:
        if isinstance(one, Body) and one.planar:
            return True
        name = one.owner if isinstance(one, Place) else one.name
        return any(re.match(rf"body {re.escape(name)}(\[.*?\])? .*\bplanar\b", line) for line in self._lines)

