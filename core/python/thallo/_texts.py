"""Texts as the library reads them, and what the texts of a caller are."""

from __future__ import annotations

import os
from typing import Any, Optional

from ._errors import EnergyError, OptionError


def message(told: Optional[bytes]) -> str:
    """What the library says, to be shown; a path in it need not be UTF-8."""
    return (told or b"").decode(errors="backslashreplace")


def text(value: Any) -> bytes:
    """The value of an option as the library reads it."""
    if isinstance(value, (str, bytes, os.PathLike)):
        told = os.fsencode(value)
    else:
        told = str(int(value) if isinstance(value, bool) else value).encode()
    if b"\0" in told:
        raise OptionError(f"{value!r} holds a NUL byte, which would end it for the library")
    return told


def _lines(lines: str, name: str, what: str) -> bytes:
    """A text as the library reads it, which would end at a NUL byte. Faults call it `name`."""
    before, nul, _ = lines.partition("\0")
    if nul:
        raise EnergyError(
            f"{name}:{before.count(chr(10)) + 1}: the line holds a NUL byte; {what} is written as "
            "text, which has none"
        )
    return os.fsencode(lines)


def energy_bytes(energy: str, name: str) -> bytes:
    return _lines(energy, name, "an energy")


def schedule_bytes(schedule: str) -> bytes:
    return _lines(schedule, "the schedule", "a schedule")


def is_schedule_text(schedule: str) -> bool:
    return "\n" in schedule or "(" in schedule


def is_path(energy) -> bool:
    if isinstance(energy, os.PathLike):
        return True
    if "\n" in energy:
        return False
    return energy.endswith((".lua", ".t")) or "(" not in energy or os.path.exists(energy)
