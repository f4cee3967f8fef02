"""Solver, the handle of an energy, and what a solve returns."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import sys
import threading
import weakref
from typing import NamedTuple

import numpy as np

from . import _arrays
from . import _library as c
from ._errors import InputError, error_of

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

    def __str__(self):
        over = f" {_arrays.shape_text(self)}" if self.kind not in (c.DIM, c.PARAM) else ""
        return f"{_KINDS[self.kind]} {self.name}{over}"


class Iteration(NamedTuple):
    """An iteration; number 0 is the start (thallo.h says what each value is)."""

    iteration: int
    linear_iterations: int
    accepted: bool
    cost: float
    cost_change: float
    gradient_max: float
    step_norm: float
    relative_decrease: float
    radius: float
    seconds: float
    total_seconds: float


class Times(NamedTuple):
    count: int
    min_ms: float
    max_ms: float
    mean_ms: float
    deviation_ms: float


def _record(of, struct):
    values = [getattr(struct, name) for name, _ in struct._fields_]
    if of is Iteration:
        values[2] = bool(values[2])
    return of(*values)


class Summary:
    """What a solve did, and its solution."""

    def __init__(self, solver: Solver):
        self.unknowns = solver.unknowns
        number = solver._summary_number
        text = solver._summary_text
        self.initial_cost, self.final_cost = number("initial_cost"), number("final_cost")
        self.converged = number("converged") == 1
        self.termination, self.why = text("termination"), text("why")
        self.backend, self.linear_solver = text("backend"), text("linear_solver")
        self.schedule = text("schedule")
        self.seconds, self.compile_seconds = number("seconds"), number("compile_seconds")
        self.warnings = text("warnings").splitlines()
        self.times = {
            name: solver._summary_times(name)
            for name in ("total", "iteration", "linearize", "linear", "resolve")
        }
        self.iterations = [
            solver._summary_iteration(i) for i in range(int(number("iterations")) + 1)
        ]
        self._brief, self._full = text("brief"), text("full")

    def __getitem__(self, name: str) -> np.ndarray:
        return self.unknowns[name]

    def __repr__(self):
        return self._brief

    def __str__(self):
        return self._full


def _bytes(text) -> bytes:
    return os.fspath(text).encode() if isinstance(text, os.PathLike) else str(text).encode()


def _is_path(energy) -> bool:
    if isinstance(energy, os.PathLike):
        return True
    return "\n" not in energy and (energy.endswith((".lua", ".t")) or "(" not in energy)


class Solver:
    """An energy, ready to be solved on the arrays of the caller.

    energy: the path of a text, or the text itself.
    backend: "auto", "cuda", "cpu" or "interpreter".
    precision: "float" or "double"; by default double if an unknown is an array of doubles.
    schedule: "auto", "default", another name, or the path of a .sched file; schedule_text is the
        text of one.
    name: what messages call an energy that is given as a text.
    options: solver options by their published names, {"nIterations": 10}; by default a solve runs
        until its cost settles.
    progress: True if iterations are shown on stderr while they are made.
    """

    def __init__(
        self,
        energy,
        *,
        backend="auto",
        device=0,
        precision=None,
        schedule=None,
        schedule_text=None,
        threads=0,
        memory_limit=None,
        name="energy.lua",
        options=None,
        progress=False,
    ):
        self._handle = ctypes.c_void_p()
        chosen = {
            "backend": backend,
            "device": device,
            "precision": precision,
            "schedule": schedule,
            "schedule_text": schedule_text,
            "threads": threads,
            "memory_limit": memory_limit,
        }
        given = [(key, value) for key, value in chosen.items() if value is not None]
        array = (c.Option * len(given))(*[(key.encode(), _bytes(value)) for key, value in given])
        if _is_path(energy):
            self._check(
                c.library.create_from_file(
                    _bytes(energy), array, len(given), ctypes.byref(self._handle)
                )
            )
        else:
            self._check(
                c.library.create_from_text(
                    energy.encode(), name.encode(), array, len(given), ctypes.byref(self._handle)
                )
            )
        self._free = weakref.finalize(self, c.library.free, self._handle)
        self._declared = {each.name: each for each in self._declarations()}
        self._bound = {}  # what the library reads, by name; it must live
        self._unknowns = {}
        self._fault_of_callback = None
        self._on_iteration = None
        self._progress = progress
        self._shows_iteration = False  # True if the line of an iteration is not ended yet
        this = weakref.ref(self)  # the library must not keep the solver alive
        self._callback = c.Callback(lambda iteration, _user: this()._call_back(iteration))
        self._check(c.library.set_callback(self._handle, self._callback, None))
        self.set_options(**(options or {}))

    # ---- What there is ----

    @property
    def inputs(self) -> dict[str, str]:
        """What can be bound, by name: {"X": "unknown X (H, W, 2)", "w": "param w"}."""
        return {name: str(declared) for name, declared in self._declared.items()}

    @property
    def unknowns(self) -> dict[str, np.ndarray]:
        """The arrays that the solution is written into, by name."""
        return dict(self._unknowns)

    def set_options(self, **options) -> None:
        """Sets options of the next solves: set_options(nIterations=10, q_tolerance=1e-6)."""
        for name, value in options.items():
            text = str(int(value)) if isinstance(value, bool) else str(value)
            self._check(c.library.set_option(self._handle, name.encode(), text.encode()))

    # ---- Solving ----

    def bind(self, **inputs) -> Solver:
        """Binds arrays and numbers by name. Arrays are read at each solve and each step.

        An unknown that is not bound starts at zero, in a new array. Arrays of other strides or
        types are copied when they are bound; those of unknowns are never copied.
        """
        for name, value in inputs.items():
            declared = self._declared.get(name)
            if declared is None:
                raise InputError(
                    f"the energy declares no '{name}' (legal: {', '.join(sorted(self._declared))})"
                )
            if declared.kind in (c.DIM, c.PARAM):
                self._check(c.library.bind_number(self._handle, name.encode(), float(value)))
                self._bound[name] = float(value)
            elif declared.kind == c.UNKNOWN:
                array = _arrays.unknown_array(declared, value)
                self._bind_array(declared, array)
                self._unknowns[name] = array
            else:
                self._bind_array(declared, _arrays.input_array(declared, value))
        return self

    def solve(self, *, on_iteration=None, **inputs) -> Summary:
        """Binds the inputs and minimizes from the values of the unknowns.

        on_iteration: called with each Iteration; the solve ends if it returns True.
        """
        self.bind(**inputs)
        self._make_unknowns()
        self._on_iteration = on_iteration
        self._run(c.library.solve)
        return Summary(self)

    def begin(self, *, on_iteration=None, **inputs) -> None:
        """Begins a solve that step() makes one iteration of, and finish() ends."""
        self.bind(**inputs)
        self._make_unknowns()
        self._on_iteration = on_iteration
        self._run(c.library.begin)

    def step(self, **inputs) -> bool:
        """Makes an iteration with the arrays and numbers as they are now.

        Returns True if the solve goes on.
        """
        self.bind(**inputs)
        goes_on = ctypes.c_int()
        self._run(lambda handle: c.library.step(handle, ctypes.byref(goes_on)))
        return goes_on.value != 0

    def finish(self) -> Summary:
        self._run(c.library.finish)
        return Summary(self)

    def current_cost(self) -> float:
        """The cost at the current values of all arrays, between begin() and finish()."""
        cost = ctypes.c_double()
        self._run(lambda handle: c.library.current_cost(handle, ctypes.byref(cost)))
        return cost.value

    def residuals_and_jacobian(self):
        """F and J at the current values, from the definition of the energy: for small ones.

        J is a scipy.sparse.csr_matrix, or without scipy a tuple (values, columns, row_starts,
        shape).
        """
        self._make_unknowns()
        size = c.JacobianSize()
        self._run(lambda handle: c.library.linearize(handle, ctypes.byref(size)))
        starts, columns = np.empty(size.rows + 1, np.int64), np.empty(size.entries, np.int64)
        values, residuals = np.empty(size.entries), np.empty(size.rows)
        whole, real = ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_double)
        self._check(
            c.library.get_jacobian(
                self._handle,
                starts.ctypes.data_as(whole),
                columns.ctypes.data_as(whole),
                values.ctypes.data_as(real),
                residuals.ctypes.data_as(real),
            )
        )
        shape = (size.rows, size.columns)
        try:
            from scipy.sparse import csr_matrix
        except ImportError:
            return residuals, (values, columns, starts, shape)
        return residuals, csr_matrix((values, columns, starts), shape=shape)

    # ---- The library ----

    def _check(self, code: int) -> None:
        if code != 0:
            # A solver that was not made has no text; the thread has.
            raise error_of(code, (c.library.error_text(self._handle) or b"").decode())

    def _run(self, call) -> None:
        """Runs a call that takes time, so that Ctrl-C ends it within an iteration."""
        codes, texts = [], []
        is_done = threading.Event()

        def work():
            try:
                codes.append(call(self._handle))
                texts.append(c.library.error_text(self._handle).decode() if codes[0] else "")
            finally:
                is_done.set()

        self._fault_of_callback = None
        threading.Thread(target=work).start()
        try:
            is_done.wait()
        except BaseException:
            c.library.cancel(self._handle)
            is_done.wait()
            raise
        finally:
            if self._shows_iteration:
                sys.stderr.write("\n")
            self._shows_iteration = False
        if self._fault_of_callback is not None:
            raise self._fault_of_callback
        if codes[0] != 0:
            raise error_of(codes[0], texts[0])

    def _call_back(self, iteration) -> int:
        try:
            record = _record(Iteration, iteration.contents)
            if self._progress:
                sys.stderr.write(f"\riteration {record.iteration:4d}  cost {record.cost:<14.6g}")
                sys.stderr.flush()
                self._shows_iteration = True
            return 1 if self._on_iteration is not None and self._on_iteration(record) is True else 0
        except BaseException as fault:  # it cannot pass through the library
            self._fault_of_callback = fault
            return 1

    def _declarations(self):
        count = ctypes.c_size_t()
        self._check(c.library.count_declarations(self._handle, ctypes.byref(count)))
        for number in range(count.value):
            one = c.Declaration()
            self._check(c.library.get_declaration(self._handle, number, ctypes.byref(one)))
            dims = []
            for dim in range(one.num_dims):
                name = ctypes.c_char_p()
                self._check(
                    c.library.get_declared_dim(self._handle, number, dim, ctypes.byref(name))
                )
                dims.append(name.value.decode())
            yield Declared(one.name.decode(), one.kind, one.type, one.channels, tuple(dims))

    def _bind_array(self, declared: Declared, array: np.ndarray) -> None:
        extents = _arrays.extents_of(declared, array)
        as_c = (ctypes.c_int64 * len(extents))(*extents)
        bind = c.library.bind_unknown if declared.kind == c.UNKNOWN else c.library.bind_array
        self._check(
            bind(
                self._handle,
                declared.name.encode(),
                _arrays.type_code(array),
                array.ctypes.data_as(ctypes.c_void_p),
                as_c,
                len(extents),
            )
        )
        self._bound[declared.name] = array

    def _extents(self) -> dict[str, int]:
        """The extents that are known from what is bound."""
        known = {}
        for name, value in self._bound.items():
            declared = self._declared[name]
            if declared.kind == c.DIM:
                known[name] = int(value)
            elif declared.kind != c.PARAM:
                known.update(zip(declared.dims, _arrays.extents_of(declared, value)))
        return known

    def _make_unknowns(self) -> None:
        """Makes arrays for the unknowns that are not bound."""
        missing = [
            d
            for d in self._declared.values()
            if d.kind == c.UNKNOWN and d.name not in self._unknowns
        ]
        if not missing:
            return
        extents = self._extents()
        for declared in missing:
            unknown = [dim for dim in declared.dims if dim not in extents]
            if unknown:
                raise InputError(
                    f"the unknown '{declared.name}' is not bound, and the extent of "
                    f"{' and '.join(unknown)} is not known: bind '{declared.name}', an array over it, or {unknown[0]}=10"
                )
            shape = [extents[dim] for dim in reversed(declared.dims)]
            if declared.channels > 1:
                shape.append(declared.channels)
            dtype = _arrays.dtype_of(declared.type, np.float32)
            self.bind(**{declared.name: np.zeros(shape, dtype)})

    def _summary_number(self, name: str) -> float:
        number = ctypes.c_double()
        self._check(c.library.summary_number(self._handle, name.encode(), ctypes.byref(number)))
        return number.value

    def _summary_text(self, name: str) -> str:
        text = ctypes.c_char_p()
        self._check(c.library.summary_text(self._handle, name.encode(), ctypes.byref(text)))
        return text.value.decode()

    def _summary_times(self, name: str) -> Times:
        times = c.Times()
        self._check(c.library.summary_times(self._handle, name.encode(), ctypes.byref(times)))
        return _record(Times, times)

    def _summary_iteration(self, number: int) -> Iteration:
        iteration = c.Iteration()
        self._check(c.library.summary_iteration(self._handle, number, ctypes.byref(iteration)))
        return _record(Iteration, iteration)
