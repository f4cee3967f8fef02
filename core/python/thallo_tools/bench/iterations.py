"""what an iteration costs: time, launches, GB/s

The bandwidth is that of the bytes that must be moved.
"""

import pathlib
import tempfile

from ..progress import Progress
from ..table import Column, Table
from .columns import make_table
from .solves import Solves, linear_iteration_cost

# The smallest problem that shows the overhead of a linear iteration: a chain of springs with one
# residual group and hardly any arithmetic. Its time consists of launches and latency.
_CHAIN = """\
local N = Dims("N")
Inputs { u = Unknown(float, {N}), f = Array(float, {N}) }
local i = N()
Residuals { springs = Vector(0.01 * (u(i) - f(i)), u(i) - u(i + 1)) }
"""
# Enough linear iterations for a mean; no test ends them early.
_FIXED_COUNTS = ["--set=nIterations=5", "--set=lIterations=200"] + [
    f"--set={test}_tolerance=0" for test in ("q", "residual", "function", "gradient", "parameter")
]
# Without damping, and with the diagonal as preconditioner. Of pictures all pixels are unknowns,
# because pixels that a mask skips would be counted as moved.
_PLAIN = "--set solver=gn --set preconditioner=jacobi"
_WARPING = f"image_warping {_PLAIN} --solves 1 --whole --size"
_SCENE = "bundle_adjustment --cameras {} --points {} --track-length {}"
_CASES = {
    "bundle_adjustment, 8 cameras": _SCENE.format(8, 200, 4.5),
    "bundle_adjustment, 49 cameras": _SCENE.format(49, 7776, 4.1),
    "image_warping, 128 x 128": f"{_WARPING} 128",
    "image_warping, 512 x 512": f"{_WARPING} 512",
}
_CASES_FOR_GPUS = {
    "image_warping, 2048 x 2048": f"{_WARPING} 2048",
    "bundle_adjustment, 1778 cameras": _SCENE.format(1778, 993923, 5.0),
}


def measure(solves: Solves) -> Table:
    table = make_table(
        "iterations",
        "What an iteration costs",
        "case",
        linear_iterations=Column("linear iterations"),
    )
    with tempfile.TemporaryDirectory() as folder:
        chain = pathlib.Path(folder, "chain.lua")
        chain.write_text(_CHAIN)
        of_chain = f"{chain} --bind N=1000 --bind f=random {_PLAIN}"
        cases = {"chain, one residual group": of_chain, **_CASES}
        if solves.backend == "cuda":
            cases.update(_CASES_FOR_GPUS)
        for name in Progress("iterations", cases):
            words = [*cases[name].split(), *_FIXED_COUNTS]
            run = solves.solve(*words, precision="float")
            cost = linear_iteration_cost(solves.explain(*words, precision="float"))
            linear = run["seconds"]["linear"] / run["linear_iterations"]
            keys = ("precision", "unknowns", "residuals", "linear_iterations")
            table.add(
                case=name,
                **{key: run[key] for key in keys},
                ms_per_iteration=1e3 * run["seconds"]["solve"] / run["iterations"],
                us_per_linear_iteration=1e6 * linear,
                **cost,
                gb_per_s=1e-3 * cost["must_move_mb"] / linear,
            )
    table.notes.append(
        f"On {solves.device}. Time of the linear solves (damping and all) over their iterations; "
        "GB/s are the bytes that one linear iteration must move, if every cache were perfect, over "
        "that time."
    )
    return table
