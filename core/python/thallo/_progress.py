"""A line of text that says how far something is: in a terminal, in a notebook, or in a log."""

from __future__ import annotations

import sys
import time
from typing import Any, Optional


def _in_notebook() -> bool:
    """True if this runs in a kernel, whose outputs are displayed by a notebook."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython  # type: ignore[import-not-found]

    return getattr(get_ipython(), "kernel", None) is not None


class Progress:
    """Shows the last text that it was given. A terminal and a notebook overwrite the one before;
    what else stderr may be gets a line a second, and the last one.
    """

    def __init__(self) -> None:
        self._notebook: Optional[Any] = None  # the handle of what is displayed
        self._in_notebook = _in_notebook()
        self._overwrites = sys.stderr.isatty()
        self._period = 0.1 if self._overwrites or self._in_notebook else 1.0
        self._shown, self._waiting = "", ""
        self._next_time = 0.0

    def show(self, text: str) -> None:
        self._waiting = text
        if time.monotonic() >= self._next_time:
            self._draw()

    def close(self) -> None:
        """Leaves the last text where it is."""
        if self._waiting:
            self._draw()
        if self._overwrites and not self._in_notebook and self._shown:
            sys.stderr.write("\n")
        self._notebook, self._shown = None, ""

    def _draw(self) -> None:
        text, self._waiting = self._waiting, ""
        self._next_time = time.monotonic() + self._period
        if text == self._shown:
            return
        self._shown = text
        if self._in_notebook:
            self._display(text)
        elif self._overwrites:
            sys.stderr.write(f"\r\x1b[2K{text}")
            sys.stderr.flush()
        else:
            sys.stderr.write(text + "\n")

    def _display(self, text: str) -> None:
        from IPython.display import display  # type: ignore[import-not-found]

        if self._notebook is None:
            self._notebook = display({"text/plain": text}, raw=True, display_id=True)
        else:
            self._notebook.update({"text/plain": text}, raw=True)
