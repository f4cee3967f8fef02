"""What a solve returns: its iterations, times and solution."""

from __future__ import annotations

import ctypes
from ctypes import byref
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _library as c
from ._texts import message

if TYPE_CHECKING:
    import numpy as np

    from ._solver import Solver


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
    count: int  # type: ignore[assignment]  # of a tuple it is a method
    min_ms: float
    max_ms: float
    mean_ms: float
    deviation_ms: float


class Group(NamedTuple):
    """What a residual group has come to (thallo.h says what each value is)."""

    cost: float
    residuals: int
    inliers: int


class Member(NamedTuple):
    """What a solve has come to for a member of a batch."""

    initial_cost: float
    final_cost: float
    iterations: int
    accepted: int
    termination: str


def record(of: Any, struct: Any) -> Any:
    values = [getattr(struct, name) for name, _ in struct._fields_]
    if of is Iteration:
        values[2] = bool(values[2])
    return of(*values)


class Summary:
    """What a solve did, and its solution."""

    def __init__(self, solver: Solver) -> None:
        self.unknowns = solver.unknowns

        def number(name: str) -> float:
            value = ctypes.c_double()
            solver._check(c.library.summary_number(solver._handle, name.encode(), byref(value)))
            return value.value

        def text(name: str) -> str:
            value = ctypes.c_char_p()
            solver._check(c.library.summary_text(solver._handle, name.encode(), byref(value)))
            return message(value.value)

        def times(name: str) -> Times:
            value = c.Times()
            solver._check(c.library.summary_times(solver._handle, name.encode(), byref(value)))
            return record(Times, value)

        def iteration(number: int) -> Iteration:
            value = c.Iteration()
            solver._check(c.library.summary_iteration(solver._handle, number, byref(value)))
            return record(Iteration, value)

        def group(i: int) -> tuple[str, Group]:
            value = c.Group()
            solver._check(c.library.summary_group(solver._handle, i, byref(value)))
            return value.name.decode(), Group(value.cost, value.residuals, value.inliers)

        def members() -> list[Member]:
            values = (c.Member * int(number("members")))()
            solver._check(c.library.summary_members(solver._handle, values, len(values)))
            return [
                Member(
                    v.initial_cost, v.final_cost, v.iterations, v.accepted, v.termination.decode()
                )
                for v in values
            ]

        self.initial_cost, self.final_cost = number("initial_cost"), number("final_cost")
        self.converged = number("converged") == 1
        self.termination, self.why = text("termination"), text("why")
        self.backend, self.linear_solver = text("backend"), text("linear_solver")
        self.schedule = text("schedule")
        self.seconds, self.compile_seconds = number("seconds"), number("compile_seconds")
        self.bytes_moved = int(number("bytes_moved"))  # between host and GPU, in all solves
        self.warnings = text("warnings").splitlines()
        self.times = {
            name: times(name) for name in ("total", "iteration", "linearize", "linear", "resolve")
        }
        self.device, self.precision = text("device"), text("precision")
        self.commit, self.date = text("commit"), text("date")  # of Thallo; of the end, in UTC
        self.threads, self.cpu_seconds = int(number("threads")), number("cpu_seconds")
        self.peak_memory = int(number("peak_memory"))  # of the process, in bytes
        self.groups = dict(group(i) for i in range(int(number("groups"))))
        self.members = members()  # of a batch; empty without one
        self.iterations = [iteration(i) for i in range(int(number("iterations")) + 1)]
        self._brief, self._full = text("brief"), text("full")

    def __getitem__(self, name: str) -> Any:
        return self.unknowns[name]

    def __repr__(self) -> str:
        return self._brief

    def __str__(self) -> str:
        return self._full
