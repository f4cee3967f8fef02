"""time every single decision from a schedule beside what is predicted of it

Examples:
  thallo bench moves image_warping --schedule published-default
  thallo bench moves bundle_fusion --schedule auto --most 20"""

import argparse
import math
from typing import Any

from ..command import Parser, integer
from ..progress import Progress
from ..table import Table
from .columns import make_table
from .timed_problem import TimedProblem, add_problem

_LEAST_CHANGE = 0.02  # the predicted change of a time, as a share, from which on it counts


def add_flags(parser: Parser) -> None:
    add_problem(parser)
    start = (
        "where the decisions start: default, opt, published-default, auto, file or the\n"
        "path of a .sched file [file, else auto]"
    )
    parser.flag("--schedule", "NAME|FILE", start)
    most = "so many decisions, those with the largest predicted changes first [200]"
    parser.flag("--most", "INT", most, type=integer(1, 100_000), default=200)


def measure(flags: argparse.Namespace) -> Table:
    with TimedProblem("moves", flags) as timed:
        table = make_table("moves", f"{timed.name}, {timed.title}", "move")
        explained = timed.explain(flags.schedule, "choices")
        predicted = explained["predicted"]
        moves = _large_changes(explained["moves"], predicted["seconds"])[: flags.most]
        before = timed.time(explained["schedule"], flags.repeats)
        num_agreeing = 0
        names = Progress("moves", moves)
        for move in names:
            names.at(move["text"])
            result = timed.time(move["schedule"], flags.repeats)
            measured = result["nonlinear_seconds"] / before["nonlinear_seconds"] - 1
            agrees = (move["change"] < 0) == (measured < 0)
            num_agreeing += agrees
            table.add(
                move=move["text"],
                predicted=100 * move["change"],
                measured=100 * measured,
                agrees="agrees" if agrees else "differs",
            )
        start = flags.schedule or "the problem's schedule"
        table.notes.append(
            f"Single decisions from {start}, predicted for {predicted['device']} to change the "
            f"time of {1e3 * predicted['seconds']:.4g} ms by at least {100 * _LEAST_CHANGE:.2g} %; "
            f"measured {1e3 * before['nonlinear_seconds']:.4g} ms. The sign agrees in "
            f"{num_agreeing} of {len(moves)}."
        )
        if predicted["left_out"] > 0:
            table.notes.append(f"{predicted['left_out']} alternatives were not weighed.")
        table.notes.append(timed.conditions(before, flags.repeats))
    return table


def _large_changes(moves: list[dict[str, Any]], seconds: float) -> list[dict[str, Any]]:
    """The decisions that are predicted to change the time, with the share by which they do; the
    largest changes first, each different schedule once.
    """
    by_schedule: dict[str, dict[str, Any]] = {}
    for move in moves:
        change = (move["seconds"] or math.inf) / seconds - 1
        if math.isfinite(change) and abs(change) >= _LEAST_CHANGE:
            by_schedule.setdefault(move["schedule"], {**move, "change": change})
    return sorted(by_schedule.values(), key=lambda move: -abs(math.log1p(move["change"])))
