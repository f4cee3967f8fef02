"""A table of measured values: as markdown for people, as JSON and CSV for programs, and beside what
an earlier run wrote.
"""

from __future__ import annotations

import csv
import json
import math
import pathlib
from typing import Any, Callable, Mapping, NamedTuple, Optional, Union

from .command import Fault

Cell = Union[None, str, int, float]  # None: there is no value
Row = dict[str, Cell]

# Of several measurements a cell has the median. The least and the largest one, if the table has
# them, have its key with these endings, and are shown behind it.
LEAST, MOST = "_least", "_most"


class Column(NamedTuple):
    title: str
    format: str = ""  # of numbers: ".2f"
    # True if a number, the first one, is worse than that of an earlier run.
    is_worse: Optional[Callable[[float, float], bool]] = None


class Table:
    """columns: by the key that a value has in JSON. A key that is no column is its own title. keys:
    the columns that say which row it is; others are measured."""

    def __init__(self, name: str, title: str, columns: dict[str, Column], *keys: str) -> None:
        self.name, self.title, self._columns, self._keys = name, title, columns, keys
        self.rows: list[Row] = []
        self.notes: list[str] = []  # sentences below the table
        self.worse: list[str] = []  # what got worse since the earlier run
        self._earlier: dict[tuple[str, ...], dict[str, str]] = {}

    def add(self, **cells: Cell) -> None:
        """Adds a row, with the same keys as the first one."""
        self.rows.append({key: _finite(cell) for key, cell in cells.items()})

    def compare(self, name: str, rows: list[dict[str, str]]) -> None:
        """Shows beside each row what an earlier run had, and says what got worse. name: of its file."""
        lacks = [key for key in self._keys if rows and key not in rows[0]]
        if lacks or not rows:
            raise Fault(f"{name} is no table '{self.name}': it lacks {', '.join(lacks) or 'rows'}")
        self._earlier = {self._key_of(row): row for row in rows}
        worse = []
        for row in self.rows:
            keys = [key for key in row if self._is_worse(key, row)]
            if keys:
                titles = " and ".join(self._columns[key].title for key in keys)
                worse.append(f"{', '.join(self._key_of(row))} ({titles})")
        num_new = sum(self._key_of(row) not in self._earlier for row in self.rows)
        lacks_some = f"; {num_new} rows are not in it" if num_new else ""
        self.notes += [
            f"What was before is from {name}{lacks_some}.",
            f"Worse: {'; '.join(worse)}." if worse else "Nothing got worse.",
        ]
        self.worse = worse

    def json(self) -> dict[str, Any]:
        told = {"title": self.title, "rows": self.rows, "notes": self.notes}
        return {**told, "worse": self.worse} if self._earlier else told

    def write_csv(self, file: pathlib.Path) -> None:
        with file.open("w", newline="", encoding="utf-8") as out:
            writer = csv.DictWriter(out, list(self.rows[0]) if self.rows else [])
            writer.writeheader()
            writer.writerows(self.rows)

    def text(self) -> str:
        """The rows in columns, for a terminal."""
        return "".join(f"  {'  '.join(line)}".rstrip() + "\n" for line in self._lines())

    def markdown(self) -> str:
        text = f"## {self.title}\n\n"
        if self.rows:
            titles, *lines = (f"| {' | '.join(line)} |\n" for line in self._lines())
            are_texts = [isinstance(self.rows[0][key], str) for key in self._shown()]
            widths = [len(part) - 1 for part in titles[1:-2].split("|")]
            rules = ["-" * width + ("-" if it else ":") for width, it in zip(widths, are_texts)]
            text += f"{titles}|{'|'.join(rules)}|\n{''.join(lines)}"
        return text + "".join(f"\n{note}\n" for note in self.notes)

    def _shown(self) -> list[str]:
        return [key for key in self.rows[0] if not key.endswith((LEAST, MOST))]

    def _lines(self) -> list[list[str]]:
        """Titles and rows, with cells as wide as their column; texts begin at its left."""
        keys = self._shown()
        lines = [[self._columns.get(key, Column(key)).title for key in keys]]
        lines += [[self._text(key, row) for key in keys] for row in self.rows]
        places = [
            f"{'<' if isinstance(self.rows[0][key], str) else '>'}{max(map(len, cells))}"
            for key, cells in zip(keys, zip(*lines))
        ]
        return [[f"{cell:{place}}" for cell, place in zip(line, places)] for line in lines]

    def _text(self, key: str, row: Row) -> str:
        shown = self._columns.get(key, Column(key)).format
        text, more = _text(row[key], shown), []
        if key + LEAST in row and row[key] is not None:
            more.append(f"{_text(row[key + LEAST], shown)}–{_text(row[key + MOST], shown)}")
        before = self._before(row).get(key)
        if before is not None and not isinstance(row[key], str):
            was = _text(_number(before), shown)
            if was != text:
                more.append(f"was {was}{', WORSE' if self._is_worse(key, row) else ''}")
        return f"{text} ({'; '.join(more)})" if more else text

    def _key_of(self, row: Mapping[str, Cell]) -> tuple[str, ...]:
        return tuple(str(row[key] or "") for key in self._keys)

    def _before(self, row: Row) -> dict[str, str]:
        return self._earlier.get(self._key_of(row), {})

    def _is_worse(self, key: str, row: Row) -> bool:
        """Of several measurements the least one must be worse, too: a busy machine makes some long."""
        is_worse = self._columns.get(key, Column(key)).is_worse
        if is_worse is None or _number(self._before(row).get(key, "")) is None:
            return False
        if not isinstance(row[key], (int, float)):  # there was a value
            return True
        pairs = [
            (row.get(its), _number(self._before(row).get(its, ""))) for its in (key, key + LEAST)
        ]
        return all(
            is_worse(now, then)
            for now, then in pairs
            if isinstance(now, (int, float)) and then is not None
        )


def read_csv(file: pathlib.Path) -> list[dict[str, str]]:
    """The rows that Table.write_csv() wrote, as texts."""
    try:
        with file.open(newline="", encoding="utf-8") as lines:
            return list(csv.DictReader(lines, strict=True, restval=""))
    except (UnicodeDecodeError, csv.Error) as error:
        raise Fault(f"{file}: it is no table in CSV ({error})") from None


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


def _number(text: str) -> Union[None, int, float]:
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        return None


def _finite(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def _text(cell: Cell, number_format: str) -> str:
    if cell is None:
        return "-"
    return cell if isinstance(cell, str) else f"{cell:{number_format}}"
