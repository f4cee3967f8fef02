"""What the commands have in common: arguments, faults and exit codes as those in C++ have them, and
runs of the program.
"""

from __future__ import annotations

import argparse
import difflib
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import traceback
from typing import Any, Callable, Iterable, NoReturn, Sequence

_warnings: set[str] = set()  # of the program that were shown

# Exit codes (core/cli/exit_code.h): of a request that cannot be carried out, and of a bug.
USER, BUG = 2, 4


class Fault(Exception):
    """Why a command cannot go on, and the exit code that says so."""

    def __init__(self, text: str, code: int = USER) -> None:
        super().__init__(text)
        self.code = code


class Interrupted(BaseException):
    """A signal asks the command to end."""

    def __init__(self, number: int) -> None:
        self.number = number


def _interrupt(number: int, _frame: Any) -> NoReturn:
    raise Interrupted(number)


def run(main: Callable[[list[str]], int], arguments: list[str]) -> NoReturn:
    """Runs a command and ends the process; a fault is {"error": WHY} on stdout with --json."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        code = main(arguments)
        sys.stdout.flush()
    except Fault as fault:
        if "--json" in arguments:
            print(json.dumps({"error": str(fault)}, ensure_ascii=False, indent=2), flush=True)
        print(f"thallo: {fault}", file=sys.stderr)
        code = fault.code
    except OSError as error:  # a full disk, a closed pipe
        what = error.filename or "cannot write to stdout"
        print(f"thallo: {what}: {error.strerror}", file=sys.stderr)
        code = USER
    except Exception as error:
        traceback.print_exc()
        if "--json" in arguments:
            print(json.dumps({"error": f"this is a bug: {error!r}"}, indent=2), flush=True)
        code = BUG
    except Interrupted as interrupted:
        print("thallo: interrupted", file=sys.stderr, flush=True)
        signal.signal(interrupted.number, signal.SIG_DFL)
        os.kill(os.getpid(), interrupted.number)  # so that a shell sees what ended it
    os._exit(code)  # a flush at the end could fail once more


class Parser(argparse.ArgumentParser):
    """A parser whose faults are answered in one line, with the nearest legal name. Its help is made of
    the docstring of a module: what the command does, and below an empty line what else to know.
    """

    def __init__(self, prog: str, doc: str) -> None:
        what, _, more = doc.partition("\n\n")
        shown = argparse.RawTextHelpFormatter
        super().__init__(prog, None, what, more, formatter_class=shown, allow_abbrev=False)
        self.leaves_rest = False  # arguments that are not known are left in `rest`

    def flag(self, name: str, metavar: str, doc: str, **how: Any) -> None:
        self.add_argument(name, metavar=metavar, help=doc, **how)

    def switch(self, name: str, doc: str) -> None:
        self.add_argument(name, action="store_true", help=doc)

    def error(self, message: str) -> NoReturn:
        raise Fault(f"{message.removeprefix('argument ')} (see {self.prog} --help)")

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        flags, rest = self.parse_known_intermixed_args(list(_with_values(arguments)))
        if self.leaves_rest:
            flags.rest = rest
        elif rest and rest[0].startswith("-"):
            flag = rest[0].split("=")[0]
            hint = did_you_mean(flag, self._option_string_actions)
            self.error(f"{self.prog}: no option '{flag}'{hint}")
        elif rest:
            self.error(f"{self.prog}: too many arguments: '{rest[0]}'")
        return flags


def _with_values(arguments: Sequence[str]) -> Iterable[str]:
    """The value of --passes may begin with a dash, as no value may for argparse."""
    words = iter(arguments)
    for word in words:
        value = next(words, None) if word == "--passes" else None
        yield word if value is None else f"{word}={value}"


def shipped(name: str) -> pathlib.Path:
    """A file or folder of the assets, whether it is there or not."""
    return pathlib.Path(os.environ["THALLO_PROGRAM"]).parents[1] / "share" / "thallo" / name


def check_place(flag: str, file: pathlib.Path) -> None:
    """Called before anything is measured, so that no result is lost."""
    if file.is_dir():
        raise Fault(f"{flag} {file}: it is a folder; name a file")
    if not file.parent.is_dir():
        raise Fault(f"{flag} {file}: there is no folder {file.parent}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean '{near[0]}'?" if near else ""


def thallo(*arguments: str) -> Any:
    """Runs the program with --json, and returns what it prints. Raises its fault."""
    command = [os.environ["THALLO_PROGRAM"], *arguments, "--json"]
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    told = json.loads(ran.stdout) if ran.stdout else {"error": ran.stderr.strip()}
    if ran.returncode not in (0, 1):  # 1 is a result: a solve that missed its goal
        raise failure(arguments[0], ran.returncode, told["error"])
    warn(ran.stderr)
    return told


def failure(command: str, code: int, words: str) -> Fault:
    """code: of a process; below zero if a signal ended it."""
    return Fault(words or f"thallo {command} ended with the code {code}", code if code > 0 else BUG)


def warn(lines: str) -> None:
    """Shows what the program warned of, once."""
    for line in lines.splitlines():
        if line not in _warnings:
            print(line, file=sys.stderr)
            _warnings.add(line)


def integer(least: int, most: int = sys.maxsize) -> Callable[[str], int]:
    """The type of an argument that is an integer within bounds."""

    def read(text: str) -> int:
        value = int(text) if text.lstrip("-").isdigit() else least - 1
        if not least <= value <= most:
            above = "" if most == sys.maxsize else f" to {most}"
            raise argparse.ArgumentTypeError(f"'{text}' is no integer from {least}{above}")
        return value

    return read
