"""Covariances of elements of unknowns."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _library as c
from ._errors import InputError

if TYPE_CHECKING:
    from ._solver import Solver


def _check(solver: Solver, name: str, num_indices: int) -> None:
    known = {each.name: each for each in solver._declared.values() if each.kind == c.UNKNOWN}
    if name not in known:
        raise InputError(f"there is no unknown '{name}' (legal: {', '.join(sorted(known))})")
    if num_indices != len(known[name].dims):
        raise InputError(
            f"'{name}' has {len(known[name].dims)} dims, and an element of it as many indices; "
            f"found {num_indices}"
        )


def covariance(solver: Solver, elements: Sequence[Sequence[Any]]) -> np.ndarray:
    as_c = (c.Element * len(elements))()
    for element, (name, *indices) in zip(as_c, elements):
        _check(solver, name, len(indices))
        coordinates = [int(index) for index in reversed(indices)]
        element.unknown = name.encode()
        element.coordinates = (ctypes.c_int64 * len(coordinates))(*coordinates)
    rows = ctypes.c_size_t()

    def call(values: Any, room: int) -> None:
        solver._run(
            lambda handle: c.library.covariance(
                handle, as_c, len(as_c), values, room, ctypes.byref(rows)
            )
        )

    call(None, 0)
    found = np.empty((rows.value, rows.value))
    call(found.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), rows.value)
    return found
