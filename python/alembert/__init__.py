"""Constrained mechanical systems: derived, compiled, and integrated with their structure kept.

>>> import alembert
>>> run = alembert.simulate("models/double_pendulum.alm", "lobatto(3)", step=0.01, end=1)
>>> run.t.shape, run["x1"].shape, run.q.shape
((101,), (101,), (101, 4))

read, model, ModelBuilder      models from files, from text, from expressions and bodies
simulate, load                 a run with its rows, events and report; rows of a file
compile                        the step in the hand, for controllers
sweep, ensemble, draws         many runs, on all cores
check, derive, verify, converge, method, methods      what the program's commands of these names tell
"""

from ._bodies import Body, Joint, Place
from ._build import ModelBuilder
from ._core import __version__
from ._expression import Expression, cross, maximum, minimum, norm, sign, where
from ._model import Model, model, read
from ._ports import Component
from ._report import Findings, Report
from ._run import Event, Run, load, simulate
from ._stepper import Moved, Record, Stepper, compile
from ._study import Equations, Method, MethodFamily, Study, check, converge, derive, draws, ensemble, method, methods, sweep, verify
from .errors import InputError, ModelError, Problem, RunError, RunWarning, WriteError

__all__ = [
    "Body", "Component", "Equations", "Event", "Expression", "Findings", "InputError", "Joint", "Method", "MethodFamily", "Model",
    "ModelBuilder", "ModelError", "Moved", "Place", "Problem", "Record", "Report", "Run", "RunError", "RunWarning", "Stepper",
    "Study", "check", "compile", "converge", "cross", "derive", "draws", "ensemble", "load", "maximum", "method", "methods",
    "minimum", "model", "norm", "read", "sign", "simulate", "sweep", "verify", "where", "WriteError", "__version__",
]
