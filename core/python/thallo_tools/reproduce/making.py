"""Makes tables and figures of a paper again, case by case, as far as a budget allows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Iterable, Optional

from ..command import Fault
from ..progress import Progress
from .kept import KeptCases, MadeBy, Measured, Parts, TimeBudget
from .methods import METHODS
from .paper import Case, Item, Paper, Quantity
from .running import Its, Run

Value = tuple[float, str]  # with its bound

_REVERSED = {"": "", "at least": "at most", "at most": "at least"}


def _combined(a: str, b: str) -> Optional[str]:
    """The bound of a product of two; None if they work against each other."""
    return a or b if a == b or not (a and b) else None


def value_of(quantity: Quantity, measured: Optional[Measured]) -> Optional[Value]:
    """The value that there is, else the quotient that the quantity is. Of two bounds the quotient
    is known only if they do not work against each other."""
    if measured is None:
        return None
    values, bounds = measured.values, measured.bounds
    if quantity.key in values:
        return values[quantity.key], bounds.get(quantity.key, "")
    if not quantity.ratio or not all(key in values for key in quantity.ratio):
        return None
    above, below = quantity.ratio
    bound = _combined(bounds.get(above, ""), _REVERSED[bounds.get(below, "")])
    if bound is None or values[below] == 0:
        return None
    return values[above] / values[below], bound


def _mean_of(quantities: list[Quantity], cases: list[Measured]) -> Measured:
    """The geometric means of the quantities, each over the cases that have it. One that fewer than
    two cases have, or that is not positive everywhere, has none."""
    means = Measured(conditions="each over the cases that have the value.")
    for quantity in quantities:
        known = [value for value in (value_of(quantity, one) for one in cases) if value]
        bound: Optional[str] = ""
        for _, its in known:
            bound = None if bound is None else _combined(bound, its)
        if len(known) < 2 or bound is None or not all(value > 0 for value, _ in known):
            continue
        means.values[quantity.key] = math.exp(
            sum(math.log(value) for value, _ in known) / len(known)
        )
        if bound:
            means.bounds[quantity.key] = bound
    return means


@dataclass
class MadeCase:
    case: Case
    measured: Optional[Measured] = None
    why_not: str = ""  # where nothing was measured
    # What could not be measured of it, "NAME: reason", and other builds or devices that made it.
    failures: list[str] = field(default_factory=list)
    others: list[MadeBy] = field(default_factory=list)
    is_left: bool = False  # not begun, or not ended, on this device by this build

    def side(self, is_ours: bool) -> Optional[Measured]:
        return self.measured if is_ours else Measured(self.case.published)


@dataclass
class Made:
    """A table or figure."""

    paper: Paper
    item: Item
    is_tiny: bool
    by: MadeBy  # its device is "predicted" where none was used
    cases: list[MadeCase] = field(default_factory=list)
    num_failed: int = 0  # begun, but could not be run, or not all of it

    @property
    def num_left(self) -> int:
        return sum(one.is_left for one in self.cases)

    def makers(self) -> list[MadeBy]:
        """By whom its cases were made, each once; this run if nothing was measured."""
        made = [one for one in self.cases if one.measured and not one.case.mean]
        return _once(by for one in made for by in one.others or [self.by]) or [self.by]


def _once(items: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(items))


@dataclass
class State:
    """What can be made of an item: everything, part of it, or nothing, and why."""

    text: str  # "can be made: 5 of 7 cases; lacks data: bal/x.txt"
    missing: list[str] = field(default_factory=list)  # files below THALLO_DATA_DIR
    num_inputs: int = 0  # cases that can be run if their files are there
    can_be_made: bool = False


def state_of(item: Item, is_tiny: bool) -> State:
    if not item.method:
        return State(f"not made: {item.why_not}")
    inputs = [its for its in (case.input(is_tiny) for case in item.cases) if its]
    missing = _once(name for its in inputs for name in its.missing())
    num_made = sum(not its.missing() for its in inputs)
    texts = [] if inputs else ["has no tiny input"]
    if num_made:
        num_cases = sum(not case.mean for case in item.cases)
        texts.append(f"can be made: {num_made} of {num_cases} cases")
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        texts.append(f"lacks data: {', '.join(missing[:3])}{more}")
    if item.why_not:
        texts.append(f"in part: {item.why_not}")
    return State("; ".join(texts), missing, len(inputs), num_made > 0)


class Maker:
    def __init__(self, run: Run, kept: KeptCases, budget: TimeBudget, build: str) -> None:
        self._run, self._kept, self.budget, self._build = run, kept, budget, build

    def make(self, paper: Paper, item: Item) -> Made:
        """What goes wrong with a case is a part of the result."""
        state = state_of(item, self._run.is_tiny)
        if not item.method:
            raise Fault(f"{item.number} of {paper.name} cannot be made here: {item.why_not}")
        if state.num_inputs == 0:
            raise Fault(f"{item.number} of {paper.name} has no tiny input")
        if not state.can_be_made:
            raise Fault(
                f"{item.number} of {paper.name} needs data that the folder THALLO_DATA_DIR does "
                f"not have: {', '.join(state.missing)}"
            )
        device = "predicted"
        if METHODS[item.method].runs:
            name, backend = self._run.place
            device = f"{name} ({backend})"
        made = Made(paper, item, self._run.is_tiny, MadeBy(device, self._build))
        progress = Progress(item.number, item.cases)
        for case in progress:
            progress.at(case.name)
            made.cases.append(MadeCase(case) if case.mean else self._make_case(case, made))
        # What others made is whole, though it is to be made anew.
        whole = [
            one.measured for one in made.cases if one.measured and (one.others or not one.is_left)
        ]
        for one in made.cases:
            if one.case.mean:
                mean = _mean_of(item.quantities, whole)
                one.measured = mean if mean.values else None
                one.why_not = "" if mean.values else "it takes two cases"
        return made

    def _make_case(self, case: Case, made: Made) -> MadeCase:
        run_input = case.input(self._run.is_tiny)
        if run_input is None:
            return MadeCase(case, why_not="it has no tiny input" if case.problem else case.why_not)
        if run_input.missing():
            return MadeCase(
                case, why_not=f"THALLO_DATA_DIR has no {', '.join(run_input.missing())}"
            )
        method = METHODS[made.item.method]
        parts = Parts(self._kept, self.budget, made.by)
        its = Its(self._run, parts, made.item, case, run_input)
        result = MadeCase(case)
        try:
            if method.has_parts:
                result.measured = method.measure(its)
            else:
                key = its.key(
                    paper=made.paper.name,
                    item=made.item.number,
                    case=case.name,
                    method=made.item.method,
                    quantities={quantity.key: quantity.passes for quantity in made.item.quantities},
                    schedule=case.schedule,
                    samples=run_input.samples,
                )
                result.measured = parts.obtain("", key, 0, lambda: method.measure(its))
        except Fault as fault:
            result.why_not = str(fault)
        if result.measured and not result.measured.values:
            result.measured = None
        if result.measured:
            result.failures = parts.failures
        else:
            result.why_not = result.why_not or parts.why_not()
        result.others, result.is_left = parts.others, parts.is_left
        if not result.is_left and (not result.measured or parts.failures):
            made.num_failed += 1
        return result
