"""Shows reproductions: what the paper prints and what was measured here, side by side; and one page
with all tables and figures of papers, what was made again, and what was not and why.
"""

from __future__ import annotations

import itertools
import re
import time
from dataclasses import dataclass
from typing import Any, Iterator, Optional

from ..table import Cell, Column, Table
from .making import Made, MadeCase, Value, state_of, value_of
from .paper import Item, Paper, Quantity

_TITLE = "Tables and figures made again"
_GO_ON = "The same command goes on with them if it has a store."
_TINY = "on tiny inputs, which say nothing of speed"
_SIGNS = {"at least": "≥ ", "at most": "≤ "}


def makers_text(made: Made) -> str:
    return "; ".join(f"{by.device}, thallo {by.core}" for by in made.makers())


class _Bounded(float):
    """A number that is only known to be above or below this one."""

    sign = ""

    def __format__(self, its: str) -> str:
        return f"{self.sign}{float(self):{its}}"


def _cell(value: Optional[Value]) -> Cell:
    if value is None or not value[1]:
        return value[0] if value else None
    cell = _Bounded(value[0])
    cell.sign = _SIGNS[value[1]]
    return cell


def _conditions(one: MadeCase) -> str:
    """How a case was measured, or why it was not."""
    if not one.measured:
        return f"not made: {one.why_not}."
    failures = [f" Not made: {failure}." for failure in one.failures]
    others = [f" Made earlier, on {by.device} by thallo {by.core}." for by in one.others]
    return "".join([one.measured.conditions, *failures, *others])


def _condition_notes(made: Made) -> Iterator[str]:
    """Cases with the same conditions together."""
    names: dict[str, list[str]] = {}
    for one in made.cases:
        names.setdefault(_conditions(one), []).append(one.case.name)
    for conditions, its in names.items():
        yield conditions if len(names) == 1 else f"{', '.join(its)}: {conditions}"


def table_of(made: Made, is_on_page: bool = False) -> Table:
    """A row for each case; for each quantity a column of what is published and one of ours, where
    there is any. Where a mean is among the cases, little is published, mostly means: what is has
    rows instead. Notes say what the numbers are of and what differs."""
    item, cases = made.item, made.cases
    has_mean = any(case.mean for case in item.cases)

    def is_there(quantity: Quantity, is_ours: bool) -> bool:
        return any(value_of(quantity, one.side(is_ours)) for one in cases)

    columns: dict[str, Column] = {}
    shown: list[tuple[str, Quantity, bool]] = []  # the key of its column, and whether it is ours
    for quantity in item.quantities:
        for is_ours, side in ((False, "published"), (True, "ours")):
            if not quantity.title or not is_there(quantity, is_ours):
                continue
            key = quantity.key if has_mean else f"{quantity.key}_{side}"
            title = quantity.title if has_mean else f"{quantity.title}, {side}"
            if key not in columns:
                columns[key] = Column(title, quantity.format)
                shown.append((key, quantity, has_mean or is_ours))
    title = f"{item.number}: {item.title}"
    table = Table(item.number, title if is_on_page else f"{made.paper.title}, {title}", columns)
    for one in cases:
        cells = {key: _cell(value_of(its, one.side(is_ours))) for key, its, is_ours in shown}
        table.add(**{"case": one.case.name, **cells})
        if has_mean and one.case.published:
            cells = {key: _cell(value_of(its, one.side(False))) for key, its, _ in shown}
            table.add(**{"case": f"{one.case.name}, published", **cells})
    is_printed = any(case.published for case in item.cases)
    hardware = f"on {made.paper.hardware}. " if is_printed else ""
    tiny = f", {_TINY}" if made.is_tiny else ""
    table.notes += [
        f"Published: {hardware}{item.published_numbers}",
        f"Ours: {makers_text(made)}{tiny}.",
        *([f"What differs: {item.differs}"] if item.differs else []),
        *([f"Only in part: {item.why_not}."] if item.why_not else []),
        *_condition_notes(made),
        *([f"{made.num_left} cases are left. {_GO_ON}"] if made.num_left else []),
    ]
    return table


def json_of(made: Made) -> dict[str, Any]:
    item, cases = made.item, []
    for one in made.cases:
        published, ours = (
            {q.key: value for q in item.quantities if (value := value_of(q, one.side(is_ours)))}
            for is_ours in (False, True)
        )
        told: dict[str, Any] = {
            "case": one.case.name,
            "published": {key: value[0] for key, value in published.items()},
            "ours": {key: value[0] for key, value in ours.items()},
        }
        if one.measured:
            told["conditions"] = _conditions(one)
            bounds = {key: bound for key, (_, bound) in ours.items() if bound}
            more = {"bounds": bounds, "curve": one.measured.curve}
            told |= {key: value for key, value in more.items() if value}
        else:
            told["why_not"] = one.why_not
        cases.append(told)
    return {
        "paper": made.paper.name,
        "item": item.number,
        "title": item.title,
        "published_on": made.paper.hardware,
        "published_numbers": item.published_numbers,
        "device": made.by.device,
        "core": made.by.core,
        "is_tiny": made.is_tiny,
        "differs": item.differs,
        "left": made.num_left,
        "failed": made.num_failed,
        "cases": cases,
    }


