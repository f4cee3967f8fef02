"""when a bare command is near the optimum; takes long

Solves each case several times by the default command: no solver and no precision is named.
"""

from __future__ import annotations

import math
from statistics import median_high
from typing import Any, Optional

from ..command import USER, Fault
from ..optima import above_percent, known_optima, seconds_to
from ..progress import Progress
from ..table import LEAST, MOST, Cell, Column, Row, Table
from .columns import make_table
from .solves import BAL_SCENES, Cases, Solves

# Multiples of the limit of a run: no run of a case begins after this many, and a long run that finds
# an optimum ends.
_LIMIT_OF_CASE, _LIMIT_OF_LONG_RUN = 2, 5
_AS_SOON = 1.1  # times the seconds of another one
# What is named beside the default, of which the linear solver is chosen.
_DEFAULT = "default"
_OPTIONS = ("linear_solver", "preconditioner")
_LINEAR_SOLVERS: list[tuple[str, ...]] = [
    ("dense",),
    ("multifrontal_cholesky",),
    ("pcg", "jacobi"),
    ("pcg", "block_jacobi"),
    ("pcg", "multigrid"),
    ("schur_cholesky",),
    ("schur_multifrontal_cholesky",),
    ("schur_pcg", "block_jacobi"),
    ("schur_sparse_cholesky",),
    ("sparse_cholesky",),
]
# Factoring JtJ of a larger grid or mesh takes minutes.
_OF_A_WHOLE_MATRIX = {"dense", "multifrontal_cholesky", "sparse_cholesky"}
_MOST_UNKNOWNS_TO_FACTOR = 150_000
_TIMES = [f"{key}{end}" for key in ("seconds_to_01", "seconds") for end in ("", LEAST, MOST)]
_COLUMNS = [
    *("case", "named", "unknowns", "linear_solver", "precision", "runs", "iterations"),
    *("linear_iterations", "seconds_to_1", *_TIMES[:3], "seconds_to_001", *_TIMES[3:]),
    *("above_optimum_percent", "optimum", "ending"),
]
# Problems whose optimum is 0 are left out: nothing is near it in percent.
_SCENE = "bundle_adjustment --scene {} --cameras {} --points {}"
_CASES = {
    **{name: f"bundle_adjustment --file @{file}" for name, file in BAL_SCENES.items()},
    "bundler, Balbianello 5": "bundle_adjustment --file @ba_other/gtsam_Balbianello.out.xz",
    "colmap, 23 images": "bundle_adjustment --file @colmap",
    "scene, street 20": _SCENE.format("street", 20, 2000),
    "scene, dome 100": _SCENE.format("dome", 100, 10_000),
    "scene, aerial 400": _SCENE.format("aerial", 400, 40_000),
    "scene, dome 800": _SCENE.format("dome", 800, 80_000),
    "scene, venice 1778": _SCENE.format("venice", 1778, 400_000),
    "scene, street 5000": _SCENE.format("street", 5000, 500_000),
    "walk, 10 cameras": "bundle_adjustment --cameras 10 --points 300",
    "walk, 100 cameras": "bundle_adjustment --cameras 100 --points 20000",
    "walk, 1778 cameras": "bundle_adjustment --cameras 1778 --points 993923 --track-length 5",
    **{
        f"pose graph, {name}": f"pose_graph --file @pose_graphs/{name}.g2o.xz"
        for name in (
            "sphere2500",
            "torus3D",
            "parking-garage",
            "input_M3500_g2o",
            "intel",
            "kitti_00",
            "CSAIL",
        )
    },
    "pose graph, 8192 poses": "pose_graph --rounds 128 --poses-a-round 64",
    "poisson 448 x 320": "poisson_image_editing --file @opt_thallo/poisson0.png"
    " --source @opt_thallo/poisson1.png --mask @opt_thallo/poisson_mask.png",
    "warping, cat": "image_warping --file @opt_thallo/cat512.png --solves 1",
    "shading 640 x 480": "shape_from_shading"
    " --file @opt_thallo/shape_from_shading/default.SFSSolverParameters",
    "flow, dogdance": "optical_flow --file @opt_thallo/dogdance0.png"
    " --second @opt_thallo/dogdance1.png",
    **{
        f"{name} {size}": f"{words} --size {size}"
        for name, words in {
            "poisson": "poisson_image_editing",
            "warping": "image_warping --solves 1",
            "shading": "shape_from_shading",
            "flow": "optical_flow",
        }.items()
        for size in (512, 2048)
    },
    "arap, armadillo": "arap_mesh_deformation --file @opt_thallo/small_armadillo.ply"
    " --subdivisions 1 --solves 1",
    "arap, 812 vertices": "arap_mesh_deformation --detail 4 --solves 1",
    "arap, 65,612 vertices": "arap_mesh_deformation --detail 8 --solves 1",
    "arap, 196,832 vertices": "arap_mesh_deformation --detail 9 --solves 1",
    "cotangent, head": "cotangent_mesh_smoothing --file @opt_thallo/head.ply",
    "cotangent, 800 vertices": "cotangent_mesh_smoothing --around 40",
    "cotangent, 65,522 vertices": "cotangent_mesh_smoothing --around 362",
    "cotangent, 250,632 vertices": "cotangent_mesh_smoothing --around 708",
}


