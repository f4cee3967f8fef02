"""A table of measured values: as markdown for people and as JSON for programs."""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple, Union

Cell = Union[None, str, int, float]  # None: there is no value


class Column(NamedTuple):
    title: str
    format: str = ""  # of numbers: ".2f"


class Table:
    """columns: by the key that a value has in JSON. A key that is no column is its own title."""

    def __init__(self, name: str, title: str, columns: dict[str, Column]) -> None:
        self.name, self.title, self._columns = name, title, columns
        self.rows: list[dict[str, Cell]] = []
        self.notes: list[str] = []  # sentences below the table

    def add(self, **cells: Cell) -> None:
        """Adds a row, with the same keys as the first one."""
        self.rows.append({key: _finite(cell) for key, cell in cells.items()})

    def json(self) -> dict[str, Any]:
        return {"title": self.title, "rows": self.rows, "notes": self.notes}

    def text(self) -> str:
        """The rows in columns, for a terminal."""
        return "".join(f"  {'  '.join(line)}".rstrip() + "\n" for line in self._lines())

    def markdown(self) -> str:
        text = f"## {self.title}\n\n"
        if self.rows:
            titles, *lines = (f"| {' | '.join(line)} |\n" for line in self._lines())
            are_texts = [isinstance(cell, str) for cell in self.rows[0].values()]
            widths = [len(part) - 1 for part in titles[1:-2].split("|")]
            rules = ["-" * width + ("-" if it else ":") for width, it in zip(widths, are_texts)]
            text += f"{titles}|{'|'.join(rules)}|\n{''.join(lines)}"
        return text + "".join(f"\n{note}\n" for note in self.notes)

    def _lines(self) -> list[list[str]]:
        """Titles and rows, with cells as wide as their column; texts begin at its left."""
        columns = [self._columns.get(key, Column(key)) for key in self.rows[0]]
        lines = [[column.title for column in columns]]
        for row in self.rows:
            lines.append([_text(cell, its.format) for cell, its in zip(row.values(), columns)])
        places = [
            f"{'<' if isinstance(first, str) else '>'}{max(map(len, cells))}"
            for first, cells in zip(self.rows[0].values(), zip(*lines))
        ]
        return [[f"{cell:{place}}" for cell, place in zip(line, places)] for line in lines]


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


def _finite(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def _text(cell: Cell, number_format: str) -> str:
    if cell is None:
        return "-"
    return cell if isinstance(cell, str) else f"{cell:{number_format}}"
