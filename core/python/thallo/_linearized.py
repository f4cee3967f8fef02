"""What is computed at a solution: J, covariances, and gradients through the solve."""

from __future__ import annotations

import ctypes
import operator
from typing import TYPE_CHECKING, Any, Mapping, Sequence

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


def pull_back(
    solver: Solver, gradients: Mapping[str, Any], inputs: Sequence[str]
) -> dict[str, np.ndarray]:
    given, found = {}, {}
    for name, gradient in gradients.items():
        shape = np.shape(solver._bindings.unknowns.get(name, ()))
        given[name] = np.ascontiguousarray(gradient, np.float64)
        if given[name].shape != shape:
            raise InputError(
                f"the gradient by '{name}' has the shape {given[name].shape}; '{name}' has {shape}"
            )
    for name in inputs:
        found[name] = np.zeros(np.shape(solver._bindings.bound.get(name, ())))
    by_unknowns, by_inputs = _values(given), _values(found)
    solver._run(
        lambda handle: c.library.pull_back(
            handle, by_unknowns, len(by_unknowns), by_inputs, len(by_inputs)
        )
    )
    return found


def _values(arrays: Mapping[str, np.ndarray]) -> ctypes.Array:
    as_c = (c.Values * len(arrays))()
    for one, (name, array) in zip(as_c, arrays.items()):
        one.name, one.num_values = name.encode(), array.size
        one.values = array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    return as_c


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
