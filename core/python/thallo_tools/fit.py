"""fit a cost model to measurements

A model predicts the times of steps on the device whose measurements it was fitted to. The table
says how well models predict each problem after they were fitted to all others.

Examples:
  thallo fit warp.store adjustment.store --out mine.json
  thallo fit *.store --model learned-linear --leave-out image_warping
  thallo explore optical_flow --model mine.json"""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .command import Parser, check_place, integer
from .table import Cell, Column, Table, print_json

if TYPE_CHECKING:
    from .learning import Quality

# Of each model: the title and format of what is said of it.
_SAID = {
    "error_percent": Column("{} error %", ".0f"),
    "rho": Column("ρ", ".3f"),
    "off_percent": Column("first % off", ".1f"),
}


def _said(name: str, quality: Quality) -> dict[str, Cell]:
    off = None if quality.first is None else 100 * (quality.first - 1)
    cells = [100 * math.expm1(quality.step_error), quality.rho, off]
    return {f"{name}_{key}": cell for key, cell in zip(_SAID, cells)}


def _median(rows: list[dict[str, Any]], key: str) -> Cell:
    known = [row[key] for row in rows if row[key] is not None]
    return statistics.median(known) if known else None


def _parser() -> Parser:
    parser = Parser("thallo fit", __doc__)
    stores = "what `thallo explore` measured; it may be compressed (.gz, .bz2, .xz)"
    parser.add_argument("stores", metavar="STORE", nargs="+", help=stores)
    models = "what is fitted: learned-linear or learned [learned]"
    parser.flag("--model", "NAME", models, default="learned")
    device = "a part of the device's name, where stores have measurements of several"
    parser.flag("--device", "NAME", device, default="")
    left_out = "the only problem to be predicted by a model that is fitted to the others"
    parser.flag("--leave-out", "PROBLEM", f"{left_out} [each in turn]")
    parser.flag("--out", "FILE", "the file that the model is written to")
    parser.flag("--seed", "INT", "of the network's first weights [1]", type=integer(0), default=1)
    parser.switch("--json", "a JSON object")
    return parser


def main(arguments: list[str]) -> int:
    flags = _parser().parse(arguments)
    from .learning import LEAST_RANKED, TrainingSet, check_model, fit, judge

    check_model(flags.model)
    if flags.out:
        check_place("--out", Path(flags.out))
    measured = TrainingSet(flags.stores, flags.device)
    problems = sorted(range(len(measured.problems)), key=measured.problems.__getitem__)
    if flags.leave_out:
        problems = [measured.problem_number(flags.leave_out)]
    model = fit(flags.model, measured, seed=flags.seed)
    if flags.out:
        Path(flags.out).write_text(json.dumps(model, separators=(",", ":")) + "\n")

    is_judged = len(measured.problems) > 1
    fitted = {p: fit(flags.model, measured, p, flags.seed) for p in problems if is_judged}
    names = [*measured.unfitted, *([flags.model] if is_judged else [])]
    columns = {
        f"{name}_{key}": Column(its.title.format(name), its.format)
        for name in names
        for key, its in _SAID.items()
    }
    title = f"Predictions of problems that were left out, on {measured.device}"
    table = Table("fit", title, columns)
    for problem, qualities in zip(problems, judge(measured, problems, measured.unfitted, fitted)):
        counted = qualities[0]
        row: dict[str, Cell] = {"problem": measured.problems[problem]}
        row |= {"steps": len(counted.measured), "schedules": counted.num_schedules}
        for name, quality in zip(names, qualities):
            row |= _said(name, quality)
        table.add(**row)
    medians = {key: _median(table.rows, key) for key in columns}
    table.add(**{"problem": "median", "steps": None, "schedules": None, **medians})
    table.notes += [
        "error: by how much half of the steps are mispredicted at least; ρ: of the predicted and "
        f"the measured times of schedules, where an input has {LEAST_RANKED} of them; first: the "
        "schedule that is predicted to be the fastest, by the fastest.",
        f"{flags.model} was fitted to {model['fitted_to']}.",
    ]
    if not is_judged:
        table.notes.append(
            f"Only {measured.problems[0]} was measured, so that no problem is left to judge "
            f"{flags.model} by."
        )
    if any(measured.left_out.values()):
        table.notes.append(
            f"Left out, as stores say too little about them: {measured.left_out['steps']} times of "
            f"steps, {measured.left_out['schedules']} schedules."
        )
    if flags.json:
        print_json(table.json())
    else:
        print(table.markdown())
    return 0
