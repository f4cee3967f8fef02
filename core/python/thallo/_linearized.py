"""What is computed from the definition of an energy: J, and covariances."""

from __future__ import annotations

import ctypes
import operator
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _library as c
from ._errors import InputError

if TYPE_CHECKING:
    from ._solver import Solver


def _coordinate(index: Any) -> int:
    number = operator.index(index)
    if not 0 <= number < 2**63:
        raise InputError(f"an element has indices from 0, found {number}")
    return number


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
    for element, given in zip(as_c, elements):
        if isinstance(given, str) or not given or not isinstance(given[0], str):
            raise InputError(f"an element is a name and indices, ('X', 1, 4); found {given!r}")
        name, *indices = given
        _check(solver, name, len(indices))
        coordinates = [_coordinate(index) for index in reversed(indices)]
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


def residuals_and_jacobian(solver: Solver) -> tuple[np.ndarray, Any]:
    size = c.JacobianSize()
    solver._run(lambda handle: c.library.linearize(handle, ctypes.byref(size)))
    starts, columns = np.empty(size.rows + 1, np.int64), np.empty(size.entries, np.int64)
    values, residuals = np.empty(size.entries), np.empty(size.rows)
    whole, real = ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_double)
    solver._check(
        c.library.get_jacobian(
            solver._handle,
            starts.ctypes.data_as(whole),
            columns.ctypes.data_as(whole),
            values.ctypes.data_as(real),
            residuals.ctypes.data_as(real),
        )
    )
    shape = (size.rows, size.columns)
    try:
        from scipy.sparse import csr_matrix  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        return residuals, (values, columns, starts, shape)
    return residuals, csr_matrix((values, columns, starts), shape=shape)
