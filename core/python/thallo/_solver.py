"""Solver, the handle of an energy, and what a solve returns."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from . import _linearized
from . import _library as c
from ._arrays import Declared
from ._bindings import Bindings
from ._errors import BusyError, InputError, error_of
from ._explanation import Explanation
from ._progress import Progress
from ._summary import Iteration, Summary, record
from ._texts import energy_bytes, is_path, is_schedule_text, message, schedule_bytes, text

# Returns True to end the solve.
OnIteration = Callable[[Iteration], Optional[bool]]


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
    progress: True if iterations are shown while they are made, on stderr or in the notebook.
    """

    def __init__(
        self,
        energy: Union[str, bytes, os.PathLike],
        *,
        backend: str = "auto",
        device: int = 0,
        precision: Optional[str] = None,
        schedule: Union[str, bytes, os.PathLike, None] = None,
        schedule_text: Optional[str] = None,
        threads: int = 0,
        memory_limit: Optional[int] = None,
        name: str = "energy.lua",
        options: Optional[dict[str, Any]] = None,
        progress: bool = False,
    ) -> None:
        creation = {
            "backend": backend,
            "device": device,
            "precision": precision,
            "schedule": schedule,
            "schedule_text": schedule_text,
            "threads": threads,
            "memory_limit": memory_limit,
        }
        # Where the energy is: the path of its text, or the text and its name.
        self._source: tuple[str, ...]
        if isinstance(energy, bytes):
            energy = os.fsdecode(energy)
        if is_path(energy):
            self._source = (os.fsdecode(energy),)
            path = text(energy)
            self._open(lambda *how: c.library.create_from_file(path, *how), creation)
        else:
            self._source = (str(energy), name)
            named = energy_bytes(str(energy), name), text(name)
            self._open(lambda *how: c.library.create_from_text(*named, *how), creation)
        self._make_ready(options, progress)

    def _open(self, create: Callable[..., int], creation: dict[str, Any]) -> None:
        """Makes the library's solver: create(options, number of options, handle)."""
        self._handle = ctypes.c_void_p()
        self._creation = {key: it for key, it in creation.items() if it is not None}
        schedule_text = self._creation.get("schedule_text")
        values = {key: text(it) for key, it in self._creation.items() if key != "schedule_text"}
        if schedule_text is not None:
            values["schedule_text"] = schedule_bytes(schedule_text)
        options = c.options(values)
        self._check(create(options, len(options), ctypes.byref(self._handle)))
        self._free = weakref.finalize(self, c.library.free, self._handle)

    def _make_ready(self, options: Optional[dict[str, Any]], progress: bool) -> None:
        self._declared = {each.name: each for each in self._declarations()}
        self._bindings = Bindings(self._handle, self._declared)
        self._options: dict[str, str] = {}  # that were set
        self._schedule: Optional[str] = None  # what was set or solved with last
        self._fault_of_callback: Optional[BaseException] = None
        self._on_iteration: Optional[OnIteration] = None
        self._progress = Progress() if progress else None
        self._reached: Optional[Iteration] = None  # the last iteration, to be shown
        this = weakref.ref(self)  # the library must not keep the solver alive
        self._callback = c.Callback(lambda iteration, _: _call_back(this(), iteration))
        self._check(c.library.set_callback(self._handle, self._callback, None))
        self.set_options(**(options or {}))

    # ---- What there is ----

    @property
    def inputs(self) -> dict[str, str]:
        """What can be bound, by name: {"X": "unknown X (H, W, 2)", "w": "param w"}."""
        return {name: str(declared) for name, declared in self._declared.items()}

    @property
    def unknowns(self) -> dict[str, Any]:
        """The arrays that the solution is written into, by name; of numpy, or as they were bound."""
        return dict(self._bindings.unknowns)

    @property
    def bound(self) -> dict[str, Union[np.ndarray, float]]:
        """The arrays and numbers that are bound, by name."""
        return dict(self._bindings.bound)

    @property
    def schedule(self) -> Optional[str]:
        """The schedule: what was set, or after a solve its text ("" for the default one); None
        before. May be set to the name of one, the path of a .sched file, or a text; the next solve
        compiles it.
        """
        return self._schedule

    @schedule.setter
    def schedule(self, schedule: Union[str, bytes, os.PathLike]) -> None:
        schedule = os.fsdecode(schedule)
        if is_schedule_text(schedule) or not schedule:
            self._check(c.library.set_schedule_text(self._handle, schedule_bytes(schedule)))
        else:
            self._check(c.library.set_schedule(self._handle, text(schedule)))
        self._schedule = schedule

    def explain(self, **inputs) -> Explanation:
        """Returns what the schedule of the next solve is predicted to cost for what is bound."""
        told = ctypes.c_char_p()
        with self._bindings.restored_after(InputError, BusyError):
            self.bind(**inputs)
            self._bindings.make_unknowns()
            self._run(lambda handle: c.library.explain(handle, ctypes.byref(told)))
        return Explanation(message(told.value))

    def set_options(self, **options) -> None:
        """Sets options of the next solves: set_options(nIterations=10, q_tolerance=1e-6)."""
        for name, value in options.items():
            self._check(c.library.set_option(self._handle, name.encode(), text(value)))
            self._options[name] = os.fsdecode(text(value))

    # ---- Solving ----

    def bind(self, **inputs) -> Solver:
        """Binds arrays and numbers by name. Arrays are read at each solve and each step.

        An unknown that is not bound starts at zero, in a new array. Arrays of other strides or
        types are copied each time they are read; those of unknowns are never copied. Arrays on the GPU
        that the solver computes on (of torch, cupy, jax, numba) are used there, after the work that
        their library has given to its stream. If one of them is refused, none is bound; that holds
        for what a solve refuses, too.
        """
        with self._bindings.restored_after(Exception):
            for name, value in inputs.items():
                self._bindings.bind(name, value)
        return self

    def solve(self, *, on_iteration: Optional[OnIteration] = None, **inputs) -> Summary:
        """Binds the inputs and minimizes from the values of the unknowns.

        on_iteration: called with each Iteration; the solve ends if it returns True.
        """
        self._start(c.library.solve, on_iteration, inputs)
        return self._summarize()

    def begin(self, *, on_iteration: Optional[OnIteration] = None, **inputs) -> None:
        """Begins a solve that step() makes one iteration of, and finish() ends."""
        self._start(c.library.begin, on_iteration, inputs)

    def _start(self, call: Any, on_iteration: Optional[OnIteration], inputs: dict) -> None:
        """Starts a solve. Unknowns that nobody bound get new arrays."""
        with self._bindings.restored_after(InputError, BusyError):
            self._bindings.forget_made()
            self.bind(**inputs)
            self._bindings.make_unknowns()
            before, self._on_iteration = self._on_iteration, on_iteration
            try:
                self._run(call)
            except BusyError:  # the solve that is running goes on as it was
                self._on_iteration = before
                raise

    def step(self, **inputs) -> bool:
        """Makes an iteration with the arrays and numbers as they are now.

        Returns True if the solve goes on.
        """
        goes_on = ctypes.c_int()
        with self._bindings.restored_after(InputError, BusyError):
            self.bind(**inputs)
            self._run(lambda handle: c.library.step(handle, ctypes.byref(goes_on)))
        return goes_on.value != 0

    def finish(self) -> Summary:
        self._run(c.library.finish)
        return self._summarize()

    def current_cost(self) -> float:
        """The cost at the current values of all arrays, between begin() and finish()."""
        cost = ctypes.c_double()
        self._run(lambda handle: c.library.current_cost(handle, ctypes.byref(cost)))
        return cost.value

    def covariance(self, *elements: Sequence[Any]) -> np.ndarray:
        """The covariance of elements of unknowns, each a name and indices: ("X", row, column).

        It is that part of the inverse of the weighted J^T J, from the definition of the energy: for
        small ones. An element has as many rows as a step of it has numbers.
        """
        self._bindings.make_unknowns()
        return _linearized.covariance(self, elements)

    def pull_back(
        self, gradients: Mapping[str, Any], inputs: Sequence[str]
    ) -> dict[str, np.ndarray]:
        """The gradients by arrays and params of a number that is made of the solution.

        gradients: those of the number by unknowns, by name; by others it is zero.
        inputs: the arrays and params, by name. What is bound must be a solution.
        """
        return _linearized.pull_back(self, gradients, inputs)

    def residuals_and_jacobian(self) -> tuple[np.ndarray, Any]:
        """F and J at the current values, from the definition of the energy: for small ones.

        J is a scipy.sparse.csr_matrix, or without scipy a tuple (values, columns, row_starts,
        shape).
        """
        self._bindings.make_unknowns()
        return _linearized.residuals_and_jacobian(self)

    def jacobian(self):
        """J at the current values, as residuals_and_jacobian() has it."""
        return self.residuals_and_jacobian()[1]

    # ---- The library ----

    def _check(self, code: int) -> None:
        c.check(code, self._handle)

    def _run(self, call) -> None:
        """Runs a call that takes time, so that Ctrl-C ends it within an iteration."""
        self._bindings.read_again()
        codes, texts = [], []
        is_done = threading.Event()
        starting = threading.Lock()
        is_wanted, is_running = True, False

        def work():
            nonlocal is_running
            with starting:
                is_running = is_wanted
            try:
                if is_running:
                    codes.append(call(self._handle))
                    texts.append(message(c.library.error_text(self._handle)) if codes[0] else "")
            finally:
                is_done.set()

        self._fault_of_callback = None
        try:
            threading.Thread(target=work).start()
            self._wait(is_done)
        except BaseException:  # it may come before the thread runs
            with starting:
                is_wanted = False
            while is_running and not is_done.wait(0.05):
                c.library.cancel(self._handle)
            self._end_progress()
            raise
        fault = self._fault_of_callback
        if fault is None and codes[0] != 0:
            fault = error_of(codes[0], texts[0])
        if fault is not None:
            self._end_progress()
            raise fault

    def _wait(self, is_done: threading.Event) -> None:
        """Waits, and shows the iterations: a notebook wants that from the main thread."""
        if self._progress is None:
            is_done.wait()
            return
        while True:
            is_over = is_done.wait(0.1)
            reached, self._reached = self._reached, None
            if reached is not None:
                self._progress.show(
                    f"iteration {reached.iteration:4d}  cost {reached.cost:<14.6g}"
                    f"{reached.total_seconds:8.1f} s"
                )
            if is_over:
                return

    def _end_progress(self) -> None:
        if self._progress is not None:
            self._progress.close()

    def _summarize(self) -> Summary:
        self._end_progress()
        summary = Summary(self)
        self._schedule = summary.schedule
        return summary

    def _declarations(self) -> Iterator[Declared]:
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
                dims.append((name.value or b"").decode())
            yield Declared(one.name.decode(), one.kind, one.type, one.channels, tuple(dims))


def _call_back(solver: Optional[Solver], iteration: Any) -> int:
    """Called by the library, in the thread that solves; 1 ends the solve."""
    if solver is None:
        return 1
    try:
        reached = solver._reached = record(Iteration, iteration.contents)
        ends = solver._on_iteration is not None and bool(solver._on_iteration(reached))
        return 1 if ends else 0
    except BaseException as fault:  # it cannot pass through the library
        solver._fault_of_callback = fault
        return 1
