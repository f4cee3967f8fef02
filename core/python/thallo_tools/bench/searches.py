"""compare how soon searches find fast schedules: replayed on the times of a store, and as recorded

Example:
  thallo bench searches bundle_fusion --no-dense --store fusion.store --searches greedy,beam"""

from __future__ import annotations

import argparse
import math
import pathlib
from statistics import median
from typing import Any, NamedTuple

from ..command import Fault, Parser, integer, thallo
from ..progress import Progress
from ..table import LEAST, MOST, Column, Table
from ..worker import Worker
from .columns import make_table

_PLACES = {"looked_up": "schedules", "seconds": "s"}  # the axes, with their units
# Named schedules may be a hundred times as slow as the best known, and all curves begin with them:
# in pictures slower times than so many times the best stand there.
_MOST_SHOWN = 5
_EARLIEST_SHOWN = 1e-4  # as a share of where an axis ends


class _Kind(NamedTuple):
    """Runs of a search that differ in their seeds alone, as the program tells them."""

    label: str
    runs: list[dict[str, Any]]

    def best(self, place: str, at: float) -> list[float]:
        """The best time of each run until then; infinite before its first one."""
        return [
            min((point["best"] for point in run["curve"] if point[place] <= at), default=math.inf)
            for run in self.runs
        ]

    def improvements(self, place: str) -> list[float]:
        return sorted({point[place] for run in self.runs for point in run["curve"]})

    def note(self) -> str:
        def between(key: str) -> str:
            values = [run[key] for run in self.runs]
            least, most = f"{min(values):.4g}", f"{max(values):.4g}"
            return least if least == most else f"{least} to {most}"

        left_out = f", {between('left_out')} left out" if "left_out" in self.runs[0] else ""
        endings = ", ".join(sorted({run["ending"] for run in self.runs}))
        figures = ", ".join(f"{name} {value}" for name, value in self.runs[0]["figures"].items())
        return (
            f"{self.label}: {len(self.runs)} runs, {between('looked_up')} schedules with a time"
            f"{left_out}, {between('seconds')} s; {endings}{'; ' if figures else ''}{figures}."
        )


def add_flags(parser: Parser) -> None:
    parser.leaves_rest = True
    parser.epilog = (
        "PROBLEM and further flags are those of `thallo explore PROBLEM --measure replay`.\n\n"
        f"{parser.epilog}"
    )
    default = ["random", "greedy", "beam", "autotune"]
    names = f"[{','.join(default)}]"
    parser.flag("--searches", "NAME,...", names, type=lambda text: text.split(","), default=default)
    seeds = "so many replays of each, which differ in their seeds [5]"
    parser.flag("--seeds", "INT", seeds, type=integer(1, 1000), default=5)
    samples = "so many schedules are drawn by a random search [200]"
    parser.flag("--sample", "INT", samples, type=integer(1), default=200)
    parser.flag("--budget", "TIME", "the time that each replay ends after [30s]", default="30s")
    parser.flag("--pictures", "DIR", "a folder for pictures of the medians", type=pathlib.Path)


def measure(flags: argparse.Namespace) -> Table:
    if not flags.rest:
        raise Fault("PROBLEM is required (see thallo bench searches --help)")
    if flags.pictures:
        flags.pictures.mkdir(parents=True, exist_ok=True)
    kinds, faults, told = [], {}, {}
    for name in Progress("searches", flags.searches):
        try:
            replays = [_replay(flags, name, seed) for seed in range(1, flags.seeds + 1)]
        except Fault as fault:
            faults[name] = fault
            continue
        kinds.append(_Kind(name, [_run(replay) for replay in replays]))
        told = replays[0]
    if not kinds:
        raise next(iter(faults.values()))
    kinds += [_Kind(f"{its['label']}, recorded", its["runs"]) for its in told["recorded"]]
    points = [point["best"] for kind in kinds for run in kind.runs for point in run["curve"]]
    if not points:
        raise Fault("the store has no time of any schedule that these searches look up")
    best_known = min(told["best_known"], *points)
    table = _table(told, kinds)
    table.notes = [
        f"The best known of {told['device']} takes {1e6 * best_known:.1f} µs. Times are µs, medians "
        "of the best so far over the runs of a search, with those of the fastest run and of the "
        "slowest. The named schedules come first in every run. Only the seconds of recorded runs "
        "have compiling and measuring in them.",
        *(f"{name} is not replayed: {fault}" for name, fault in faults.items()),
        *(kind.note() for kind in kinds),
    ]
    if flags.pictures:
        _draw(flags.pictures, table.title, kinds, _MOST_SHOWN * best_known)
    return table


