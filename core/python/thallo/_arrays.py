"""Arrays of the caller as the C interface takes them: addresses, types and extents.

Order: the first dim of an energy varies fastest, and the channels of an element are adjacent. So
the shape of an array is the list of extents backwards, then the channels if there are several:
X = Unknown(float2, {W, H}) is an array of shape (H, W, 2), as images are.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Union

import numpy as np

from . import _library as c
from ._device_arrays import DeviceArray
from ._errors import InputError

_KINDS = {
    c.DIM: "dim",
    c.UNKNOWN: "unknown",
    c.ARRAY: "array",
    c.PARAM: "param",
    c.SPARSE: "sparse map",
}


@dataclasses.dataclass(frozen=True)
class Declared:
    """What the energy declares under a name."""

    name: str
    kind: int
    type: int
    channels: int
    dims: tuple[str, ...]  # the first varies fastest

    def __str__(self) -> str:
        over = f" {shape_text(self)}" if self.kind not in (c.DIM, c.PARAM) else ""
        return f"{_KINDS[self.kind]} {self.name}{over}"


_TYPES: dict[np.dtype, int] = {
    np.dtype(np.float32): c.FLOAT,
    np.dtype(np.float64): c.DOUBLE,
    np.dtype(np.int32): c.INT32,
    np.dtype(np.uint8): c.UINT8,
}
_DTYPES: dict[int, np.dtype] = {code: dtype for dtype, code in _TYPES.items()}


def dtype_of(type_code: int, working: Any) -> np.dtype:
    """The dtype of a declared type; `working` is that of values in the precision of the solve."""
    return np.dtype(working) if type_code == c.WORKING else _DTYPES[type_code]


def type_code(array: Union[np.ndarray, DeviceArray]) -> int:
    return _TYPES[array.dtype]


def shape_text(declared: Declared) -> str:
    names = [*reversed(declared.dims)]
    if declared.channels > 1:
        names.append(str(declared.channels))
    return "({})".format(", ".join(names) + ("," if len(names) == 1 else ""))


def as_numpy(value) -> np.ndarray:
    """The value as an array that shares its memory where it can."""
    if isinstance(value, np.ma.MaskedArray):
        raise InputError("masked arrays are not taken, since what is masked would be read")
    if isinstance(value, np.ndarray):
        return value
    # What DLPack hands over may be read-only, where the array itself is not.
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
        return np.from_dlpack(value)
    return np.asarray(value)


def unknown_array(declared: Declared, value) -> np.ndarray:
    """An array that the solution can be written into."""
    name = declared.name
    if not isinstance(value, np.ndarray) and not hasattr(value, "__dlpack__"):
        raise InputError(
            f"'{name}' is an unknown, whose solution is written into its array; found a "
            f"{type(value).__name__} (legal: an array, or nothing: then a new array is returned)"
        )
    array = as_numpy(value)
    if array.dtype not in (np.float32, np.float64):
        raise InputError(f"'{name}' is an unknown of dtype {array.dtype} (legal: float32, float64)")
    if not array.flags.writeable:
        raise InputError(f"'{name}' is an unknown, and its array is read-only")
    if not array.flags.c_contiguous:
        raise InputError(
            f"'{name}' is an unknown, and its array is not contiguous in C's order; "
            f"solve a copy of it, numpy.ascontiguousarray({name})"
        )
    check_shape(declared, array)
    return array


def input_array(declared: Declared, value) -> np.ndarray:
    """An array to read. Other strides and types are copied if no value changes."""
    array = as_numpy(value)
    wanted: Any = {c.SPARSE: np.int32}.get(declared.kind)
    if wanted is None and array.dtype not in _TYPES:
        wanted = np.int32 if np.issubdtype(array.dtype, np.integer) or array.dtype == bool else None
        if np.issubdtype(array.dtype, np.floating):
            wanted = np.float64 if array.dtype.itemsize > 4 else np.float32
    if wanted is None and array.dtype not in _TYPES:
        raise InputError(
            f"'{declared.name}' has dtype {array.dtype} (legal: float32, float64, int32, uint8, and "
            f"what they hold)"
        )
    if wanted is not None and array.dtype != wanted:
        converted = array.astype(wanted)
        if not np.array_equal(converted, array, equal_nan=np.issubdtype(array.dtype, np.floating)):
            raise InputError(
                f"'{declared.name}' has values of dtype {array.dtype} that are no "
                f"{np.dtype(wanted)}"
            )
        array = converted
    check_shape(declared, array)
    return np.ascontiguousarray(array)


def check_on_device(declared: Declared, array: DeviceArray) -> None:
    """Fails unless the library can take the array where it is."""
    legal = list(_TYPES)
    if declared.kind == c.SPARSE:
        legal = [np.dtype(np.int32)]
    elif declared.kind == c.UNKNOWN:
        legal = [np.dtype(np.float32), np.dtype(np.float64)]
    if array.dtype not in legal:
        names = ", ".join(str(dtype) for dtype in legal)
        raise InputError(
            f"'{declared.name}' has dtype {array.dtype} on the GPU (legal there: {names})"
        )
    if declared.kind == c.UNKNOWN and array.is_read_only:
        raise InputError(f"'{declared.name}' is an unknown, and its array is read-only")
    check_shape(declared, array)


def strides_of(declared: Declared, array: DeviceArray) -> list[int]:
    """The strides of the dims, in the energy's order, then of the channels."""
    if declared.channels > 1:
        return [*reversed(array.strides[:-1]), array.strides[-1]]
    return list(reversed(array.strides))


def check_shape(declared: Declared, array: Union[np.ndarray, DeviceArray]) -> None:
    rank = len(declared.dims) + (1 if declared.channels > 1 else 0)
    if array.ndim != rank or (declared.channels > 1 and array.shape[-1] != declared.channels):
        raise InputError(
            f"'{declared.name}' has the shape {array.shape}; it is {shape_text(declared)}"
        )


def extents_of(declared: Declared, array: Union[np.ndarray, DeviceArray]) -> list[int]:
    """The extents of the dims, in the energy's order."""
    shape = array.shape[:-1] if declared.channels > 1 else array.shape
    return list(reversed(shape))
