"""bundle_adjustment: time to the optimum, two preconditioners

Of BAL files or, if there are none, of one generated scene.
"""

from ..progress import Progress
from ..table import Column, Table
from .columns import make_table
from .solves import BAL_OPTIMA, Solves, find_data, when_within

_OF_RUN = ("preconditioner", "precision", "unknowns", "residuals")


def measure(solves: Solves) -> Table:
    table = make_table(
        "bal",
        "Bundle adjustment in the large",
        seconds_to_1=Column("s to 1 %", ".4f"),
        seconds_to_01=Column("s to 0.1 %", ".4f"),
    )
    files = [name for name in BAL_OPTIMA if find_data(name)]
    scenes = Progress("bal", files or ["generated"])
    failed_blocks = []
    for file in scenes:
        scene = file.removeprefix("bal/").split(".txt")[0]
        words = ["bundle_adjustment", *(["--file", str(find_data(file))] if files else [])]
        precision = "float" if solves.backend == "cuda" else "double"
        runs = []
        for preconditioner in ("block_jacobi", "jacobi"):
            scenes.at(f"{scene}, {preconditioner}")
            choice = ["--set", f"preconditioner={preconditioner}"]
            runs.append(solves.solve(*words, *choice, precision=precision))
        optimum = BAL_OPTIMA.get(file) or min(run["final_cost"] for run in runs)
        for run in runs:
            failed_blocks.append(run["failed_blocks"])
            solve = run["solves"][-1]
            table.add(
                scene=scene,
                **{key: run[key] for key in _OF_RUN},
                **{key: solve[key] for key in ("iterations", "linear_iterations", "final_cost")},
                above_optimum_percent=100 * (solve["final_cost"] / optimum - 1),
                seconds_to_1=when_within(solve, optimum, 0.01)[0],
                seconds_to_01=when_within(solve, optimum, 0.001)[0],
                seconds_to_005=when_within(solve, optimum, 0.0005)[0],
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