@dataclass
class PageItem:
    """An item of a paper, made or not."""

    paper: Paper
    item: Item
    why_not: str = ""  # where it was not made
    made: Optional[Made] = None
    picture: str = ""  # where its picture is, as seen from the page; empty if there is none

    def name(self) -> str:
        """Its name in addresses and files: opt_figure_12."""
        return re.sub("[^a-z0-9]", "_", f"{self.paper.name}_{self.item.number}".lower())


def remainder_text(items: list[PageItem]) -> str:
    made = [(item, item.made) for item in items if item.made]
    left = [f"{item.paper.name} {item.item.number}" for item, its in made if its.num_left]
    num_left = sum(its.num_left for _, its in made)
    num_failed = sum(its.num_failed for _, its in made)
    text = (
        f"Left are {num_left} cases, of {', '.join(left)}. {_GO_ON}" if left else "Nothing is left."
    )
    if num_failed:
        text += f" {num_failed} cases, or parts of them, could not be run; their notes say why."
    return text


def _facts(items: list[PageItem], build: str) -> list[str]:
    """What stands above everything: the day, the build, the devices, and what is left."""
    made = [item.made for item in items if item.made]
    devices = dict.fromkeys(by.device for its in made for by in its.makers())
    others = dict.fromkeys(
        f"{by.device} by thallo {by.core}" for its in made for one in its.cases for by in one.others
    )
    tiny = f"; {_TINY}" if any(its.is_tiny for its in made) else ""
    facts = [
        f"Made on {time.strftime('%Y-%m-%d', time.gmtime())} by thallo {build}.",
        f"Ours are of: {', '.join(devices)}{tiny}.",
    ]
    if others:
        facts.append(
            f"Some cases were made earlier, which their notes say: on {', '.join(others)}."
        )
    return [*facts, remainder_text(items)]


def _papers(items: list[PageItem]) -> Iterator[tuple[Paper, list[PageItem]]]:
    for _, group in itertools.groupby(items, lambda item: item.paper.name):
        its = list(group)
        yield its[0].paper, its


def _not_made(title: str, items: list[PageItem]) -> list[Table]:
    columns = {"shows": Column("what it shows"), "why_not": Column("why it is not here")}
    table = Table("not_made", title, columns)
    for item in items:
        if not item.made:
            table.add(item=item.item.number, shows=item.item.title, why_not=item.why_not)
    return [table] if table.rows else []


def text_of(table: Table) -> str:
    rows = f"\n{table.text()}" if table.rows else ""
    return f"{table.title}\n{rows}" + "".join(f"\n{note}\n" for note in table.notes)


def page_text(items: list[PageItem], build: str) -> str:
    tables = []
    for paper, its in _papers(items):
        tables += [table_of(item.made) for item in its if item.made]
        tables += _not_made(f"{paper.title}, not made", its)
    head = "\n".join([_TITLE, "", *_facts(items, build), ""])
    return "\n".join([head, *map(text_of, tables)])


def page_markdown(items: list[PageItem], build: str) -> str:
    contents, sections = [], []
    for paper, its in _papers(items):
        contents.append(f"- [{paper.title}](#{paper.name})\n")
        sections.append(f'<a id="{paper.name}"></a>\n\n## {paper.title}\n')
        for item in its:
            if not item.made:
                continue
            number, title = item.item.number, item.item.title
            contents.append(f"  - [{number}](#{item.name()}): {title}\n")
            table = table_of(item.made, is_on_page=True).markdown()
            sections.append(f'<a id="{item.name()}"></a>\n\n#{table}')
            if item.picture:
                sections.append(f"![{number}: {title}]({item.picture})\n")
        sections += [f"#{table.markdown()}" for table in _not_made("Not made", its)]
    facts = "".join(f"- {fact}\n" for fact in _facts(items, build))
    head = f"# {_TITLE}\n\n{facts}\n## Contents\n\n{''.join(contents)}"
    return "\n".join([head, *sections])


def list_tables(papers: list[Paper]) -> list[Table]:
    """The tables and figures of papers with what can be made of each."""
    tables = []
    for paper in papers:
        tables.append(Table(paper.name, paper.title, {"shows": Column("what it shows")}))
        for item in paper.items:
            state = state_of(item, False).text
            tables[-1].add(item=item.number, shows=item.title, here=state)
    return tables


def list_json(papers: list[Paper]) -> list[dict[str, Any]]:
    def told(item: Item) -> dict[str, Any]:
        state = state_of(item, False)
        said = {"item": item.number, "title": item.title, "can_be_made": state.can_be_made}
        return {**said, "missing": state.missing, "state": state.text}

    return [
        {"paper": paper.name, "title": paper.title, "items": [told(item) for item in paper.items]}
        for paper in papers
    ]
