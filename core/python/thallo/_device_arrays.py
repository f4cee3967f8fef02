"""Arrays in the memory of a GPU, from any library that says where they are.

Two protocols say so: DLPack (torch, cupy, jax), which also makes the default stream wait for the
stream that the library computes on, and __cuda_array_interface__ (numba, cupy), which names that
stream.
"""

from __future__ import annotations

import ctypes
import dataclasses

import numpy as np

from ._errors import InputError

_ON_CUDA, _ON_CUDA_MANAGED = 2, 13  # device types of DLPack
_LEGACY_DEFAULT_STREAM = 1  # CU_STREAM_LEGACY
_READ_ONLY = 1  # a flag of a versioned capsule


@dataclasses.dataclass(frozen=True)
class DeviceArray:
    """Where the values of an array are. `owner` keeps them there."""

    owner: object
    address: int
    dtype: np.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in values
    stream: int
    is_read_only: bool

    @property
    def ndim(self) -> int:
        return len(self.shape)


class _Tensor(ctypes.Structure):  # DLTensor
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _VersionedTensor(ctypes.Structure):  # DLManagedTensorVersioned
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_capsule_name = ctypes.pythonapi.PyCapsule_GetName
_capsule_name.restype, _capsule_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]

_DTYPE_KINDS = {0: "i", 1: "u", 2: "f", 6: "b"}  # codes of DLPack


def is_on_device(value) -> bool:
    if hasattr(value, "__dlpack_device__"):
        return value.__dlpack_device__()[0] in (_ON_CUDA, _ON_CUDA_MANAGED)
    return hasattr(value, "__cuda_array_interface__")


def device_array(name: str, value) -> DeviceArray:
    """What the value says about itself now."""
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(name, value)
    return _from_interface(name, value)


def _dense_strides(shape) -> tuple[int, ...]:
    strides, stride = [], 1
    for extent in reversed(shape):
        strides.append(stride)
        stride *= extent
    return tuple(reversed(strides))


def _from_dlpack(name: str, value) -> DeviceArray:
    try:
        capsule = value.__dlpack__(stream=_LEGACY_DEFAULT_STREAM, max_version=(1, 0))
    except TypeError:  # of before version 1
        capsule = value.__dlpack__(stream=_LEGACY_DEFAULT_STREAM)
    kind = _capsule_name(capsule)
    pointer = _capsule_pointer(capsule, kind)
    is_read_only = False
    if kind == b"dltensor_versioned":
        versioned = _VersionedTensor.from_address(pointer)
        tensor, is_read_only = versioned.tensor, bool(versioned.flags & _READ_ONLY)
    else:
        tensor = _Tensor.from_address(pointer)
    if tensor.code not in _DTYPE_KINDS or tensor.lanes != 1:
        raise InputError(
            f"'{name}' has values of DLPack's type {tensor.code} with {tensor.lanes} lanes "
            f"(legal: float32, float64, int32, uint8)"
        )
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = (
        tuple(tensor.strides[i] for i in range(tensor.ndim))
        if tensor.strides
        else _dense_strides(shape)
    )
    return DeviceArray(
        owner=(value, capsule),
        address=(tensor.data or 0) + tensor.byte_offset,
        dtype=np.dtype(f"{_DTYPE_KINDS[tensor.code]}{tensor.bits // 8}"),
        shape=shape,
        strides=strides,
        stream=_LEGACY_DEFAULT_STREAM,
        is_read_only=is_read_only,
    )


def _from_interface(name: str, value) -> DeviceArray:
    interface = value.__cuda_array_interface__
    dtype = np.dtype(interface["typestr"])
    shape = tuple(interface["shape"])
    strides = interface.get("strides")
    if strides is not None and any(stride % dtype.itemsize for stride in strides):
        raise InputError(f"'{name}' has strides of {strides} bytes, which are no whole {dtype}s")
    address, is_read_only = interface["data"]
    return DeviceArray(
        owner=value,
        address=address,
        dtype=dtype,
        shape=shape,
        strides=(
            tuple(stride // dtype.itemsize for stride in strides)
            if strides is not None
            else _dense_strides(shape)
        ),
        stream=interface.get("stream") or _LEGACY_DEFAULT_STREAM,
        is_read_only=is_read_only,
    )
