"""measure; print tables in markdown

Real data are read from the folder that THALLO_DATA_DIR names (nist/*.dat, bal/*.txt.bz2,
opt_thallo, meshes); where they are absent, generated input is used or the case is left out."""

from __future__ import annotations

import argparse
import pathlib
from types import ModuleType

from ..command import Fault, Parser, check_place, did_you_mean
from ..table import Table, print_json, read_csv
from . import accuracy, auto, bal, iterations, moves, nist, published, readers, schedules, searches, steps
from . import switches
from .solves import Solves

_TABLES = {
    "nist": nist,
    "bal": bal,
    "published": published,
    "table": iterations,
    "accuracy": accuracy,
}
_TAKE_LONG = {"accuracy"}  # run only if they are named
_COMMANDS = {
    "steps": steps,
    "auto": auto,
    "readers": readers,
    "schedules": schedules,
    "moves": moves,
    "searches": searches,
    "switches": switches,
}


def main(arguments: list[str]) -> int:
    if arguments and arguments[0] in _COMMANDS:
        tables = _run_command(arguments[0], arguments[1:])
    else:
        tables = _run_tables(arguments)
    return int(any(table.worse for table in tables))


class _Output:
    """Where tables go, and what they are compared with; named before anything is measured."""

    def __init__(self, flags: argparse.Namespace) -> None:
        self._json, self._csv, self._against = flags.json, flags.csv, flags.against
        if self._csv:
            check_place("--csv", self._csv)
        self._earlier = read_csv(self._against) if self._against else []
        self.tables: list[Table] = []

    @staticmethod
    def add_flags(parser: Parser) -> None:
        parser.switch("--json", "one JSON object on stdout instead of tables")
        parser.flag("--csv", "FILE", "write the table there, too", type=pathlib.Path)
        against = "what --csv wrote earlier: show it, and exit with 1 if something got worse"
        parser.flag("--against", "FILE", against, type=pathlib.Path)

    @property
    def is_for_one_table(self) -> bool:
        return bool(self._csv or self._against)

    def add(self, table: Table) -> None:
        if self._csv:
            table.write_csv(self._csv)
        if self._against:
            table.compare(str(self._against), self._earlier)
        self.tables.append(table)
        if not self._json:
            print(("\n" if len(self.tables) > 1 else "") + table.markdown(), end="", flush=True)

    def end(self) -> list[Table]:
        if self._json:
            print_json({table.name: table.json() for table in self.tables})
        return self.tables


def _run_command(name: str, arguments: list[str]) -> list[Table]:
    module = _COMMANDS[name]
    parser = Parser(f"thallo bench {name}", module.__doc__ or "")
    module.add_flags(parser)
    if module is steps:  # it prints what it finds
        parser.switch("--json", "one JSON object on stdout instead of tables")
        steps.measure(parser.parse(arguments))
        return []
    _Output.add_flags(parser)
    flags = parser.parse(arguments)
    output = _Output(flags)
    output.add(module.measure(flags))
    return output.end()


def _run_tables(arguments: list[str]) -> list[Table]:
    parser = Parser("thallo bench", __doc__)
    parser.epilog = f"subcommands, with a --help each:\n{_list(_COMMANDS)}\n\n{parser.epilog}"
    names = f"{_list(_TABLES)}\n  none named: all but {', '.join(_TAKE_LONG)}"
    parser.flag("names", "NAME", names, nargs="*")
    only = "of published and accuracy, the cases whose names contain this"
    parser.flag("--only", "TEXT", only, default="")
    Solves.add_flags(parser)
    _Output.add_flags(parser)
    flags = parser.parse(arguments)
    for name in flags.names:
        if name not in _TABLES:
            hint = did_you_mean(name, _TABLES)
            raise Fault(f"no benchmark '{name}'{hint} (legal: {', '.join(_TABLES)})")
    solves, output = Solves(flags), _Output(flags)
    wanted = [name for name in _TABLES if name in (flags.names or _TABLES.keys() - _TAKE_LONG)]
    if output.is_for_one_table and len(wanted) > 1:
        raise Fault(f"--csv and --against are of one table; name one of {', '.join(_TABLES)}")
    for name in wanted:
        output.add(_TABLES[name].measure(solves))
    return output.end()


def _list(modules: dict[str, ModuleType]) -> str:
    return "\n".join(
        f"  {name:<10} {(its.__doc__ or name).splitlines()[0]}" for name, its in modules.items()
    )
