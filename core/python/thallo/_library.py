"""Finds libthallo_c and declares the functions of thallo.h."""

from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p
from typing import TYPE_CHECKING, Any, Callable, Iterator

from ._errors import ThalloError, error_of
from ._texts import message

# Codes of thallo_type and thallo_kind.
FLOAT, DOUBLE, INT32, UINT8, WORKING = range(5)
DIM, UNKNOWN, ARRAY, PARAM, SPARSE = range(5)


def _all(kind: Any, names: str) -> list[tuple[str, Any]]:
    """Fields of one type, in their order."""
    return [(name, kind) for name in names.split()]


class Option(ctypes.Structure):
    _fields_ = _all(c_char_p, "name value")


def options(values: dict[str, bytes]) -> ctypes.Array[Option]:
    """An array of options, by name."""
    return (Option * len(values))(*[Option(name.encode(), it) for name, it in values.items()])


class Declaration(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        *_all(c_int32, "kind type"),
        ("channels", c_int64),
        ("num_dims", c_size_t),
    ]


class Iteration(ctypes.Structure):
    _fields_ = [
        *_all(c_int64, "iteration linear_iterations accepted"),
        *_all(c_double, "cost cost_change gradient_max step_norm relative_decrease radius"),
        *_all(c_double, "seconds total_seconds"),
    ]


class Member(ctypes.Structure):
    _fields_ = [
        ("initial_cost", c_double),
        ("final_cost", c_double),
        ("iterations", c_int64),
        ("accepted", c_int64),
        ("termination", c_char_p),
    ]


class Group(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("cost", c_double), *_all(c_int64, "residuals inliers")]


class Times(ctypes.Structure):
    _fields_ = [("count", c_int64), *_all(c_double, "min_ms max_ms mean_ms deviation_ms")]


class Element(ctypes.Structure):
    _fields_ = [("unknown", c_char_p), ("coordinates", POINTER(c_int64))]


class Values(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("values", POINTER(c_double)), ("num_values", c_size_t)]


class JacobianSize(ctypes.Structure):
    _fields_ = _all(c_int64, "rows columns entries")


class Problem(ctypes.Structure):
    _fields_ = [*_all(c_char_p, "name title shows citation"), ("num_options", c_size_t)]


class ProblemOption(ctypes.Structure):
    _fields_ = _all(c_char_p, "name type default_value legal doc")


class Value(ctypes.Structure):
    _fields_ = [
        ("type", c_int32),
        ("values", c_void_p),
        ("num_values", c_size_t),
        ("number", c_double),
    ]


Callback = ctypes.CFUNCTYPE(c_int, POINTER(Iteration), c_void_p)

_OPTIONS = [POINTER(Option), c_size_t]
_INDICES, _DOUBLES = [POINTER(c_int64)], [POINTER(c_double)]
_BIND = [c_void_p, c_char_p, c_int32, c_void_p, POINTER(c_int64), c_size_t]
_BIND_ON_DEVICE = [*_BIND, POINTER(c_int64), c_size_t, c_void_p]

