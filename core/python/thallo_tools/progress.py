"""How far long work is: a line on stderr that is rewritten in place, if that is a terminal."""

from __future__ import annotations

import sys
import time
from typing import Any, Iterable, Iterator

_WIPE = "\r\x1b[2K"
_WIDTH = 24


class Progress:
    """files = Progress("nist", files), then for file in files: files.at(file.stem)"""

    def __init__(self, label: str, items: Iterable[Any]) -> None:
        self._label, self._items, self._done = label, list(items), 0
        self._start = time.monotonic()

    def __iter__(self) -> Iterator[Any]:
        try:
            for self._done, item in enumerate(self._items):
                yield item
        finally:
            self._show(_WIPE)

    def at(self, what: str) -> None:
        """Shows what is measured now."""
        done, total = self._done, len(self._items)
        filled = _WIDTH * done // total
        bar = f"[{'#' * filled}{'-' * (_WIDTH - filled)}] {100 * done // total:3} %"
        if done > 0:
            left = round((time.monotonic() - self._start) * (total - done) / done)
            bar += f"  {left // 60}:{left % 60:02} left"
        self._show(f"{_WIPE}{self._label} {bar}  {what}")

    def _show(self, text: str) -> None:
        if sys.stderr.isatty():
            print(text, end="", file=sys.stderr, flush=True)
