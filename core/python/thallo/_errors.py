"""The exceptions: one class for each code of thallo.h that a program can do something about."""

from __future__ import annotations

import re
from typing import Optional


class ThalloError(Exception):
    """What went wrong, as a sentence.

    file, line: the place in the user's text that is to blame; None if there is none.
    legal: what would have been legal; empty if nothing says so.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        place = re.match(r"(?P<file>[^:\n]+):(?P<line>\d+): ", text)
        self.file: Optional[str] = place["file"] if place else None
        self.line: Optional[int] = int(place["line"]) if place else None
        legal = re.search(r"\(legal: (?P<names>.*)\)", text)
        self.legal: list[str] = legal["names"].split(", ") if legal else []


class EnergyError(ThalloError):
    """The text of an energy or of a schedule cannot be read or has a fault."""


class OptionError(ThalloError, ValueError):
    """An option has an unknown name or no legal value."""


class InputError(ThalloError, ValueError):
    """What is bound does not fit the energy."""


class BusyError(ThalloError, RuntimeError):
    """Another call is working on the solver."""


class OrderError(ThalloError, RuntimeError):
    """A call came before another one that it needs."""


class SolveError(ThalloError, RuntimeError):
    """The solve failed: no such backend, no memory, a device fault, a cost that is not finite."""


_CLASSES = {
    3: BusyError,
    4: OrderError,
    5: EnergyError,
    6: OptionError,
    7: InputError,
    8: SolveError,
}


def error_of(code: int, text: str) -> ThalloError:
    return _CLASSES.get(code, ThalloError)(text)


def error_of_program(code: int, text: str) -> ThalloError:
    """The error of the program `thallo`, by its exit code (docs/cli.md)."""
    return (OptionError if code == 2 else SolveError)(text or f"thallo ended with the code {code}")
