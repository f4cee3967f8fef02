"""Keeps what was measured in a file, a line of JSON each, so that a reproduction that was ended
goes on from there. A line is written as soon as something is measured; a last line that was cut off
is dropped. What a line is of includes the input; it also says on which device and with which build
it was made. What another device or build made is there as well, to be shown where nothing newer is.

A line is also written when something is begun. So something that ended the program twice is known,
and is not begun a third time.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

from ..command import Fault, Interrupted

VERSION = 3
START = b'{"thallo_reproduce": '  # of each line
MOST_BEGUN = 2


@dataclass
class Measured:
    """What was measured of a case, or of a part of one."""

    values: dict[str, float] = field(default_factory=dict)  # by the keys of quantities
    # Of the values that are not exact, since a run was ended that had done no less.
    bounds: dict[str, str] = field(default_factory=dict)  # "at least" or "at most"
    curve: list[tuple[float, float]] = field(default_factory=list)  # its method says of what
    limit: float = 0.0  # seconds that a run had where a bound was found
    conditions: str = ""  # one sentence
    is_complete: bool = True  # False if it should be gone on with


class MadeBy(NamedTuple):
    device: str
    core: str  # the build


@dataclass
class Kept:
    by: MadeBy
    measured: Optional[Measured] = None
    failure: str = ""  # why it could not be run; empty if it was
    num_begun: int = 0  # how often it was begun since it last ended in any way


class KeptCases:
    """Without a path, nothing outlives this object."""

    def __init__(self, path: Optional[Path]) -> None:
        self._path = path
        self._kept: dict[str, list[Kept]] = {}  # by what; of each maker one, the newest last
        if path is None or not path.exists():
            return
        if not path.is_file():
            what = "a folder" if path.is_dir() else "a device"
            raise Fault(f"{path}: this is {what}, not a file")
        *lines, rest = path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, 1):
            self._read(line, number)
        if rest and not (rest.startswith(START) or START.startswith(rest)):
            raise Fault(f"{path}:{len(lines) + 1}: this is no line of thallo reproduce")
        if rest:  # it was cut off
            with path.open("r+b") as file:
                file.truncate(sum(len(line) + 1 for line in lines))

    def _entry(self, what: str, by: MadeBy) -> Kept:
        kept = self._kept.setdefault(what, [])
        its = next((one for one in kept if one.by == by), Kept(by))
        kept[:] = [one for one in kept if one.by != by] + [its]
        return its

    def _read(self, text: bytes, number: int) -> None:
        try:
            line = json.loads(text)
            version, by = line["thallo_reproduce"], MadeBy(line["device"], line["core"])
        except (ValueError, TypeError, LookupError) as error:
            raise Fault(f"{self._path}:{number}: this is no line of thallo reproduce") from error
        if version != VERSION:
            raise Fault(f"{self._path}:{number}: written by another version of thallo")
        self._apply(json.dumps(line["of"], sort_keys=True), by, line)

    def _apply(self, what: str, by: MadeBy, told: dict[str, Any]) -> None:
        entry = self._entry(what, by)
        entry.num_begun = entry.num_begun + 1 if "begun" in told else 0
        if "failure" in told or "measured" in told:
            entry.failure = told.get("failure", "")
        if "measured" in told:
            entry.measured = Measured(**told["measured"])

    def find(self, what: str, by: MadeBy) -> Optional[Kept]:
        return next((one for one in self._kept.get(what, []) if one.by == by), None)

    def find_other(self, what: str, by: MadeBy) -> Optional[Kept]:
        """The last that was measured elsewhere or by another build."""
        others = [one for one in self._kept.get(what, []) if one.by != by and one.measured]
        return others[-1] if others else None

    def tell(self, what: str, by: MadeBy, **told: Any) -> None:
        """Keeps that it was begun, left without a result that is to be kept, measured, or
        failed."""
        self._apply(what, by, told)
        if self._path is None:
            return
        line = {"thallo_reproduce": VERSION, "of": json.loads(what), **by._asdict(), **told}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


class TimeBudget:
    """The time that a reproduction may take, and what a run of it may that has no end of its
    own."""

    def __init__(self, seconds: Optional[float]) -> None:
        self._seconds, self._start = seconds, time.monotonic()
        self.interrupted: Optional[Interrupted] = None  # by what it was ended early

    def left(self) -> Optional[float]:
        spent = time.monotonic() - self._start
        return None if self._seconds is None else max(0.0, self._seconds - spent)

    def is_over(self) -> bool:
        return self.left() == 0 or self.interrupted is not None

    def limit(self, wanted: float) -> float:
        """How many seconds a run may take before what it has done counts as a lower bound: no more
        than a quarter of the budget, so that there is time for others."""
        return wanted if self._seconds is None else min(wanted, self._seconds / 4)

    def limit_now(self, wanted: float) -> float:
        left = self.left()
        return self.limit(wanted) if left is None else min(self.limit(wanted), left)


class Parts:
    """Obtains what a case consists of: the case itself, or its parts where each may take long. A
    part is taken from what is kept if it is there, and measured and kept otherwise, so that a
    reproduction goes on within a case, and cases that have a part in common measure it once."""

    def __init__(self, kept: KeptCases, budget: TimeBudget, by: MadeBy) -> None:
        self._kept, self.budget, self._by = kept, budget, by
        self.is_left = False  # true if some are to be measured yet
        self.failures: list[str] = []  # "NAME: reason"
        self.others: list[MadeBy] = []  # that made parts

    def obtain(
        self, name: str, of: dict[str, Any], wanted: float, measure: Callable[[], Measured]
    ) -> Optional[Measured]:
        """A fault of `measure` is the part's failure, which is kept, and tried again as long as
        there is time. Where no time is left, returns what another device or build measured. A bound
        is measured again if a run may now take longer than it could; `wanted` is how many seconds
        it may take, 0 if there is no limit."""
        what = json.dumps(of, sort_keys=True)
        kept = self._kept.find(what, self._by)
        measured = kept.measured if kept else None
        if measured and (not measured.bounds or measured.limit >= 0.99 * self.budget.limit(wanted)):
            return measured
        if kept and kept.num_begun >= MOST_BEGUN:
            self._fail(name, f"the program was ended {kept.num_begun} times while it ran")
            return None
        if not self.budget.is_over():
            return self._measure_now(name, what, measure)
        self.is_left = True
        if measured:
            return measured
        if kept and kept.failure:
            self._fail(name, kept.failure)
            return None
        other = self._kept.find_other(what, self._by)
        if other and other.by not in self.others:
            self.others.append(other.by)
        return other.measured if other else None

    def _measure_now(
        self, name: str, what: str, measure: Callable[[], Measured]
    ) -> Optional[Measured]:
        self._kept.tell(what, self._by, begun=True)
        measured = None
        try:
            measured = measure()
            if measured.is_complete:
                self._kept.tell(what, self._by, measured=asdict(measured))
                return measured
        except Interrupted as interrupted:
            self.budget.interrupted = interrupted
        except Fault as fault:
            if not self.budget.is_over():
                self._kept.tell(what, self._by, failure=str(fault))
                self._fail(name, str(fault))
                return None
        self.is_left = True
        self._kept.tell(what, self._by, left=True)
        return measured

    def _fail(self, name: str, reason: str) -> None:
        self.failures.append(f"{name}: {reason}" if name else reason)

    def why_not(self) -> str:
        return "; ".join(self.failures) or "it was not begun in time"
