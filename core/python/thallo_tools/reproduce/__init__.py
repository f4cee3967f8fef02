"""make the tables and figures of papers again

Data are read from the folder that THALLO_DATA_DIR names.

Examples:
  thallo reproduce --list
  thallo reproduce thallo table 5
  thallo reproduce thallo table 1 --store thallo.jsonl --budget 8min
  thallo reproduce caspar figure 3 --svg error.svg
  thallo reproduce all --store all.jsonl --budget 8min --out reproduction.md

Exit code: 0, or 1 when a case could not be run. Ctrl-C shows what was made so far."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
from pathlib import Path

from ..bench.solves import add_where
from ..command import Fault, Parser, check_place, did_you_mean, integer
from ..table import print_json
from .figures import picture_of
from .kept import KeptCases, TimeBudget
from .making import Made, Maker, state_of
from .methods import METHODS
from .output import PageItem, json_of, list_json, list_tables, page_markdown, page_text
from .output import remainder_text, table_of, text_of
from .paper import Paper, shipped_papers
from .running import Run

BACKENDS = ("auto", "cpu", "cuda", "interpreter")
GOAL_MISSED = 1  # an exit code (core/cli/exit_code.h)
UNITS = {"ms": 1e-3, "": 1, "s": 1, "min": 60, "h": 3600}


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+\.?\d*|\.\d+)\s*(ms|s|min|h|)", text)
    if not found:
        legal = "write seconds, or 500ms, 90s, 10min, 2h"
        raise argparse.ArgumentTypeError(f"'{text}' is no time: {legal}")
    return float(found[1]) * UNITS[found[2]]


def _parser() -> Parser:
    parser = Parser("thallo reproduce", __doc__)
    papers = "thallo, opt, caspar, anderson, or all"
    parser.add_argument("paper", metavar="PAPER", nargs="?", default="", help=papers)
    item = "one of its tables or figures, e.g. table 5; all that can be made otherwise"
    parser.add_argument("item", metavar="ITEM", nargs="*", help=item)
    parser.switch("--list", "say what can be made here and what is missing")
    parser.switch("--tiny", "on inputs that take seconds on a cpu")
    store = "a file that keeps what was measured; the same command goes on from there"
    parser.flag("--store", "FILE", store, type=Path)
    budget = "begin no further case after this time; what is left is said"
    parser.flag("--budget", "TIME", budget, type=_seconds)
    add_where(parser)
    device = "which GPU, by its ordinal in `thallo devices` [0]"
    parser.flag("--device", "INT", device, type=integer(0), default=0)
    parser.switch("--json", "one JSON text on stdout instead of tables")
    parser.switch("--markdown", "tables in markdown")
    parser.flag("--svg", "FILE", "draw one table or figure", type=Path)
    page = "write the page as markdown, and its pictures into a folder beside it"
    parser.flag("--out", "FILE.md", page, type=Path)
    return parser


def _build() -> str:
    """What `thallo --version` says: 0.1.0+daccbcb3 (g++ 13.3.0)."""
    command = [os.environ["THALLO_PROGRAM"], "--version"]
    return subprocess.check_output(command, text=True).splitlines()[0].removeprefix("thallo ")


def _maker(flags: argparse.Namespace) -> Maker:
    measurements = Path(f"{flags.store}.measured") if flags.store else None
    run = Run(flags.backend, flags.device, flags.threads, flags.tiny, measurements)
    return Maker(run, KeptCases(flags.store), TimeBudget(flags.budget), _build())


def _exit_code(maker: Maker, made: list[Made]) -> int:
    """Called when everything is shown; a signal that ended a case ends the command now."""
    if maker.budget.interrupted:
        raise maker.budget.interrupted
    return GOAL_MISSED if any(its.num_failed for its in made) else 0


def _make_item(flags: argparse.Namespace, paper: Paper) -> int:
    item = paper.find(" ".join(flags.item))
    if flags.svg:
        check_place("--svg", flags.svg)
    maker = _maker(flags)
    made = maker.make(paper, item)
    if flags.json:
        print_json([json_of(made)])
    else:
        table = table_of(made)
        print(table.markdown() if flags.markdown else text_of(table), end="")
    if flags.svg:
        picture = picture_of(made)
        if picture:
            flags.svg.write_text(picture, encoding="utf-8")
        elif not maker.budget.interrupted:
            raise Fault(f"--svg: nothing of {item.number} was measured yet")
    return _exit_code(maker, [made])


def _make_all(flags: argparse.Namespace, papers: list[Paper]) -> int:
    """All of papers, on one page. What takes longer is made later."""
    items = []
    for paper in papers:
        for its in paper.items:
            state = state_of(its, flags.tiny)
            items.append(PageItem(paper, its, "" if state.can_be_made else state.text))
    makeable = [item for item in items if not item.why_not]
    if not makeable:
        raise Fault(f"nothing of {flags.paper} can be made here; thallo reproduce --list says why")
    folder = flags.out.with_suffix("") if flags.out else Path()
    if flags.out:
        if folder == flags.out:
            raise Fault(f"--out {flags.out}: name a file, e.g. page.md")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Fault(
                f"--out {flags.out}: the folder {folder} cannot be made: {error.strerror}"
            ) from error
        check_place("--out", flags.out)
    maker, order, build = _maker(flags), list(METHODS), _build()
    for item in sorted(makeable, key=lambda one: order.index(one.item.method)):
        item.made = maker.make(item.paper, item.item)
    made = [item.made for item in items if item.made]
    if flags.out:
        for item in items:
            picture = picture_of(item.made) if item.made else None
            if picture:
                (folder / f"{item.name()}.svg").write_text(picture, encoding="utf-8")
                item.picture = f"{folder.name}/{item.name()}.svg"
        flags.out.write_text(page_markdown(items, build), encoding="utf-8")
        print(f"Made {flags.out}. {remainder_text(items)}")
    elif flags.json:
        print_json([json_of(one) for one in made])
    else:
        print((page_markdown if flags.markdown else page_text)(items, build), end="")
    return _exit_code(maker, made)


def main(arguments: list[str]) -> int:
    flags = _parser().parse(arguments)
    if flags.backend not in BACKENDS:
        hint = did_you_mean(flags.backend, BACKENDS)
        raise Fault(f"no backend '{flags.backend}'{hint} (legal: {', '.join(BACKENDS)})")
    for others in (flags.markdown and "--markdown", flags.out and "--out"):
        if flags.json and others:
            raise Fault(f"--json and {others} exclude each other")
    papers = shipped_papers(list(METHODS))
    known = [*[paper.name for paper in papers], "all"]
    if flags.paper and flags.paper not in known:
        hint = did_you_mean(flags.paper, known)
        raise Fault(f"no paper '{flags.paper}'{hint} (legal: {', '.join(known)})")
    chosen = [paper for paper in papers if flags.paper in ("", "all", paper.name)]
    if flags.list or not flags.paper:
        if flags.json:
            print_json(list_json(chosen))
        else:
            tables = [
                table.markdown() if flags.markdown else text_of(table)
                for table in list_tables(chosen)
            ]
            print("\n".join(tables), end="")
        return 0
    if not flags.item:
        if flags.svg:
            raise Fault("--svg takes one table or figure; name it after the paper")
        return _make_all(flags, chosen)
    if flags.out:
        raise Fault("--out takes the page of all tables and figures; name none after the paper")
    if len(chosen) != 1:
        raise Fault("a table or figure is one of a paper; name the paper before it")
    return _make_item(flags, chosen[0])
