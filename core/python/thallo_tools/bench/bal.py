"""bundle_adjustment: time to the optimum, two preconditioners

Of BAL files or, if there are none, of one generated scene.
"""

from ..optima import above_percent, known_optima, seconds_to
from ..progress import Progress
from ..table import Table
from .columns import make_table
from .solves import BAL_SCENES, Solves, find_data

_OF_RUN = ("preconditioner", "precision", "unknowns", "residuals")


def measure(solves: Solves) -> Table:
    table = make_table("bal", "Bundle adjustment in the large", "scene", "preconditioner")
    files = {name: str(path) for name, its in BAL_SCENES.items() if (path := find_data(its))}
    scenes = Progress("bal", files or ["generated"])
    optima = known_optima()
    failed_blocks = []
    for scene in scenes:
        words = ["bundle_adjustment", *(["--file", files[scene]] if files else [])]
        precision = "float" if solves.backend == "cuda" else "double"
        runs = []
        for preconditioner in ("block_jacobi", "jacobi"):
            scenes.at(f"{scene}, {preconditioner}")
            choice = ["--set", f"preconditioner={preconditioner}"]
            runs.append(solves.solve(*words, *choice, precision=precision))
        optimum = optima.get(scene) or min(run["final_cost"] for run in runs)
        for run in runs:
            failed_blocks.append(run["failed_blocks"])
            solve = run["solves"][-1]
            table.add(
                scene=scene,
                **{key: run[key] for key in _OF_RUN},
                **{key: solve[key] for key in ("iterations", "linear_iterations", "final_cost")},
                above_optimum_percent=above_percent(solve["final_cost"], optimum),
                **seconds_to(run, optimum),
                seconds=solve["seconds"],
            )
    table.notes.append(f"Solver time on {solves.device}, without compiling and copying in.")
    if any(failed_blocks):
        table.notes.append(
            f"{sum(failed_blocks)} preconditioner blocks, in {sum(map(bool, failed_blocks))} of "
            "the solves, were not positive definite and used their diagonal."
        )
    if not files:
        what = "Generated scene (no BAL files in THALLO_DATA_DIR): relative to the better run."
        table.notes.append(what)
    return table