def measure(solves: Solves) -> Table:
    table = make_table(
        "accuracy",
        "Time to the answer",
        "case",
        "named",
        iterations=Column("steps"),
        optimum=Column("optimum", ".8e"),
        ending=Column(""),
    )
    cases, optima = Cases(_CASES, solves.only), known_optima()
    found: list[str] = []
    names = Progress("accuracy", cases.found)
    for name in names:
        words = cases.found[name]
        try:
            runs = _run(solves, words)
        except Fault as fault:
            table.add(**_row(name, _DEFAULT, ending=str(fault)))
            continue
        if name not in optima:
            names.at(f"{name}, the optimum")
            optima[name], how = _find_optimum(solves, words, runs)
            found.append(f"{name} {optima[name]!r} ({how})")
        table.add(**_figures(name, _DEFAULT, runs, optima[name]))
        for named in _named_solvers(runs[0]["unknowns"]) if solves.has_every_solver else []:
            title = ", ".join(named)
            names.at(f"{name}, {title}")
            flags = [f"--set={option}={its}" for option, its in zip(_OPTIONS, named)]
            try:
                table.add(**_figures(name, title, _run(solves, words, *flags), optima[name]))
            except Fault as fault:
                if fault.code != USER:  # else the solver does not suit the problem
                    table.add(**_row(name, title, ending=str(fault)))
        if solves.csv:  # so that it is there if the command is ended
            table.write_csv(solves.csv)
    table.notes.append(
        f"The default command on {solves.device}, without compiling and copying in. Times are "
        f"medians of {solves.num_runs} runs, with the least and the most; the cost above the "
        f"optimum is that of the worst run. A run ends after {solves.limit} s, and none begins "
        f"after {_LIMIT_OF_CASE * solves.limit} s of a case."
    )
    if solves.has_every_solver:
        table.notes.append(_compare_choices(table.rows))
    if found:
        table.notes.append(
            "Optima that docs/data/optima.csv lacks are the least costs of these runs and of one in "
            f"double of at most {_LIMIT_OF_LONG_RUN * solves.limit} s: {'; '.join(found)}."
        )
    below = [f"{row['case']} by {row['named']}" for row in table.rows if _is_below(row)]
    if below:
        table.notes.append(f"Below the optimum that was known: {'; '.join(below)}.")
    table.notes += cases.notes
    return table


def _named_solvers(unknowns: int) -> list[tuple[str, ...]]:
    factors = unknowns <= _MOST_UNKNOWNS_TO_FACTOR
    return [how for how in _LINEAR_SOLVERS if factors or how[0] not in _OF_A_WHOLE_MATRIX]


def _run(solves: Solves, words: list[str], *how: str) -> list[dict[str, Any]]:
    limit = f"--set=max_solver_time_in_seconds={solves.limit}"
    runs: list[dict[str, Any]] = []
    while len(runs) < solves.num_runs and sum(map(_seconds, runs)) < _LIMIT_OF_CASE * solves.limit:
        runs.append(solves.solve(*words, *how, limit, precision=""))
    return runs


