"""@NAME@ from Python, by ctypes. Build the library as a shared one: cmake -B build -DBUILD_SHARED_LIBS=ON.

    solver = @NAME@.Solver("build/lib@NAME@.so")
    summary = solver.solve(...)   # extents, arrays of numpy and numbers, by name

Unknowns are the start, and the solution afterwards. Arrays are C-contiguous, of the types and sizes in ARRAYS; on a GPU an
integer is the address of an array there.
"""

import ctypes

# Name: type of numpy, extents, channels of an element.
ARRAYS = {
@ARRAYS@
}


class Data(ctypes.Structure):
    _fields_ = [
@DATA@
    ]


class Iteration(ctypes.Structure):
    _fields_ = [
        ("iteration", ctypes.c_int),
        ("accepted", ctypes.c_int),
        ("linear_iterations", ctypes.c_int),
        ("cost", ctypes.c_double),
        ("cost_change", ctypes.c_double),
        ("gradient_max", ctypes.c_double),
        ("step_norm", ctypes.c_double),
        ("radius", ctypes.c_double),
        ("seconds", ctypes.c_double),
    ]


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Iteration))


class Options(ctypes.Structure):
    _fields_ = [
@OPTIONS@
        ("callback", _Callback),
        ("context", ctypes.c_void_p),
    ]


class Summary(ctypes.Structure):
    _fields_ = [
        ("initial_cost", ctypes.c_double),
        ("final_cost", ctypes.c_double),
        ("iterations", ctypes.c_int),
        ("accepted", ctypes.c_int),
        ("linear_iterations", ctypes.c_int64),
        ("converged", ctypes.c_int),
        ("ending", ctypes.c_char_p),
        ("seconds", ctypes.c_double),
    ]


class Solver:
    def __init__(self, library, threads=0):
        self._c = ctypes.CDLL(library)
        self._c.@NAME@_default_options.restype = Options
        self._c.@NAME@_create.restype = ctypes.c_void_p
        self._c.@NAME@_error.restype = ctypes.c_char_p
        self._solver = ctypes.c_void_p(self._c.@NAME@_create(threads))

    def __del__(self):
        if getattr(self, "_solver", None):
            self._c.@NAME@_destroy(self._solver)

    def default_options(self):
        return self._c.@NAME@_default_options()

    def solve(self, options=None, callback=None, **values):
        """Calls callback(iteration) after each iteration, which returns False to end the solve."""
        data = Data()
        for name, _ in Data._fields_:
            if name not in values:
                raise TypeError(f"solve() needs {name}")
            setattr(data, name, self._argument(name, values))
        options = options or self.default_options()
        if callback:
            options.callback = _Callback(lambda _, i: callback(i.contents) is not False)
        summary = Summary()
        if self._c.@NAME@_solve(self._solver, ctypes.byref(data), ctypes.byref(options), ctypes.byref(summary)):
            raise ValueError(self._c.@NAME@_error(self._solver).decode())
        return summary

    @staticmethod
    def _argument(name, values):
        value = values[name]
        if name not in ARRAYS or isinstance(value, int):
            return value
        dtype, extents, channels = ARRAYS[name]
        size = channels
        for extent in extents:
            size *= values[extent]
        if value.dtype != dtype or value.size != size or not value.flags.c_contiguous:
            raise ValueError(f"{name} must be C-contiguous, with {size} numbers of {dtype}")
        return value.ctypes.data
