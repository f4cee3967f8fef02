"""What a schedule is predicted to cost, step by step."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Step(NamedTuple):
    """A kernel, or another step of the program."""

    name: str
    runs: float  # in a nonlinear iteration
    seconds: float  # of a run
    waits: dict[str, float]  # seconds of a run by what is waited for: {"memory": 2e-6}
    remedy: str  # what would help

    @property
    def total_seconds(self) -> float:
        """Of a nonlinear iteration."""
        return self.runs * self.seconds


class Explanation:
    """The schedule of the next solve, and what it is predicted to cost for the data that are bound.

    schedule: its text; "" for the default one. directives: what it decides, one by one.
    device, model: what the prediction is for, and by.
    seconds: of a nonlinear iteration with so many linear_iterations.
    steps: those that take longest first. beside: seconds of such an iteration outside of steps.
    """

    def __init__(self, text: str) -> None:
        told: dict[str, Any] = json.loads(text)
        self.schedule: str = told["schedule"]
        self.directives: list[str] = told["directives"]
        self.device: str = told["device"]
        self.model: str = told["model"]
        self.linear_iterations: float = told["linear_iterations"]
        self.seconds: float = told["seconds"]
        self.steps = [
            Step(each["step"], each["runs"], each["seconds"], each["waits"], each["remedy"])
            for each in told["steps"]
        ]
        self.beside: dict[str, float] = told["beside_steps"]

    def __str__(self) -> str:
        lines = ["the default schedule: no directive"] if not self.directives else self.directives
        lines = list(lines)
        lines.append(
            f"\npredicted for {self.device} by the model {self.model}: {_time(self.seconds)} for a "
            "nonlinear iteration"
            + (f" of {self.linear_iterations:g} linear ones" if self.linear_iterations else "")
        )
        rows = [("step", "runs", "time", "waits for", "what would help")]
        for step in self.steps:
            rows.append(
                (
                    step.name,
                    f"{step.runs:g}",
                    _time(step.total_seconds),
                    _shares(step),
                    step.remedy,
                )
            )
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        for name, runs, seconds, waits, remedy in rows:
            lines.append(
                f"{name:<{widths[0]}}  {runs:>{widths[1]}}  {seconds:>{widths[2]}}  "
                f"{waits:<{widths[3]}}  {remedy}".rstrip()
            )
        beside = ", ".join(
            f"{name.replace('_', ' ')} {_time(spent)}" for name, spent in self.beside.items()
        )
        lines.append(f"beside the steps: {beside}")
        return "\n".join(lines)

    __repr__ = __str__


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _shares(step: Step) -> str:
    waits = sorted(step.waits.items(), key=lambda each: -each[1])
    return ", ".join(
        f"{name} {100 * spent / step.seconds:.0f} %"
        for name, spent in waits
        if spent > 0.005 * step.seconds
    )
