"""time how text files of each format are read, and how that grows with their size"""

import argparse
import math
import pathlib
import tempfile
from itertools import chain
from typing import Callable, Iterable, Iterator, NamedTuple

from ..command import Parser, integer
from ..progress import Progress
from ..table import Column, Table
from ..worker import Worker
from .columns import make_table

_ENOUGH = 0.1  # seconds
_QUOTES = '","'


def add_flags(parser: Parser) -> None:
    lines = "lines of the larger files [1000000]"
    parser.flag("--lines", "INT", lines, type=integer(100, 100_000_000), default=1_000_000)


def measure(flags: argparse.Namespace) -> Table:
    title = f"Text files of {flags.lines} lines, read from a folder"
    table = make_table("readers", title, "format", seconds=Column("s", ".3f"))
    with tempfile.TemporaryDirectory() as folder, Worker() as worker:
        for name in Progress("readers", _FORMATS):
            small = _time(worker, folder, name, flags.lines // 10)
            large = _time(worker, folder, name, flags.lines)
            table.add(
                format=name,
                megabytes=large.megabytes,
                seconds=large.seconds,
                megabytes_per_second=large.megabytes / large.seconds,
                times_a_tenth=large.seconds / small.seconds,
            )
    table.notes = ["Seconds are of the processor, the fewest of three readings or more."]
    return table


class _Reading(NamedTuple):
    megabytes: float
    seconds: float  # of the fastest


def _time(worker: Worker, folder: str, name: str, num_lines: int) -> _Reading:
    """Readings are repeated for at least a tenth of a second."""
    path = pathlib.Path(folder, "text." + name.split(",")[0])
    with path.open("w") as file:
        file.writelines(f"{line}\n" for line in _FORMATS[name](num_lines))
    seconds: list[float] = []
    while len(seconds) < 3 or sum(seconds) < _ENOUGH:
        seconds.append(worker.ask("read", file=str(path))["cpu_seconds"])
    return _Reading(path.stat().st_size / 1e6, min(seconds))


def _numbers(first: int, count: int, separator: str = " ") -> str:
    """With as many digits as in real files."""
    return separator.join(repr(100 * math.sin(i)) for i in range(first, first + count))


def _mesh(num_lines: int, vertex: str = "", face: str = "3 ", first: int = 0) -> Iterator[str]:
    """Half of the lines are vertices, which are counted from `first`, and half are triangles."""
    half = num_lines // 2
    for i in range(half):
        yield vertex + _numbers(3 * i, 3)
    for i in range(half):
        yield face + " ".join(str(first + (i + k) % half) for k in range(3))


def _ply(num_lines: int) -> Iterator[str]:
    yield f"ply\nformat ascii 1.0\nelement vertex {num_lines // 2}"
    yield "property double x\nproperty double y\nproperty double z"
    yield f"element face {num_lines // 2}\nproperty list uchar int vertex_indices\nend_header"
    yield from _mesh(num_lines)


def _bal(num_lines: int) -> Iterator[str]:
    points = num_lines // 4
    yield f"1 {points} {points}"
    for i in range(points):
        yield f"0 {i} {_numbers(i, 2)}"
    yield "\n".join("0" * 9)  # the camera
    for i in range(points):
        yield _numbers(i, 3, "\n")


def _g2o(num_lines: int, dimension: int = 2, has_poses: bool = True) -> Iterator[str]:
    """A chain of poses. Half of the lines are poses, if there are any."""
    kind, size, turn = ("SE2", 3, "") if dimension == 2 else ("SE3:QUAT", 6, " 0.6 0 0 0.8")
    weights = " ".join("44.72" + " 0" * (size - 1 - row) for row in range(size))
    num_edges = num_lines // 2 if has_poses else num_lines
    for i in range(num_edges + 1 if has_poses else 0):
        yield f"VERTEX_{kind} {i} {_numbers(3 * i, 3)}{turn}"
    for i in range(num_edges):
        yield f"EDGE_{kind} {i} {i + 1} {_numbers(3 * i, 3)}{turn} {weights}"


# Lines of a file with that many, by the format, whose first word is the suffix.
_FORMATS: dict[str, Callable[[int], Iterable[str]]] = {
    "csv": lambda n: chain(["x,y,z"], (_numbers(3 * i, 3, ",") for i in range(n))),
    "csv, quoted": lambda n: chain(
        ['"x, in m","y"'], (f'"{_numbers(2 * i, 2, _QUOTES)}"' for i in range(n))
    ),
    "obj": lambda n: _mesh(n, "v ", "f ", 1),
    "off": lambda n: chain([f"OFF\n{n // 2} {n // 2} 0"], _mesh(n)),
    "ply, ascii": _ply,
    "pgm, ascii": lambda n: chain(
        [f"P2\n16 {n}\n65535"],
        (" ".join(str((16 * i + k) * 7919 % 65536) for k in range(16)) for i in range(n)),
    ),
    "bal": _bal,
    "g2o, SE2": _g2o,
    "g2o, SE3": lambda n: _g2o(n, dimension=3),
    "g2o, edges alone": lambda n: _g2o(n, has_poses=False),
}
