"""Explorations of schedules by the program `thallo` that comes with the library."""

from __future__ import annotations

import hashlib
import html
import io
import json
import math
import os
import pathlib
import pty
import re
import signal
import subprocess
import tempfile
import threading
from typing import Any, Iterable, Optional, Union

import numpy as np

from . import _library as c
from ._errors import OptionError, SolveError, error_of_program
from ._progress import Progress
from ._solver import Solver
from ._texts import text
from .problems import ProblemSolver

_MEASURES = ("composed", "end-to-end")
# What a candidate has under these names goes into columns of numbers; the rest are texts.
_NUMBERS = ("seconds", "composed", "end_to_end", "verification_error", "small_error")
_TEXTS = ("schedule", "status", "reason", "hash", "program")


class Plot:
    """A picture as SVG; a notebook shows it."""

    def __init__(self, name: str, svg: str) -> None:
        self.name, self.svg = name, svg

    def save(self, path: Union[str, os.PathLike]) -> None:
        pathlib.Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<plot {self.name}>"


class Exploration:
    """The schedules that were looked at, with their times.

    problem, title: what was solved. device, space, objective: as `thallo explore` names them.
    table: columns by name, a row for each schedule, the fastest first. Times are in seconds of a
        nonlinear iteration, NaN where there is none: `seconds` decides, `composed` is the sum of
        its steps, `end_to_end` of whole solves; `predicted_analytic` and others of the models.
    num_measured: steps that were measured now; the others were in the store.
    marks: rows of the named schedules, {"default": 3}.
    store: the file that keeps what was measured.
    """

    def __init__(self, told: dict[str, Any], store: pathlib.Path, report: list[str]) -> None:
        self.problem: str = told["problem"]
        self.title: str = told["title"]
        self.device: str = told["device"]
        self.space: str = told["space"]
        self.objective: str = told.get("objective", "")
        self.num_measured: int = told["measured"]
        self.store = store
        self._report = report  # arguments of `thallo report`
        self._plots: Optional[dict[str, Plot]] = None
        candidates = sorted(told["candidates"], key=_seconds)
        self.table = _columns(candidates)
        rows = {each["hash"]: row for row, each in enumerate(candidates)}
        self.marks: dict[str, int] = {
            name: rows[key] for name, key in told["marks"].items() if key in rows
        }
        self._best = next((row for row, each in enumerate(candidates) if each["keeps_pins"]), None)

    def __len__(self) -> int:
        return len(self.table["seconds"])

    @property
    def best(self) -> str:
        """The fastest schedule as a text, for Solver.schedule; "" is the default one."""
        if self._best is None or math.isnan(self.best_seconds):
            raise SolveError(f"no schedule of '{self.problem}' has a time")
        return self.table["schedule"][self._best]

    @property
    def best_seconds(self) -> float:
        return math.nan if self._best is None else float(self.table["seconds"][self._best])

    @property
    def plots(self) -> dict[str, Plot]:
        """The pictures of `thallo report`, by name; they are drawn when first asked for."""
        if self._plots is None:
            with tempfile.TemporaryDirectory() as folder:
                _run([*self._report, "--out", folder], None)
                self._plots = {
                    path.stem: Plot(path.stem, path.read_text(encoding="utf-8"))
                    for path in sorted(pathlib.Path(folder).glob("**/*.svg"))
                }
        return self._plots

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame."""
        import pandas  # type: ignore[import-untyped,unused-ignore]

        return pandas.DataFrame(self.table)

    def __repr__(self) -> str:
        lines = [f"{self.problem}, {self.title}, on {self.device}: {len(self)} schedules"]
        for name, row in self.marks.items():
            lines.append(f"  {name:<20}{_us(self.table['seconds'][row])}")
        lines.append(f"  {'the fastest':<20}{_us(self.best_seconds)}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        names = {row: name for name, row in self.marks.items()}
        rows = [row for row in range(len(self)) if row < 10 or row in names]
        cells = "".join(
            f"<tr><td>{html.escape(names.get(row, ''))}</td>"
            f"<td>{_us(self.table['seconds'][row])}</td>"
            f"<td><pre>{html.escape(self.table['schedule'][row] or 'default')}</pre></td></tr>"
            for row in rows
        )
        plot = self.plots.get("distribution")
        return (
            f"<p>{html.escape(self.problem)}, {html.escape(self.title)}, on "
            f"{html.escape(self.device)}: {len(self)} schedules</p>"
            f"<table><tr><th></th><th>time</th><th>schedule</th></tr>{cells}</table>"
            f"{plot.svg if plot is not None else ''}"
        )


def explore(
    what: Union[str, os.PathLike, Solver],
    *,
    bind: Optional[dict[str, Any]] = None,
    backend: Optional[str] = None,
    space: str = "full",
    measure: str = "composed",
    search: Optional[str] = None,
    sample: Optional[int] = None,
    budget: Union[float, str, None] = None,
    best: Optional[int] = None,
    store: Union[str, os.PathLike, None] = None,
    precision: Optional[str] = None,
    arguments: Iterable[str] = (),
    progress: bool = False,
    **options: Any,
) -> Exploration:
    """Measures schedules, as `thallo explore` does, and returns them with their times.

    what: a solver, with what is bound to it now and the options that were set; a solver made by
        thallo.problems, as its problem makes it; the name of a problem, with its `options`; or the
        path of an energy text, with `bind`: arrays, numbers and paths of files by name.
    space, measure, search, sample, best: as the program takes them (docs/cli.md).
    budget: seconds, or a text such as "10min".
    backend, precision: by default those of the solver, or "auto" and the problem's own.
    store: the file that measurements are kept in and read from, by default NAME.store in this
        folder. Ctrl-C ends an exploration; the next one with the same store goes on. Arrays are
        kept beside it, in the folder STORE.inputs.
    arguments: further ones of the program, ["--objective", "1%"].
    progress: True if it is shown how far it is, on stderr or in the notebook.
    """
    if measure not in _MEASURES:
        raise OptionError(f"there is no measure '{measure}' (legal: {', '.join(_MEASURES)})")
    name = _name_of(what)
    kept = pathlib.Path(os.fsdecode(store or pathlib.Path(name).stem + ".store"))
    inputs = pathlib.Path(f"{kept}.inputs").resolve()
    problem = []
    run = ["--space", space, "--measure", measure]
    if isinstance(what, Solver):
        backend = backend or what._creation.get("backend")
        precision = precision or what._creation.get("precision")
        if what._creation.get("threads"):
            run += ["--threads", str(what._creation["threads"])]
        if isinstance(what, ProblemSolver):
            options = {**what.problem_options, **options}
        else:
            bind = {**what.bound, **(bind or {})}
            if len(what._source) > 1:
                name = _keep(inputs, pathlib.Path(name).stem, ".lua", os.fsencode(what._source[0]))
        for key, value in what._options.items():
            problem += ["--set", f"{key}={value}"]
    problem = [name, *_flags(options), *problem]
    for key, value in (bind or {}).items():
        problem += ["--bind", f"{key}={_bound_text(key, value, inputs)}"]
    if precision is not None:
        problem.append(f"--{precision}")
    run += ["--backend", backend or "auto"]
    chosen = [("--search", search), ("--sample", sample), ("--budget", budget), ("--best", best)]
    for flag, it in chosen:
        if it is not None:
            run += [flag, str(it)]
    line = ["explore", *problem, *run, "--store", str(kept), "--json", *arguments]
    told = json.loads(_run(line, Progress() if progress else None))
    computes_in_double = told["device"] == "interpreter" and "--double" not in problem
    report = ["report", *problem, *(["--double"] if computes_in_double else [])]
    return Exploration(told, kept, [*report, "--store", str(kept)])


def _name_of(what: Union[str, os.PathLike, Solver]) -> str:
    """The name of a problem, the path of a text, or the name of one."""
    if isinstance(what, ProblemSolver):
        return what.problem
    return what._source[-1] if isinstance(what, Solver) else os.fsdecode(what)


def _flags(options: dict[str, Any]) -> list[str]:
    flags = []
    for key, value in options.items():
        flag = key.replace("_", "-")
        if isinstance(value, bool):
            flags.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            flags += [f"--{flag}", os.fsdecode(text(value))]
    return flags


def _bound_text(name: str, value: Any, inputs: pathlib.Path) -> str:
    """What stands behind --bind NAME=; arrays are written to files."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    if isinstance(value, (int, float, str, bytes, os.PathLike, np.number)):
        return os.fsdecode(text(value))
    content = io.BytesIO()
    np.save(content, np.ascontiguousarray(value))
    return _keep(inputs, name, ".npy", content.getvalue())


