#!/usr/bin/env python3
"""make.py [--check]: writes the tables and pictures of pages from docs/data/*.csv.

A page names a table, or a picture of one, in a comment, and has it below up to the next comment:

    <!-- table problems.csv: hand, 1000 * s as ms of a solve, best -->
    <!-- picture problems.csv: hand, default, best | Title of the picture | title of its axis -->
    <!-- end -->

A file has a row for each measurement (case, what, value, device, commit, note), or one for each case,
as `thallo bench --csv` writes it. The page gets the cases that have the first of the named values.
Notes stand below the table. Times that are longer than those of the column "hand" are bold. Pictures
are drawn by the thallo that THALLO_PROGRAM names; without it they stay as they are. With --check
nothing is written: the exit code is 1 if a page or a picture is not what its data make of it.
"""

import csv
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "core/python"))

from thallo_tools.worker import Worker  # noqa: E402

PAGES = ["README.md", "docs/measurements.md"]
MARKS = "¹²³⁴⁵⁶⁷⁸⁹"
BLOCK = re.compile(r"<!-- (table|picture) (\S+): ([^|\n]*?)(?: \| ([^|\n]*) \| ([^|\n]*))? -->\n(?s:.*?)<!-- end -->")


def read(name: str) -> tuple[dict[str, dict[str, str]], dict[tuple[str, str], str]]:
    """The values of each case, and the notes about values."""
    values: dict[str, dict[str, str]] = {}
    notes = {}
    with (ROOT / "docs/data" / name).open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            case = row["case"]
            if "what" not in row:
                values[case] = row
                continue
            values.setdefault(case, {})[row["what"]] = row["value"]
            if row["note"]:
                notes[case, row["what"]] = row["note"]
    return values, notes


def short(number: float) -> str:
    rounded = float(f"{number:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 100 or not rounded else f"{rounded:g}"


def shown(its: dict[str, str], what: str) -> str:
    """what: the name of a value, or a factor and the name: "1000 * s"."""
    factor, _, name = what.rpartition(" * ")
    value = its.get(name, "")
    if value.isdigit() and not factor:
        return f"{int(value):,}"
    if value and (factor or re.fullmatch(r"-?(0\.0|\d+\.\d{7,}(e-?\d+)?)", value)):
        return short(float(factor or 1) * float(value))
    return value.replace("|", "\\|")


def is_number(value: str) -> bool:
    return bool(re.fullmatch(r"[-+≥≤]?[\d.,]+(e-?\d+)?", value))


def table(name: str, columns: list[tuple[str, str]]) -> str:
    values, notes = read(name)
    cases = {case: its for case, its in values.items() if shown(its, columns[0][0])}
    numbers: list[str] = []  # the notes of the table
    lines = [["case", *(title for _, title in columns)]]
    for case, its in cases.items():
        line = [case]
        for what, _ in columns:
            cell = shown(its, what)
            if columns[0][0] == "hand" and cell and float(its[what]) > float(its["hand"]):
                cell = f"**{cell}**"
            if note := notes.get((case, what)):
                numbers += [] if note in numbers else [note]
                cell += " " + MARKS[numbers.index(note)]
            line.append(cell)
        lines.append(line)
    are_numbers = [
        all(is_number(shown(its, what) or "0") for its in cases.values()) for what, _ in columns
    ]
    rule = ["---", *("--:" if it else "---" for it in are_numbers)]
    rows = "".join(f"| {' | '.join(line)} |\n" for line in [lines[0], rule, *lines[1:]])
    below = " ".join(f"{mark} {note}" for mark, note in zip(MARKS, numbers))
    return rows + (f"\n{below}\n" if below else "")


def picture(name: str, columns: list[tuple[str, str]], title: str, axis: str) -> str:
    """An SVG file: the first value of each case stands for what is published."""
    values, _ = read(name)
    cases = []
    for case, its in values.items():
        marks = [
            {"value": float(its[what]), "quantity": number, "is_ours": number > 0}
            for number, (what, _) in enumerate(columns)
            if its.get(what)
        ]
        if its.get(columns[0][0]) and len(marks) > 1:
            cases.append({"name": case, "marks": marks, "curve": [], "level": None, "notes": []})
    drawn = {
        "number": title,
        "title": f"docs/data/{name}",
        "ours": "",
        "x_title": axis,
        "y_title": "",
        "quantities": [title for _, title in columns],
        "cases": cases,
        "is_share": False,
        "is_scatter": False,
    }
    with Worker() as worker:
        return str(worker.ask("draw", picture=drawn)["svg"])


def files_of(page: str) -> dict[str, str]:
    """The page and its pictures as their data make them, by their paths."""
    files = {}

    def block(found: "re.Match[str]") -> str:
        kind, name, columns_text, title, axis = found.groups()
        pairs = (part.split(" as ") for part in columns_text.split(", "))
        columns = [(pair[0], pair[-1]) for pair in pairs]
        if kind == "table":
            made = table(name, columns)
        else:
            target = f"docs/images/{Path(name).stem}.svg"
            if "THALLO_PROGRAM" in os.environ:
                files[target] = picture(name, columns, title, axis)
            made = f"![{title}]({os.path.relpath(target, Path(page).parent)})\n"
        comment = found[0].split("\n", 1)[0]
        return f"{comment}\n\n{made}\n<!-- end -->"

    files[page] = BLOCK.sub(block, (ROOT / page).read_text(encoding="utf-8"))
    return files


def main() -> int:
    is_check = "--check" in sys.argv[1:]
    differ = []
    for page in PAGES:
        for name, text in files_of(page).items():
            file = ROOT / name
            if file.exists() and file.read_text(encoding="utf-8") == text:
                continue
            differ.append(name)
            if not is_check:
                file.write_text(text, encoding="utf-8")
    if differ:
        print(f"{'differ from their data' if is_check else 'written'}: {', '.join(differ)}")
    return int(is_check and bool(differ))


if __name__ == "__main__":
    sys.exit(main())
