"""time an iteration of a problem, or of an energy text, under each schedule

Examples:
  thallo bench schedules image_warping --schedule default --schedule opt --schedule mine.sched
  thallo bench schedules denoise.lua --bind X=noisy.png --bind A=noisy.png --bind w=0.5"""

import argparse

from ..command import Fault, Parser
from ..progress import Progress
from ..table import Table
from .columns import make_table
from .solves import linear_iteration_cost
from .timed_problem import TimedProblem, add_problem


def add_flags(parser: Parser) -> None:
    add_problem(parser)
    names = (
        "as often as wanted, the first is what others are compared with: default, opt,\n"
        "published-default, auto, file or the path of a .sched file [all of these that there are]"
    )
    parser.flag("--schedule", "NAME|FILE", names, action="append")


def measure(flags: argparse.Namespace) -> Table:
    with TimedProblem("schedules", flags) as timed:
        table = make_table("schedules", f"{timed.name}, {timed.title}", "schedule")
        explained = {name: timed.explain(name) for name in flags.schedule or _named(timed)}
        first = None
        for name in Progress("schedules", explained):
            result = timed.time(explained[name]["schedule"], flags.repeats)
            seconds, linear = result["nonlinear_seconds"], result["linear_seconds"]
            first = first or seconds
            table.add(
                schedule=name,
                ms_per_iteration=1e3 * seconds,
                us_per_linear_iteration=1e6 * linear if timed.linear_iterations else None,
                speedup=first / seconds,
                **linear_iteration_cost(explained[name]),
            )
        table.notes.append(timed.conditions(result, flags.repeats))
    return table


def _named(timed: TimedProblem) -> list[str]:
    """The schedules that have a name, and the one in the energy's text."""
    names = ["default", "opt", "published-default", "auto"]
    try:
        timed.explain("file")
    except Fault:  # the text has none
        return names
    return [*names, "file"]
