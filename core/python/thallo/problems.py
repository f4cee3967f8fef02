"""The problems that come with Thallo and its plugins, one function each.

    warping = thallo.problems.image_warping(size=64)
    warping.bound["Offset"]  # the arrays of the instance, to look at and to change
    warping.solve()

dir(thallo.problems) lists them, help(thallo.problems.image_warping) has the options of one.
"""

from __future__ import annotations

import ctypes
import inspect
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from . import _arrays
from . import _library as c
from ._arrays import Declared
from ._solver import Solver
from ._texts import text


class Option(NamedTuple):
    """An option of a problem."""

    name: str
    type: type
    default: Any
    legal: str
    doc: str


class ProblemSolver(Solver):
    """An instance of a problem, with its arrays and numbers bound.

    problem: its name. problem_options: by name; defaults where they name none.
    creation, options, progress: those of Solver; what the problem wants where they name nothing.
    """

    def __init__(
        self,
        problem: str,
        problem_options: dict[str, Any],
        *,
        options: Optional[dict[str, Any]] = None,
        progress: bool = False,
        **creation: Any,
    ) -> None:
        self.problem = problem
        self._source = (problem,)
        self.problem_options = dict(problem_options)
        given = c.options({name: text(value) for name, value in problem_options.items()})
        self._open(
            lambda *how: c.library.create_from_problem(problem.encode(), given, len(given), *how),
            creation,
        )
        self._make_ready(options, progress)
        self._bind_instance()

    def advance(self) -> bool:
        """Prepares the next solve of a problem that is several; returns False if there is none.

        The arrays and numbers of the next one are bound, in place where their shapes are the same.
        A solve is prepared once: advance() needs it before it prepares another one.
        """
        goes_on = ctypes.c_int()
        self._check(c.library.advance(self._handle, ctypes.byref(goes_on)))
        if goes_on.value:
            self._bind_instance()
        return goes_on.value != 0

    def _bind_instance(self) -> None:
        """Binds copies of what the instance has, which are Python's to keep."""
        extents: dict[str, int] = {}
        covered: set[str] = set()
        for name, declared in self._declared.items():
            value = c.Value()
            self._check(
                c.library.get_instance_value(self._handle, name.encode(), ctypes.byref(value))
            )
            if declared.kind == c.DIM:
                extents[name] = int(value.number)
            elif declared.kind == c.PARAM:
                self.bind(**{name: value.number})
            else:
                array = _copied(declared, value, extents)
                self.bind(**{name: _kept(self._bindings.bound.get(name), array)})
                covered.update(declared.dims)
        for name in extents.keys() - covered:
            self.bind(**{name: extents[name]})


def _copied(declared: Declared, value: c.Value, extents: dict[str, int]) -> np.ndarray:
    shape = [extents[dim] for dim in reversed(declared.dims)]
    if declared.channels > 1:
        shape.append(declared.channels)
    array = np.empty(shape, _arrays.dtype_of(value.type, np.float64))
    if array.size > 0:
        ctypes.memmove(array.ctypes.data, value.values, array.nbytes)
    return array


def _kept(bound: Any, array: np.ndarray) -> np.ndarray:
    """Returns what is bound, with the values of the array, if it can hold them; else the array."""
    is_like = (
        isinstance(bound, np.ndarray)
        and bound.flags.writeable
        and bound.shape == array.shape
        and bound.dtype == array.dtype
    )
    if not is_like:
        return array
    bound[...] = array
    return bound


_TYPES: dict[str, type] = {"bool": bool, "int": int, "double": float, "string": str}


def _option(problem: int, number: int) -> Option:
    one = c.ProblemOption()
    c.check(c.library.get_problem_option(problem, number, ctypes.byref(one)))
    kind, default = _TYPES[one.type.decode()], one.default_value.decode()
    return Option(
        one.name.decode(),
        kind,
        default == "true" if kind is bool else kind(default),
        one.legal.decode(),
        one.doc.decode(),
    )


def _function(number: int) -> Callable[..., ProblemSolver]:
    one = c.Problem()
    c.check(c.library.get_problem(number, ctypes.byref(one)))
    name = one.name.decode()
    options = [_option(number, i) for i in range(one.num_options)]
    creation = set(inspect.signature(Solver.__init__).parameters) - {"self", "energy", "name"}

    def make(**given: Any) -> ProblemSolver:
        own = {key: value for key, value in given.items() if key not in creation}
        other = {key: value for key, value in given.items() if key in creation}
        return ProblemSolver(name, own, **other)

    make.__name__ = make.__qualname__ = name
    make.__module__ = __name__
    make.__doc__ = _doc(one, options)
    make.__signature__ = _signature(options)  # type: ignore[attr-defined]
    return make


def _signature(options: list[Option]) -> inspect.Signature:
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter(each.name, keyword, default=each.default, annotation=each.type)
        for each in options
    ]
    parameters.append(inspect.Parameter("of_solver", inspect.Parameter.VAR_KEYWORD, annotation=Any))
    return inspect.Signature(parameters, return_annotation=ProblemSolver)


def _doc(problem: c.Problem, options: list[Option]) -> str:
    lines = [problem.title.decode(), "", f"Shows {problem.shows.decode()}."]
    if problem.citation:
        lines.append(problem.citation.decode())
    lines += ["", "Options:"]
    for each in options:
        lines.append(f"    {each.name}: {each.doc} ({each.legal}; by default {each.default!r})")
    lines += ["", "of_solver: those of thallo.Solver, such as backend, schedule and options."]
    return "\n".join(lines)


def _make_functions() -> dict[str, Callable[..., ProblemSolver]]:
    count = ctypes.c_size_t()
    c.check(c.library.count_problems(ctypes.byref(count)))
    functions = [_function(number) for number in range(count.value)]
    return {each.__name__: each for each in functions}


_functions: dict[str, Callable[..., ProblemSolver]] = {}


def names() -> list[str]:
    """The names of the problems. The first call loads the plugins."""
    if not _functions:
        _functions.update(_make_functions())
    return sorted(_functions)


def __getattr__(name: str) -> Callable[..., ProblemSolver]:
    if name.startswith("_"):
        raise AttributeError(name)
    known = names()
    if name in _functions:
        return _functions[name]
    raise AttributeError(f"there is no problem '{name}' (legal: {', '.join(known)})")


def __dir__() -> list[str]:
    return names()
