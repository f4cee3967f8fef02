"""when each linear solver is near the optimum; takes long

Solves problems to convergence with every linear solver and preconditioner.
"""

from typing import Iterator, Optional

from ..command import USER, Fault
from ..progress import Progress
from ..table import Cell, Table
from .columns import make_table
from .solves import BAL_OPTIMA, Cases, Solves, find_data, when_within

_MARGINS = {"1": 0.01, "01": 0.001, "001": 1e-4}
# Factoring JtJ of a larger grid or mesh takes minutes; the optimum is then that of PCG in double.
_MOST_UNKNOWNS_OF_REFERENCE = 150_000
_SECONDS_OF_REFERENCE = 300
_SECONDS_OF_RUN = 20
# Until the cost settles; the counts are only limits.
_SETTLED = (
    "--solver lm --set nIterations=500 --set lIterations=1000 --set q_tolerance=0.01"
    " --set residual_tolerance=1e-6 --set function_tolerance=1e-9"
    " --set max_solver_time_in_seconds={} --set linear_solver={}"
)
# With their preconditioners; one that takes the whole matrix has none.
_LINEAR_SOLVERS = {
    "dense": [""],
    "multifrontal_cholesky": [""],
    "pcg": ["jacobi", "block_jacobi", "multigrid"],
    "schur_cholesky": [""],
    "schur_pcg": ["block_jacobi"],
    "sparse_cholesky": [""],
}
_OF_A_WHOLE_MATRIX = {"dense", "multifrontal_cholesky", "sparse_cholesky"}
_CASES = {
    "poisson 448 x 320": "poisson_image_editing --file @opt_thallo/poisson0.png"
    " --source @opt_thallo/poisson1.png --mask @opt_thallo/poisson_mask.png",
    "poisson 2048": "poisson_image_editing --size 2048",
    "warping 512 x 512": "image_warping --file @opt_thallo/cat512.png --solves 1",
    "warping 2048": "image_warping --size 2048 --solves 1",
    "shading 640 x 480": "shape_from_shading"
    " --file @opt_thallo/shape_from_shading/default.SFSSolverParameters",
    "shading 2048": "shape_from_shading --size 2048",
    "flow, dogdance": "optical_flow --file @opt_thallo/dogdance0.png"
    " --second @opt_thallo/dogdance1.png",
    "flow 2048": "optical_flow --size 2048",
    "arap, 386 vertices": "arap_mesh_deformation --file @opt_thallo/small_armadillo.ply"
    " --subdivisions 1 --solves 1",
    "arap, 65,612 vertices": "arap_mesh_deformation --detail 8 --solves 1",
    "cotangent, head": "cotangent_mesh_smoothing --file @opt_thallo/head.ply",
    "bal, dubrovnik 16": "bundle_adjustment --file @bal/dubrovnik-problem-16-22106-pre.txt.bz2",
    "bal, ladybug 49": "bundle_adjustment --file @bal/ladybug-problem-49-7776-pre.txt.bz2",
    "bal, ladybug 49 of 1800 points": "bundle_adjustment"
    " --file @bal/ladybug-49-7776-pre-shrink-1800.txt.bz2",
    "bal, trafalgar 21": "bundle_adjustment --file @bal/trafalgar-problem-21-11315-pre.txt.bz2",
    "bal, generated, 10 cameras": "bundle_adjustment --cameras 10 --points 300",
    "bal, generated, 100 cameras": "bundle_adjustment --cameras 100 --points 20000",
    "bal, generated, 1778 cameras": "bundle_adjustment --cameras 1778 --points 993923"
    " --track-length 5",
    "pose graph, sphere2500": "pose_graph --file @pose_graphs/sphere2500.g2o.xz",
    "pose graph, parking garage": "pose_graph --file @pose_graphs/parking-garage.g2o.xz",
    "pose graph, 8192 poses": "pose_graph --rounds 128 --poses-a-round 64",
}


def measure(solves: Solves) -> Table:
    table = make_table("accuracy", "Time to the answer")
    cases = Cases(_CASES, solves.only)
    names = Progress("accuracy", cases.found)
    without_factor = 0
    for name in names:
        names.at(f"{name}, the optimum")
        words = cases.found[name]
        unknowns = _count_unknowns(solves, words)
        optimum = _known_optimum(words) or _find_optimum(solves, words, unknowns)
        without_factor += unknowns > _MOST_UNKNOWNS_OF_REFERENCE
        for solver, preconditioner, schedule in _choices(unknowns):
            names.at(f"{name}, {solver} {preconditioner}, {schedule}")
            how = [*_SETTLED.format(_SECONDS_OF_RUN, solver).split(), "--schedule", schedule]
            if preconditioner:
                how.append(f"--set=preconditioner={preconditioner}")
            try:
                solve = solves.solve(*words, *how, precision="float")["solves"][0]
            except Fault as fault:
                if fault.code != USER:
                    raise
                continue  # the solver does not suit the problem
            reached: dict[str, Cell] = {}
            for key, margin in _MARGINS.items():
                seconds, linear = when_within(solve, optimum, margin)
                reached.update({f"seconds_to_{key}": seconds, f"linear_to_{key}": linear})
            table.add(
                case=name,
                unknowns=unknowns,
                linear_solver=solver,
                preconditioner=preconditioner,
                schedule=schedule,
                iterations=solve["iterations"],
                # Rounded to what the column shows, without a negative zero.
                above_optimum_percent=round(100 * (solve["final_cost"] / optimum - 1), 4) + 0.0,
                **reached,
                seconds=solve["seconds"],
            )
    table.notes.append(
        "The first solve of each problem, Levenberg-Marquardt until the cost settles to 1e-9 or "
        f"{_SECONDS_OF_RUN} s have passed, on {solves.device}, without compiling and copying in. "
        "The optimum is that of a direct solve in double on the CPU, or for BAL that of Ceres."
    )
    if without_factor:
        table.notes.append(
            f"{without_factor} cases have more than {_MOST_UNKNOWNS_OF_REFERENCE} unknowns: their "
            "optimum is that of pcg in double."
        )
    table.notes += cases.notes
    return table


def _count_unknowns(solves: Solves, words: list[str]) -> int:
    """One iteration tells it."""
    few = ["--set=nIterations=1", "--set=lIterations=1", "--set=linear_solver=pcg"]
    return solves.solve(*words, *few, precision="double", backend="cpu")["unknowns"]


def _known_optimum(words: list[str]) -> Optional[float]:
    known = {str(find_data(file)): optimum for file, optimum in BAL_OPTIMA.items()}
    return next((known[word] for word in words if word in known), None)


def _find_optimum(solves: Solves, words: list[str], unknowns: int) -> float:
    """In double, and directly where JtJ can be factored."""
    has_factor = unknowns <= _MOST_UNKNOWNS_OF_REFERENCE
    settled = _SETTLED.format(_SECONDS_OF_REFERENCE, "sparse_cholesky" if has_factor else "pcg")
    if not has_factor:
        settled = settled.replace("q_tolerance=0.01", "q_tolerance=1e-6")
    run = solves.solve(*words, *settled.split(), precision="double", backend="cpu")
    return run["solves"][0]["final_cost"]


def _choices(unknowns: int) -> Iterator[tuple[str, str, str]]:
    """Ways to solve the linear systems, and schedules."""
    for solver, preconditioners in _LINEAR_SOLVERS.items():
        if solver in _OF_A_WHOLE_MATRIX and unknowns > _MOST_UNKNOWNS_OF_REFERENCE:
            continue
        for preconditioner in preconditioners:
            yield solver, preconditioner, "auto"
            yield solver, preconditioner, "default"
