"""What is bound to the inputs of a solver."""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any, Iterator, Union

import numpy as np

from . import _arrays
from . import _library as c
from ._arrays import Declared
from ._device_arrays import DeviceArray, device_array, is_on_device
from ._errors import InputError


class Bindings:
    """The arrays and numbers that the library reads, by name; they must live as long as it may."""

    def __init__(self, handle: ctypes.c_void_p, declared: dict[str, Declared]) -> None:
        self._handle = handle
        self._declared = declared
        self.bound: dict[str, Any] = {}
        self.unknowns: dict[str, Any] = {}  # of numpy, or as they were bound
        # What is bound anew before it is read: it lies on a GPU, or the library reads a copy.
        self._read_again: dict[str, Any] = {}
        self._made: set[str] = set()  # unknowns that nobody bound

    def bind(self, name: str, value: Any) -> None:
        declared = self._declared.get(name)
        if declared is None:
            raise InputError(
                f"the energy declares no '{name}' (legal: {', '.join(sorted(self._declared))})"
            )
        self._read_again.pop(name, None)
        self._made.discard(name)
        if declared.kind in (c.DIM, c.PARAM):
            self.bound[name] = float(value)
        elif is_on_device(value):
            self._read_again[name] = self.bound[name] = value
        elif declared.kind == c.UNKNOWN:
            self.bound[name] = value = _arrays.unknown_array(declared, value)
        else:
            self.bound[name] = _arrays.input_array(declared, value)
            if self.bound[name] is not value:
                self._read_again[name] = value
        self._tell(declared)
        if declared.kind == c.UNKNOWN:
            self.unknowns[name] = value

    @contextlib.contextmanager
    def restored_after(self, *refusals: type[BaseException]) -> Iterator[None]:
        """Binds what was bound before if what happens meanwhile ends with one of these."""
        before = dict(self.bound), dict(self.unknowns), dict(self._read_again), set(self._made)
        try:
            yield
        except refusals:
            refused = self.bound
            self.bound, self.unknowns, self._read_again, self._made = before
            for name in (refused.keys() | self.bound.keys()) & self._declared.keys():
                if refused.get(name) is not self.bound.get(name):
                    self._tell(self._declared[name])
            raise

    def forget_made(self) -> None:
        """Lets the unknowns that nobody bound get new arrays."""
        for name in self._made:
            self.unknowns.pop(name, None)
            self.bound.pop(name, None)
        self._made.clear()

    def make_unknowns(self) -> None:
        """Makes arrays for the unknowns that are not bound."""
        missing = [
            d
            for d in self._declared.values()
            if d.kind == c.UNKNOWN and d.name not in self.unknowns
        ]
        if not missing:
            return
        extents = self._extents()
        for declared in missing:
            unknown = [dim for dim in declared.dims if dim not in extents]
            if unknown:
                raise InputError(
                    f"the unknown '{declared.name}' is not bound, and the extent of "
                    f"{' and '.join(unknown)} is not known: bind '{declared.name}', an array over "
                    f"it, or {unknown[0]}=10"
                )
            shape = [extents[dim] for dim in reversed(declared.dims)]
            if declared.channels > 1:
                shape.append(declared.channels)
            self.bind(declared.name, np.zeros(shape, _arrays.dtype_of(declared.type, np.float64)))
            self._made.add(declared.name)

    def read_again(self) -> None:
        """Copies anew what is read as a copy; arrays on a GPU say which work must have ended."""
        for name in self._read_again:
            self._tell(self._declared[name])

    def _extents(self) -> dict[str, int]:
        """The extents that are known from what is bound."""
        known = {}
        for name, value in self.bound.items():
            declared = self._declared[name]
            if declared.kind == c.DIM:
                known[name] = int(value)
            elif declared.kind != c.PARAM:
                known.update(zip(declared.dims, _arrays.extents_of(declared, value)))
        return known

    def _tell(self, declared: Declared) -> None:
        """Tells the library what is bound to a name."""
        name = declared.name
        if name in self._read_again:
            self.bound[name] = self._read(declared, self._read_again[name])
        value = self.bound.get(name)
        if value is None:
            code = c.library.unbind(self._handle, name.encode())
        elif declared.kind in (c.DIM, c.PARAM):
            code = c.library.bind_number(self._handle, name.encode(), value)
        else:
            code = self._tell_array(declared, value)
        c.check(code, self._handle)

    @staticmethod
    def _read(declared: Declared, value: Any) -> Union[np.ndarray, DeviceArray]:
        if not is_on_device(value):
            return _arrays.input_array(declared, value)
        array = device_array(declared.name, value)
        _arrays.check_on_device(declared, array)
        return array

    def _tell_array(self, declared: Declared, array: Union[np.ndarray, DeviceArray]) -> int:
        extents = _arrays.extents_of(declared, array)
        is_unknown = declared.kind == c.UNKNOWN
        named = self._handle, declared.name.encode(), _arrays.type_code(array)
        shape = (ctypes.c_int64 * len(extents))(*extents), len(extents)
        if isinstance(array, DeviceArray):
            strides = _arrays.strides_of(declared, array)
            bind = c.library.bind_device_unknown if is_unknown else c.library.bind_device_array
            as_c = (ctypes.c_int64 * len(strides))(*strides)
            return bind(*named, array.address, *shape, as_c, len(strides), array.stream)
        bind = c.library.bind_unknown if is_unknown else c.library.bind_array
        return bind(*named, array.ctypes.data_as(ctypes.c_void_p), *shape)
