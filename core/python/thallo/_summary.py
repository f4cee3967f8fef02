"""What a solve returns: its iterations, times and solution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

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


def record(of: Any, struct: Any) -> Any:
    values = [getattr(struct, name) for name, _ in struct._fields_]
    if of is Iteration:
        values[2] = bool(values[2])
    return of(*values)


class Summary:
    """What a solve did, and its solution."""

    def __init__(self, solver: Solver) -> None:
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

    def __repr__(self) -> str:
        return self._brief

    def __str__(self) -> str:
        return self._full