# The functions that return a thallo_status, with their arguments.
_STATUS_FUNCTIONS = {
    "create_from_file": [c_char_p, *_OPTIONS, POINTER(c_void_p)],
    "create_from_text": [c_char_p, c_char_p, *_OPTIONS, POINTER(c_void_p)],
    "count_problems": [POINTER(c_size_t)],
    "get_problem": [c_size_t, POINTER(Problem)],
    "get_problem_option": [c_size_t, c_size_t, POINTER(ProblemOption)],
    "create_from_problem": [c_char_p, *_OPTIONS, *_OPTIONS, POINTER(c_void_p)],
    "get_instance_value": [c_void_p, c_char_p, POINTER(Value)],
    "advance": [c_void_p, POINTER(c_int)],
    "set_schedule": [c_void_p, c_char_p],
    "set_schedule_text": [c_void_p, c_char_p],
    "explain": [c_void_p, POINTER(c_char_p)],
    "free": [c_void_p],
    "count_declarations": [c_void_p, POINTER(c_size_t)],
    "get_declaration": [c_void_p, c_size_t, POINTER(Declaration)],
    "get_declared_dim": [c_void_p, c_size_t, c_size_t, POINTER(c_char_p)],
    "bind_unknown": _BIND,
    "bind_array": _BIND,
    "bind_device_unknown": _BIND_ON_DEVICE,
    "bind_device_array": _BIND_ON_DEVICE,
    "bind_number": [c_void_p, c_char_p, c_double],
    "unbind": [c_void_p, c_char_p],
    "set_option": [c_void_p, c_char_p, c_char_p],
    "set_callback": [c_void_p, Callback, c_void_p],
    "solve": [c_void_p],
    "cancel": [c_void_p],
    "begin": [c_void_p],
    "step": [c_void_p, POINTER(c_int)],
    "finish": [c_void_p],
    "current_cost": [c_void_p, POINTER(c_double)],
    "linearize": [c_void_p, POINTER(JacobianSize)],
    "covariance": [c_void_p, POINTER(Element), c_size_t, *_DOUBLES, c_size_t, POINTER(c_size_t)],
    "pull_back": [c_void_p, *2 * [POINTER(Values), c_size_t]],
    "get_jacobian": [c_void_p, *2 * _INDICES, *2 * _DOUBLES],
    "summary_number": [c_void_p, c_char_p, POINTER(c_double)],
    "summary_text": [c_void_p, c_char_p, POINTER(c_char_p)],
    "summary_times": [c_void_p, c_char_p, POINTER(Times)],
    "summary_iteration": [c_void_p, c_int64, POINTER(Iteration)],
    "summary_group": [c_void_p, c_int64, POINTER(Group)],
    "summary_members": [c_void_p, POINTER(Member), c_int64],
}


def _candidates() -> Iterator[str]:
    """Yields where the library may be: named by the user, with the program that runs this Python, in
    the package, around it, installed.
    """
    named = os.environ.get("THALLO_LIBRARY")
    if named:
        yield named
        return
    if "THALLO_PROGRAM" in os.environ:
        yield str(pathlib.Path(os.environ["THALLO_PROGRAM"]).parents[1] / "lib" / "libthallo_c.so")
    here = pathlib.Path(__file__).resolve().parent
    for folder in [here / "lib", here, *list(here.parents)[:4]]:
        yield str(folder / "libthallo_c.so")
    yield "libthallo_c.so"


def _open() -> tuple[str, ctypes.CDLL]:
    faults = []
    for path in _candidates():
        if os.sep in path and not os.path.exists(path):
            continue
        try:
            return path, ctypes.CDLL(path)
        except OSError as error:
            faults.append(str(error))
    raise ImportError(
        "libthallo_c.so cannot be loaded; THALLO_LIBRARY can name it\n" + "\n".join(faults)
    )


class Library:
    """The functions of thallo.h without their prefix."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., int]:
            ...

    def __init__(self) -> None:
        self.path, self._library = _open()
        for name, arguments in _STATUS_FUNCTIONS.items():
            function = getattr(self._library, "thallo_" + name)
            function.argtypes = arguments
            function.restype = c_int
            setattr(self, name, function)
        self.version = self._text_function("version", [])
        self.error_text = self._text_function("error_text", [c_void_p])

    def _text_function(self, name: str, arguments: list) -> Callable[..., bytes]:
        function = getattr(self._library, "thallo_" + name)
        function.argtypes = arguments
        function.restype = c_char_p
        return function


library = Library()


def check(code: int, handle: Any = None) -> None:
    """Raises the error of a call that failed. What has no handle has its text in the thread."""
    if code != 0:
        raise error_of(code, message(library.error_text(handle)))


def program() -> pathlib.Path:
    """The program `thallo` that was installed with the library."""
    if os.sep in library.path:
        beside = pathlib.Path(library.path).resolve().parents[1] / "bin" / "thallo"
        if beside.is_file():
            return beside
    found = shutil.which("thallo")
    if found is None:
        raise ThalloError(
            f"there is no program 'thallo' with {library.path}, and none in the folders of PATH"
        )
    return pathlib.Path(found)