def _seconds(run: dict[str, Any]) -> float:
    return sum(solve["seconds"] for solve in run["solves"])


def _find_optimum(
    solves: Solves, words: list[str], runs: list[dict[str, Any]]
) -> tuple[float, str]:
    """The least cost of the runs and of a long one of Levenberg-Marquardt in double, and what ended
    that.
    """
    how = "--solver lm --set nIterations=5000 --set function_tolerance=1e-13"
    if runs[0]["solver"] != "lm":  # then its linear iterations are counted, too
        how += " --set lIterations=2000 --set linear_solver=auto"
    how += f" --set max_solver_time_in_seconds={_LIMIT_OF_LONG_RUN * solves.limit}"
    costs = [run["final_cost"] for run in runs]
    try:
        long = solves.solve(*words, *how.split(), precision="double")
    except Fault as fault:
        return min(costs), str(fault)
    return min(long["final_cost"], *costs), f"{long['linear_solver']}, {long['termination']}"


def _row(case: str, named: str, **cells: Cell) -> Row:
    """With every column; those that are not given have no value."""
    return {**dict.fromkeys(_COLUMNS), "case": case, "named": named, **cells}


def _figures(case: str, named: str, runs: list[dict[str, Any]], optimum: float) -> Row:
    first = runs[0]
    solver, termination = first["linear_solver"], first["termination"]
    times = [seconds_to(run, optimum) for run in runs]
    counts = ("iterations", "linear_iterations")
    spreads: dict[str, list[Optional[float]]] = {"seconds": [_seconds(run) for run in runs]}
    spreads |= {key: [each[key] for each in times] for key in times[0]}
    cells = {key: value for its in spreads for key, value in _spread(its, spreads[its]).items()}
    return _row(
        case,
        named,
        linear_solver=f"{solver}, {first['preconditioner']}" if "pcg" in solver else solver,
        runs=len(runs),
        **{key: first[key] for key in ("unknowns", "precision")},
        **{key: median_high(run[key] for run in runs) for key in counts},
        **{key: value for key, value in cells.items() if key in _COLUMNS},
        above_optimum_percent=max(above_percent(run["final_cost"], optimum) for run in runs),
        optimum=optimum,
        ending="" if first["ending"] == "converged" else f"{first['ending']}, {termination}",
    )


def _spread(key: str, seconds: list[Optional[float]]) -> dict[str, Cell]:
    """The median, and the least and the most; None is never."""
    ordered = sorted(math.inf if each is None else each for each in seconds)
    return {key: median_high(ordered), key + LEAST: ordered[0], key + MOST: ordered[-1]}


def _is_below(row: Row) -> bool:
    above = row["above_optimum_percent"]
    return isinstance(above, float) and above < 0


def _compare_choices(rows: list[Row]) -> str:
    """How soon the chosen linear solvers are within 0.1 %, beside the soonest of those named."""
    soonest: dict[Cell, tuple[float, str]] = {}
    chosen: dict[Cell, float] = {}
    for row in rows:
        seconds, case, named = row["seconds_to_01"], row["case"], str(row["named"])
        at = float(seconds) if isinstance(seconds, (int, float)) else math.inf
        if named == _DEFAULT:
            chosen[case] = at
        else:
            soonest[case] = min((at, named), soonest.get(case, (math.inf, "")))
    factors = {case: chosen[case] / at for case, (at, _) in soonest.items() if at < math.inf}
    if not factors:
        return "No linear solver that was named came within 0.1 % of an optimum."
    worst = max(factors, key=lambda case: factors[case])
    num_best = sum(factor <= _AS_SOON for factor in factors.values())
    return (
        f"The chosen linear solver was as soon within 0.1 % as the soonest that was named, or took "
        f"at most {_AS_SOON} times as long, in {num_best} of {len(factors)} cases. At most it took "
        f"{factors[worst]:.2f} times as long ({worst}, where {soonest[worst][1]} is the soonest)."
    )
