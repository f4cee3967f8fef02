"""Thallo: nonlinear least squares, written as energies and solved on arrays (docs/python.md)."""

from . import _library
from ._errors import EnergyError, InputError, OptionError, OrderError, SolveError, ThalloError
from ._solver import Iteration, Solver, Summary, Times

__version__ = _library.library.version().decode()
__all__ = [
    "EnergyError",
    "InputError",
    "Iteration",
    "OptionError",
    "OrderError",
    "SolveError",
    "Solver",
    "Summary",
    "ThalloError",
    "Times",
]