def _replay(flags: argparse.Namespace, search: str, seed: int) -> dict[str, Any]:
    words = [*flags.rest, "--measure", "replay", "--search", search, "--budget", flags.budget]
    words += ["--sample", str(flags.sample)] if search == "random" else []
    return thallo("explore", *words, "--search-seed", str(seed))


def _run(replay: dict[str, Any]) -> dict[str, Any]:
    """With the keys that a recorded run has."""
    return {**replay["search"], **{key: replay[key] for key in ("looked_up", "left_out", "curve")}}


def _table(told: dict[str, Any], kinds: list[_Kind]) -> Table:
    columns = {kind.label: Column(kind.label, ".1f") for kind in kinds}
    title = f"{told['problem']}, {told['title']}: how soon searches find fast schedules"
    table = make_table("searches", title, "after", **columns)
    for place, unit in _PLACES.items():
        for stop in _stops(place, kinds):
            cells: dict[str, Any] = {"after": f"{stop:.3g} {unit}"}
            for kind in kinds:
                best = [1e6 * seconds for seconds in kind.best(place, stop)]
                cells[kind.label] = median(best)
                cells[kind.label + LEAST], cells[kind.label + MOST] = min(best), max(best)
            table.add(**cells)
    return table


def _end(place: str, kinds: list[_Kind]) -> float:
    return max(run[place] for kind in kinds for run in kind.runs)


def _stops(place: str, kinds: list[_Kind]) -> list[float]:
    """1, 2, 5, 10, ... from the first time on, then the end of the longest run."""
    last = _end(place, kinds)
    first = min(at for kind in kinds for at in kind.improvements(place))
    first = max(first, _EARLIEST_SHOWN * last)
    decades = range(math.floor(math.log10(first)), math.ceil(math.log10(last)) + 1)
    stops = [factor * 10.0**decade for decade in decades for factor in (1, 2, 5)]
    return [stop for stop in stops if first <= stop < last] + [last]


def _draw(folder: pathlib.Path, title: str, kinds: list[_Kind], slowest: float) -> None:
    with Worker() as worker:
        for place, unit in _PLACES.items():
            cases = [_case(kind, place, _end(place, kinds), slowest) for kind in kinds]
            picture = {
                "number": "Best time so far",
                "title": title,
                "ours": "medians of the runs of each search",
                "x_title": f"{unit} of the search",
                "y_title": "µs",
                "quantities": [],
                "cases": [case for case in cases if case["curve"]],
                "is_share": False,
                "is_scatter": False,
            }
            svg = worker.ask("draw", picture=picture)["svg"]
            (folder / f"searches_by_{unit}.svg").write_text(svg, encoding="utf-8")


def _case(kind: _Kind, place: str, end: float, slowest: float) -> dict[str, Any]:
    """A step at each improvement of a run."""
    curve: list[tuple[float, float]] = []
    for at in [*kind.improvements(place), end]:
        height = min(median(kind.best(place, at)), slowest)
        if math.isfinite(height):
            at = max(at, _EARLIEST_SHOWN * end)
            curve += [(at, 1e6 * height)] if not curve else [(at, curve[-1][1]), (at, 1e6 * height)]
    return {"name": kind.label, "marks": [], "curve": curve, "level": None, "notes": []}
