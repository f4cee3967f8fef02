"""A problem whose iterations are timed under one schedule after the other."""

from __future__ import annotations

import argparse
import contextlib
import pathlib
import re
from typing import Any, Iterator, Optional

from ..command import Fault, Parser, integer, thallo
from ..progress import Progress
from ..worker import Worker
from .solves import add_where

_HANDED_ON = "device device-spec model solver set sites passes memory-limit double float".split()


class TimedProblem(Worker):
    """Opened with the words that were left of the arguments of `thallo bench WHAT`."""

    def __init__(self, what: str, flags: argparse.Namespace, *words: str) -> None:
        self._what, self._words = what, [*words, *flags.rest]
        if not self._words:
            raise Fault(f"PROBLEM is required (see thallo bench {what} --help)")
        where = ["--backend", flags.backend, "--threads", str(flags.threads)]
        with self._worded():
            super().__init__(*self._words, *where)
        assert self.opened is not None  # a problem was named
        device, problem = self.opened["device"], self.opened["problem"]
        self.backend, self.device, self.title = device["backend"], device["name"], problem["title"]
        self.name = re.sub(r"(.*/)?([^/]+)\.\w+", r"\2", problem["name"])
        self.precision = self.opened["precision"]
        self.linear_iterations = self.opened["counts"]["linear_iterations"]  # 0 of a direct solver

    def explain(self, schedule: Optional[str], *subcommand: str) -> dict[str, Any]:
        """What `thallo explain` says of a schedule, by default the problem's own."""
        chosen = [] if schedule is None else ["--schedule", schedule]
        with self._worded():
            return thallo("explain", *subcommand, *self._words, "--backend", self.backend, *chosen)

    def conditions(self, result: dict[str, Any], solves: int) -> str:
        """result: of time()."""
        linear = self.linear_iterations
        of_each = f" with {linear:.0f} linear ones each" if linear else ""
        return (
            f"In {self.precision} on {self.device}. Medians of {solves} solves of "
            f"{len(result['trace']) - 1} nonlinear iterations{of_each}, which no test ends."
        )

    @contextlib.contextmanager
    def _worded(self) -> Iterator[None]:
        """The user named another command than the one that finds a fault."""
        try:
            yield
        except Fault as fault:
            words = re.sub("thallo (worker|explain)", f"thallo bench {self._what}", str(fault))
            raise Fault(words, fault.code) from None


def add_problem(parser: Parser) -> None:
    """One, with its options as flags, and --repeats."""
    parser.leaves_rest = True
    parser.epilog = (
        "PROBLEM is the name of one, see `thallo problems`, or an energy text with its --bind. Its\n"
        "options and how it is solved are further flags; `thallo worker PROBLEM --help` lists them."
        f"\n\n{parser.epilog}"
    )
    add_where(parser)
    repeats = "solves of each schedule, whose median is printed [3]"
    parser.flag("--repeats", "INT", repeats, type=integer(1, 1000), default=3)


def add_problems(parser: Parser) -> None:
    """Several, with their default options; energy texts get all bindings."""
    parser.set_defaults(rest=[])
    names = "names of problems, see `thallo problems`; or energy texts (.lua, .t, .toml)"
    parser.flag("problems", "PROBLEM", names, nargs="*")
    parser.add_argument("-b", "--bind", metavar="NAME=FILE|VALUE", action="append", help="an input")
    add_where(parser)
    for name in _HANDED_ON:
        words = 0 if name in ("double", "float") else None
        parser.add_argument(f"--{name}", action=_HandOn, nargs=words, help="as of `thallo solve`")


class _HandOn(argparse.Action):
    def __call__(self, _: Any, flags: argparse.Namespace, value: Any, flag: Any = None) -> None:
        flags.rest += [flag, value] if value else [flag]


def open_each(what: str, flags: argparse.Namespace) -> Iterator[TimedProblem]:
    def is_text(name: str) -> bool:
        return pathlib.Path(name).suffix != ""

    # Without a text the first problem refuses bindings.
    has_text = any(map(is_text, flags.problems))
    bindings = [f"--bind={each}" for each in flags.bind or []]
    for name in Progress(what, flags.problems):
        its = bindings if is_text(name) or not has_text else []
        with TimedProblem(what, flags, name, *its) as timed:
            yield timed
