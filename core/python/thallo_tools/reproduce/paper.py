"""The tables and figures of a paper, as assets/papers/NAME.toml describe them:

title = "Thallo: ..."
hardware = "an NVIDIA TITAN X (Pascal)"        # what the printed numbers are of

[[item]]
number = "Table 1"
title = "Times of solvers by schedule"
method = "iteration_time"                      # methods.py; without one, say why_not
differs = "Ours is the time of an iteration."  # from what the paper did
device_spec = "h200"                           # of a method that predicts: for which device
quantities = [
  {key = "auto", title = "auto, ms", format = ".3f"},
  {key = "gain", title = "gain", ratio = ["opt", "auto"]},   # computed, of both sides
  {key = "plain", title = "none", passes = "none"},          # with these passes over kernels
  {key = "memo", title = "memo, MB", search = "beam", figure = "memo", scale = 1e-6,
   options = {width = 8}},                     # what that search reports of itself
]
  [[item.case]]
  name = "BundleFusion"
  problem = "bundle_fusion"
  published = {opt = 110.39, auto = 2.96}      # only what the paper prints
  options = {frames = 11}                      # of the problem
  files = {file = "bal/ladybug.txt.bz2"}       # options that are files below THALLO_DATA_DIR
  set = {nIterations = 3}                      # of the solver
  samples = 400                                # schedules that are drawn at random
  search = {beam = {width = 8}}                # options of searches, in place of a quantity's
  seconds = 60                                 # that a run takes before it is ended [600]
  tiny = {options = {frames = 3}, set = {}}    # in place of all these
  [[item.case]]
  name = "geometric mean"
  mean = true                                  # of what was measured of the other cases
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional, TypeVar

from ..bench.solves import find_data
from ..command import Fault, did_you_mean, shipped

try:
    import tomllib
except ImportError as error:
    raise Fault(
        "the files of papers are read by Python 3.11 or newer; name it by THALLO_PYTHON"
    ) from error

T = TypeVar("T")


@dataclass
class Quantity:
    key: str = ""
    title: str = ""  # empty if only quotients are made of it
    format: str = ".2f"
    ratio: list[str] = field(default_factory=list)  # the keys of the two whose quotient it is
    passes: str = ""
    # Of a quantity that a search finds: the search, what of it is wanted, and its options.
    search: str = ""
    figure: str = ""
    scale: float = 1.0
    options: dict[str, Any] = field(default_factory=dict)


@dataclass
class Input:
    options: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    set: dict[str, Any] = field(default_factory=dict)
    samples: int = 0
    search: dict[str, Any] = field(default_factory=dict)
    seconds: float = 600.0

    def found(self) -> dict[str, Any]:
        """The options of the problem, with the paths of those files that are there."""
        paths = {option: find_data(name) for option, name in self.files.items()}
        return {**self.options, **{option: str(path) for option, path in paths.items() if path}}

    def missing(self) -> list[str]:
        return [name for option, name in self.files.items() if option not in self.found()]


@dataclass
class Case(Input):
    name: str = ""
    problem: str = ""  # empty if it cannot be made here
    mean: bool = False
    why_not: str = "it is none of the problems here"  # where there is no problem
    schedule: str = ""  # a name, or the text of one; empty: the quantities' keys
    unknowns_per_element: float = 1.0  # of a pixel, a vertex
    published: dict[str, float] = field(default_factory=dict)
    tiny: dict[str, Any] = field(default_factory=dict)

    def input(self, is_tiny: bool) -> Optional[Input]:
        """Absent if the case has no problem here, or no tiny input where one is wanted."""
        if not self.problem or (is_tiny and not self.tiny):
            return None
        return Input(**self.tiny) if is_tiny else self


@dataclass
class Item:
    number: str = ""  # "Table 1", "Figure 12"
    title: str = ""
    method: str = ""  # empty if it cannot be made here
    why_not: str = ""  # one sentence, where it cannot be made or only in part
    differs: str = ""
    device_spec: str = ""
    published_numbers: str = ""  # where the printed numbers come from, or that there are none
    quantities: list[Quantity] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)


@dataclass
class Paper:
    title: str = ""
    hardware: str = ""
    items: list[Item] = field(default_factory=list)  # in the order of the paper
    name: str = ""  # of its file

    def find(self, number: str) -> Item:
        """Finds "Table 5" by "table 5", "table5" or "Table 5"."""

        def plain(text: str) -> str:
            text = text.lower().replace(" ", "").replace(".", "")
            return text.replace("fig", "figure", 1) if not text.startswith("figure") else text

        for item in self.items:
            if plain(item.number) == plain(number):
                return item
        legal = ", ".join(item.number for item in self.items)
        raise Fault(f"{self.name} has no '{number}' (legal: {legal})")


_KINDS = {
    str: "a text",
    bool: "true or false",
    int: "an integer",
    float: "a number",
    list: "a list",
    dict: "a table",
}


def _read(kind: type[T], table: dict[str, Any], where: str) -> T:
    example = kind()
    legal = list(vars(example))
    for key, value in table.items():
        if key not in legal:
            raise Fault(
                f"{where}: unknown key '{key}'{did_you_mean(key, legal)} (legal: {', '.join(legal)})"
            )
        wanted = type(getattr(example, key))
        is_number = wanted is float and type(value) is int
        if type(value) is not wanted and not is_number:
            raise Fault(f"{where}: '{key}' must be {_KINDS[wanted]}")
    return kind(**table)


def _read_case(table: dict[str, Any], keys: list[str], where: str) -> Case:
    case = _read(Case, table, f"{where}, {table.get('name')}")
    _read(Input, case.tiny, f"{where}, {case.name}, tiny")
    for key in case.published:
        if key not in keys:
            legal = ", ".join(keys)
            raise Fault(f"{where}: nothing is published of a quantity '{key}' (legal: {legal})")
    return case


def _read_item(table: dict[str, Any], methods: list[str], path: Path) -> Item:
    where = f"{path}, {table.get('number', 'an item without a number')}"
    quantities = [_read(Quantity, each, where) for each in table.pop("quantities", [])]
    for quantity in quantities:
        if len(quantity.ratio) not in (0, 2):
            raise Fault(f"{where}: 'ratio' of {quantity.key} must have two keys")
        if quantity.search and not quantity.figure:
            raise Fault(f"{where}: what a search finds has a figure, e.g. 'states priced'")
    keys = [quantity.key for quantity in quantities]
    cases = [_read_case(each, keys, where) for each in table.pop("case", [])]
    item = _read(Item, {**table, "quantities": quantities, "cases": cases}, where)
    if not item.method and not item.why_not:
        raise Fault(f"{where} has neither a method nor a why_not")
    if item.method and item.method not in methods:
        raise Fault(f"{where}: no method '{item.method}' (legal: {', '.join(methods)})")
    return item


def read_paper(path: Path, methods: list[str]) -> Paper:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise Fault(f"{path}: {error}") from error
    items = [_read_item(each, methods, path) for each in table.pop("item", [])]
    return _read(Paper, {**table, "items": items, "name": path.stem}, str(path))


def shipped_papers(methods: list[str]) -> list[Paper]:
    files = sorted(shipped("papers").glob("*.toml"))
    if not files:
        raise Fault("the folder assets/papers is not there, or has no papers")
    return [read_paper(file, methods) for file in files]