def _keep(inputs: pathlib.Path, name: str, suffix: str, content: bytes) -> str:
    """Returns the path of a file with this content. The store knows inputs by their paths, so the
    same content must have the same one.
    """
    path = inputs / f"{name}-{hashlib.sha256(content).hexdigest()[:12]}{suffix}"
    if not path.exists():
        inputs.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return str(path)


def _run(arguments: list[str], progress: Optional[Progress]) -> str:
    """Runs the program and returns what it prints. Ctrl-C tells it to end with what it has."""
    ours, its = _open_terminal()
    with subprocess.Popen(
        [str(c.program()), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=its,
        start_new_session=True,  # the terminal's Ctrl-C goes to us alone
    ) as process:
        os.close(its)
        out = process.stdout
        assert out is not None  # it is a pipe
        printed: list[bytes] = []
        reader = threading.Thread(target=lambda: printed.append(out.read()))
        reader.start()
        try:
            said = _read_progress(ours, progress)
        except BaseException:
            process.send_signal(signal.SIGINT)
            raise
        finally:
            reader.join()
            os.close(ours)
            if progress is not None:
                progress.close()
    if process.returncode != 0:
        raise error_of_program(process.returncode, said)
    return b"".join(printed).decode(errors="replace")


def _open_terminal() -> tuple[int, int]:
    """Returns both ends of a terminal, where the program shows how far it is; of a pipe, where it does not,
    if there are no terminals (a container without /dev/pts).
    """
    try:
        return pty.openpty()
    except OSError:
        return os.pipe()


def _read_progress(terminal: int, progress: Optional[Progress]) -> str:
    """Shows the bars that a program draws, and returns all else that it says."""
    said = ""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            part = b""
        if not part:
            return re.sub(r"\r\x1b\[2K[^\r\n]*", "", said).replace("\r\n", "\n").strip()
        said += part.decode(errors="replace")
        bars = re.findall(r"\r\x1b\[2K([^\r\n]+)", said)
        if bars and progress is not None:
            progress.show(bars[-1].strip())


def _seconds(candidate: dict[str, Any]) -> float:
    return math.inf if candidate["seconds"] is None else candidate["seconds"]


def _columns(candidates: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    def numbers(values: Iterable[Optional[float]]) -> np.ndarray:
        return np.array([math.nan if value is None else value for value in values], np.float64)

    columns = {key: numbers(each.get(key) for each in candidates) for key in _NUMBERS}
    for model in sorted({model for each in candidates for model in each["predicted"]}):
        columns[f"predicted_{model}"] = numbers(each["predicted"].get(model) for each in candidates)
    for key in _TEXTS:
        columns[key] = np.array([each.get(key) or "" for each in candidates], object)
    return columns


def _us(seconds: float) -> str:
    return "-" if math.isnan(seconds) else f"{1e6 * seconds:.2f} us"
