"""Thallo: nonlinear least squares, written as energies and solved on arrays (docs/python.md)."""

from . import _library, problems
from ._energy import Energy, Expression, functions
from ._errors import (
    BusyError,
    EnergyError,
    InputError,
    OptionError,
    OrderError,
    SolveError,
    ThalloError,
)
from ._explanation import Explanation, Step
from ._explore import Exploration, Plot, explore
from ._solver import Solver
from ._summary import Iteration, Summary, Times

__version__ = _library.library.version().decode()
__all__ = [
    "BusyError",
    "Energy",
    "EnergyError",
    "Explanation",
    "Exploration",
    "Expression",
    "InputError",
    "Iteration",
    "OptionError",
    "OrderError",
    "Plot",
    "SolveError",
    "Solver",
    "Step",
    "Summary",
    "ThalloError",
    "Times",
    "explore",
    "functions",
    "problems",
]
