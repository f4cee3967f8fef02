"""time how the schedule auto is chosen, and compare what it promises

Without a PROBLEM of all problems.

Example:
  thallo bench auto image_warping shape_from_shading --device-spec h200"""

import argparse
from statistics import median

from ..command import Parser, thallo
from ..table import Table
from .columns import make_table
from .timed_problem import add_problems, open_each

_NUM_CHOICES = 25
# Targets in seconds: a choice takes at most _CHOICE_OF_FEW_NODES if its energy has fewer than
# _FEW_NODES nodes, and at most _ALL_IN if the energy is newly loaded. Most of it is lowering two or
# three programs, of which a solve lowers one anyway.
_FEW_NODES = 200
_CHOICE_OF_FEW_NODES = 1e-3
_ALL_IN = 20e-3
# Plans are priced in a search: of the problems the median should reach this number a second.
_PLANS_PER_SECOND = 1000
_NUM_PLANS = 1000


def add_flags(parser: Parser) -> None:
    add_problems(parser)


def measure(flags: argparse.Namespace) -> Table:
    flags.problems = flags.problems or [each["name"] for each in thallo("problems")]
    flags.rest.append("--no-device")
    table = make_table("auto", "Choosing the schedule auto", "problem")
    late, rates = [], []
    for timed in open_each("auto", flags):
        choices = [timed.ask("choose", plans=0) for _ in range(_NUM_CHOICES)]
        priced = timed.ask("choose", plans=_NUM_PLANS)
        all_in = median(each["seconds"] for each in choices)
        again = median(each["again_seconds"] for each in choices)
        nodes, predicted = priced["num_nodes"], priced["predicted"]
        if all_in > _ALL_IN or (nodes < _FEW_NODES and again > _CHOICE_OF_FEW_NODES):
            late.append(timed.name)
        table.add(
            problem=timed.name,
            nodes=nodes,
            facts_ms=1e3 * (all_in - again),
            choice_ms=1e3 * again,
            all_in_ms=1e3 * all_in,
            schedules=len({each["schedule"] for each in choices}),
            predicted_us=1e6 * predicted["auto"],
            default_over_auto=predicted["default"] / predicted["auto"],
            opt_over_auto=predicted["opt"] / predicted["auto"],
            plans_per_second=priced["num_plans"] / priced["price_seconds"],
        )
        rates.append(priced["num_plans"] / priced["price_seconds"])
    table.notes = [
        f"For {priced['device']}. Medians of {_NUM_CHOICES} choices, each of an energy loaded anew, "
        "and each taken again with the facts and prices known; the column schedules says how many "
        "different ones they were. Statistics of maps are not in the times. A choice should take "
        f"{1e3 * _CHOICE_OF_FEW_NODES:.0f} ms for fewer than {_FEW_NODES} nodes, and "
        f"{1e3 * _ALL_IN:.0f} ms all in. Times of a nonlinear iteration are predicted.",
        f"Not in time: {', '.join(late)}." if late else "All problems are in time.",
        f"The last column: how many of {_NUM_PLANS} plans, drawn at random, are priced in a second."
        f" The median is {median(rates):.0f} and should be {_PLANS_PER_SECOND}.",
    ]
    return table
