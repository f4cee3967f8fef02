"""Solves of problems, where and in which precision the flags of a benchmark say."""

from __future__ import annotations

import argparse
import os
import pathlib
from typing import Any, Optional

from ..command import Fault, Parser, integer, thallo

BAL_SCENES = {
    "bal, dubrovnik 16": "bal/dubrovnik-problem-16-22106-pre.txt.bz2",
    "bal, ladybug 49 of 1800 points": "bal/ladybug-49-7776-pre-shrink-1800.txt.bz2",
    "bal, ladybug 49": "bal/ladybug-problem-49-7776-pre.txt.bz2",
    "bal, trafalgar 21": "bal/trafalgar-problem-21-11315-pre.txt.bz2",
}


def find_data(name: str) -> Optional[pathlib.Path]:
    """The path of a file or folder below THALLO_DATA_DIR, if it is there."""
    path = pathlib.Path(os.environ.get("THALLO_DATA_DIR") or os.devnull, name)
    return path if path.exists() else None


class Cases:
    """Problems with their options, by the name of the case; @NAME is a file below THALLO_DATA_DIR.

    found: those whose files are there. notes: how many are not.
    """

    def __init__(self, words: dict[str, str], only: str) -> None:
        named = {name: its.split() for name, its in words.items() if only in name}
        if not named:
            raise Fault(f"no case has '{only}' in its name (legal: {', '.join(words)})")
        paths = {word: find_data(word[1:]) for its in named.values() for word in its if "@" in word}
        self.found = {
            name: [str(paths.get(word, word)) for word in its]
            for name, its in named.items()
            if all(paths.get(word, word) for word in its)
        }
        left_out = len(named) - len(self.found)
        note = f"{left_out} cases were left out: THALLO_DATA_DIR has not their files."
        self.notes = [note] if left_out else []


def linear_iteration_cost(explained: dict[str, Any]) -> dict[str, float]:
    every = "linear iteration"
    steps = [step for step in explained["kernels"] if step["once_in_every"] == every]
    must_move = sum(step["must_move"] for step in steps)  # if every cache were perfect
    return {"launches": len(steps), "must_move_mb": 1e-6 * must_move}


class Solves:
    """device: what the last one ran on."""

    def __init__(self, flags: argparse.Namespace) -> None:
        if flags.double and flags.float:
            raise Fault("--double and --float exclude each other")
        self.only, self.device, self._backend = flags.only, "", flags.backend
        self.num_runs, self.limit, self.csv = flags.runs, flags.limit, flags.csv
        self.has_every_solver = flags.every_solver
        self._precision = "double" if flags.double else "float" if flags.float else None
        self._where = ["--device", str(flags.device)]
        self._threads = ["--threads", str(flags.threads)]

    @staticmethod
    def add_flags(parser: Parser) -> None:
        add_where(parser)
        ordinal = "which GPU, by its ordinal in `thallo devices` [0]"
        parser.flag("--device", "INT", ordinal, type=integer(0), default=0)
        parser.switch("--double", "everything in double")
        parser.switch("--float", "everything in float")
        runs = "of accuracy, solves of each case [5]"
        parser.flag("--runs", "INT", runs, type=integer(1, 1000), default=5)
        limit = "of accuracy, seconds after which a solve ends [60]"
        parser.flag("--limit", "INT", limit, type=integer(1), default=60)
        parser.switch("--every-solver", "of accuracy, also each linear solver that suits, named")

    @property
    def backend(self) -> str:
        """The one that programs run on."""
        if self._backend == "auto":
            self._backend = next(it["backend"] for it in thallo("devices") if it["available"])
        return self._backend

    def solve(self, *words: str, precision: str, backend: str = "") -> dict[str, Any]:
        """What `thallo solve WORDS`, or `run` of an energy text, says.

        precision: if the flags name none; "" is what the program chooses. backend: in spite of the
        flags, and so is its precision.
        """
        command = "run" if words[0].endswith(".lua") else "solve"
        told = thallo(command, *words, *self._how(precision, backend), *self._threads)
        self.device = told["device"]
        return told

    def explain(self, *words: str, precision: str) -> dict[str, Any]:
        return thallo("explain", *words, *self._how(precision, ""))

    def _how(self, precision: str, backend: str) -> list[str]:
        chosen = precision if backend else self._precision or precision
        how = [f"--{chosen}"] if chosen else []
        return ["--backend", backend or self._backend, *how, *self._where]


def add_where(parser: Parser) -> None:
    backends = "auto (cuda, else cpu, else interpreter), cpu, cuda or interpreter [auto]"
    parser.flag("--backend", "NAME", backends, default="auto")
    threads = "threads of the cpu backend; 0 = all [0]"
    parser.flag("--threads", "INT", threads, type=integer(0, 1024), default=0)
