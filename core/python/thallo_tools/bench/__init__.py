"""measure; print tables in markdown

Real data are read from the folder that THALLO_DATA_DIR names (nist/*.dat, bal/*.txt.bz2,
opt_thallo, meshes); where they are absent, generated input is used or the case is left out."""

from __future__ import annotations

from types import ModuleType

from ..command import Fault, Parser, did_you_mean
from ..table import print_json
from . import accuracy, auto, bal, iterations, moves, nist, published, readers, schedules, steps
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
}


def main(arguments: list[str]) -> int:
    if arguments and arguments[0] in _COMMANDS:
        _run_command(arguments[0], arguments[1:])
    else:
        _run_tables(arguments)
    return 0


def _run_command(name: str, arguments: list[str]) -> None:
    module = _COMMANDS[name]
    parser = Parser(f"thallo bench {name}", module.__doc__ or "")
    module.add_flags(parser)
    parser.switch("--json", "one JSON object on stdout instead of tables")
    flags = parser.parse(arguments)
    table = module.measure(flags)
    if table is None:  # it has printed what it found
        return
    if flags.json:
        print_json({table.name: table.json()})
    else:
        print(table.markdown(), end="")


def _run_tables(arguments: list[str]) -> None:
    parser = Parser("thallo bench", __doc__)
    parser.epilog = f"subcommands, with a --help each:\n{_list(_COMMANDS)}\n\n{parser.epilog}"
    names = f"{_list(_TABLES)}\n  none named: all but {', '.join(_TAKE_LONG)}"
    parser.flag("names", "NAME", names, nargs="*")
    only = "of published and accuracy, the cases whose names contain this"
    parser.flag("--only", "TEXT", only, default="")
    Solves.add_flags(parser)
    parser.switch("--json", "one JSON object on stdout instead of tables")
    flags = parser.parse(arguments)
    for name in flags.names:
        if name not in _TABLES:
            hint = did_you_mean(name, _TABLES)
            raise Fault(f"no benchmark '{name}'{hint} (legal: {', '.join(_TABLES)})")
    solves = Solves(flags)
    tables = {}
    for name, module in _TABLES.items():
        if name in flags.names or not (flags.names or name in _TAKE_LONG):
            tables[name] = module.measure(solves)
            if not flags.json:
                print(
                    ("\n" if len(tables) > 1 else "") + tables[name].markdown(), end="", flush=True
                )
    if flags.json:
        print_json({name: table.json() for name, table in tables.items()})


def _list(modules: dict[str, ModuleType]) -> str:
    return "\n".join(
        f"  {name:<10} {(its.__doc__ or name).splitlines()[0]}" for name, its in modules.items()
    )
