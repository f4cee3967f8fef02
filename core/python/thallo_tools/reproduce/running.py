"""Where and how cases are run: the flags of the program for a case."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from ..command import Fault, thallo
from .kept import Parts
from .paper import Case, Input, Item


@dataclass
class Run:
    """Where and how cases are run."""

    backend: str = "auto"
    device: int = 0
    threads: int = 0
    is_tiny: bool = False
    measurements: Optional[Path] = None  # the store of explorations

    @functools.cached_property
    def place(self) -> tuple[str, str]:
        """The names of the device and of its backend."""
        for told in thallo("devices"):
            if self.backend != "auto" and told["backend"] != self.backend:
                continue
            if told["available"] and self.device < len(told["devices"]):
                return told["devices"][self.device]["name"], told["backend"]
            if self.backend != "auto":
                raise Fault(told.get("reason") or f"{self.backend} has no device {self.device}")
        raise Fault(f"there is no device {self.device}")


@dataclass
class Its:
    """What a method measures."""

    run: Run
    parts: Parts
    item: Item
    case: Case
    input: Input  # of the case, or its tiny one

    def flags(self, backend: str = "", is_published: bool = False) -> list[str]:
        """The problem, its options, where it runs, and the settings of the solver: if is_published,
        beside those that make steps and counts the published ones."""
        run = self.run
        words = [self.case.problem, f"--backend={backend or run.backend}"]
        words += [] if backend else [f"--device={run.device}", f"--threads={run.threads}"]
        words += ["--published"] if is_published else []
        words += setting_flags("--set", self.input.set)
        for name, value in self.input.found().items():
            words.append(f"--{name.replace('_', '-')}={_text(value)}")
        return words

    def key(self, **of: Any) -> dict[str, Any]:
        """What something is kept for: all that it depends on, but for device and build. Files are
        named as the paper's file does, so that a folder of data may lie anywhere."""
        its = self.input
        input_key = {
            "problem": self.case.problem,
            "options": its.options,
            "files": its.files,
            "set": its.set,
        }
        return {**of, "input": input_key}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def setting_flags(flag: str, settings: dict[str, Any]) -> list[str]:
    return [f"{flag}={name}={_text(value)}" for name, value in settings.items()]
