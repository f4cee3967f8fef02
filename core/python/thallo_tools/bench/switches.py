"""run a search by predicted times with its switches on and off, in all combinations

Example:
  thallo bench switches image_warping --search beam --switches sampling,freezing --device-spec h200"""

import argparse
import itertools
import math
from typing import Any

from ..command import Fault, Parser, thallo
from ..progress import Progress
from ..table import Column, Table
from .columns import make_table

_MOST = 8  # the number of runs doubles with each


def add_flags(parser: Parser) -> None:
    parser.leaves_rest = True
    parser.epilog = (
        "PROBLEM and further flags are those of `thallo explore PROBLEM`; `--budget` is of each run."
        f"\n\n{parser.epilog}"
    )
    parser.flag("--search", "NAME", "the search [beam]", default="beam")
    names = f"its options that are turned on and off, {_MOST} at most"
    parser.flag("--switches", "NAME,...", names, required=True, type=lambda text: text.split(","))
    parser.flag("--store", "FILE", "measurements: show what it has of the schedules that are chosen")


def measure(flags: argparse.Namespace) -> Table:
    if not flags.rest:
        raise Fault("PROBLEM is required (see thallo bench switches --help)")
    if len(flags.switches) > _MOST:
        count = len(flags.switches)
        raise Fault(f"{count} switches are {2**count} runs of the search: name {_MOST} at most")
    runs = list(itertools.product((True, False), repeat=len(flags.switches)))
    found = [_run(flags, dict(zip(flags.switches, run))) for run in Progress("switches", runs)]
    best = min(cells["predicted_us"] for cells in found)
    for cells in found:
        cells["off_best"] = 100 * (cells["predicted_us"] / best - 1)
    title = f"{flags.rest[0]}: the search {flags.search} by predicted times"
    off, known = Column("off the best, %", ".2f"), Column("off the best known, %", ".2f")
    table = make_table("switches", title, *flags.switches, off_best=off, off_known=known)
    for cells in found:
        table.add(**cells)
    return table


def _run(flags: argparse.Namespace, switches: dict[str, bool]) -> dict[str, Any]:
    """The cells of a run; times are infinite where nothing was found, or is in the store."""
    set_to = {name: "on" if is_on else "off" for name, is_on in switches.items()}
    words = ["explore", *flags.rest, "--search", flags.search]
    words += [f"--search-set={name}={value}" for name, value in set_to.items()]
    told = thallo(*words, "--measure", "none")
    times = {its["hash"]: its["predicted"][told["model"]] for its in told["candidates"]}
    chosen = min(told["search"]["proposed"], key=times.__getitem__, default="")
    cells = {
        **set_to,
        **told["search"]["figures"],
        "seconds": told["search"]["seconds"],
        "predicted_us": 1e6 * times.get(chosen, math.inf),
        "ending": told["search"]["ending"],
    }
    if flags.store:
        replayed = thallo(*words, "--measure", "replay", "--store", flags.store)
        stored = {its["hash"]: its["stored"] for its in replayed["candidates"]}
        known = stored.get(chosen, math.inf)
        cells["measured_us"] = 1e6 * known if known != "failed" else math.inf
        cells["off_known"] = 100 * (cells["measured_us"] / (1e6 * replayed["best_known"]) - 1)
    return cells
