"""How far long work is: a line on stderr that is rewritten in place, if that is a terminal."""

from __future__ import annotations

import shutil
import sys
import time
from typing import Any, Iterable, Iterator

_WIDTH = 24


class Progress:
    """The items of a loop, of which the current one is shown, or what at() says of it."""

    def __init__(self, label: str, items: Iterable[Any]) -> None:
        self._label, self._items, self._done = label, list(items), 0
        self._start = time.monotonic()

    def __iter__(self) -> Iterator[Any]:
        try:
            for self._done, item in enumerate(self._items):
                if isinstance(item, str):
                    self.at(item)
                yield item
        finally:
            _show("")

    def at(self, what: str) -> None:
        done, total = self._done, len(self._items)
        filled = _WIDTH * done // total
        bar = f"[{'#' * filled}{'-' * (_WIDTH - filled)}] {100 * done // total:3} %"
        if done > 0:
            left = round((time.monotonic() - self._start) * (total - done) / done)
            bar += f"  {left // 60}:{left % 60:02} left"
        _show(f"{self._label} {bar}  {what}")


def _show(line: str) -> None:
    if sys.stderr.isatty():
        line = line[: shutil.get_terminal_size().columns - 1]
        print(f"\r\x1b[2K{line}", end="", file=sys.stderr, flush=True)
