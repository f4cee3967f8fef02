"""digits of curve_fit against NIST's certified values"""

from ..progress import Progress
from ..table import Table
from .columns import make_table
from .solves import Solves, find_data

_WANTED_DIGITS = 4


def measure(solves: Solves) -> Table:
    title = "NIST StRD nonlinear regression: digits of the worst parameter"
    table = make_table("nist", title, "data")
    folder = find_data("nist")
    files = {path.stem: path for path in sorted(folder.glob("*.dat"))} if folder else {}
    right = {1: 0, 2: 0}
    for name in Progress("nist", files):
        fits = {}
        for start in right:
            words = ["curve_fit", "--file", str(files[name]), "--start", str(start)]
            told = solves.solve(*words, precision="double")
            digits = {each["name"]: each["value"] for each in told["metrics"]}["correct digits"]
            right[start] += digits >= _WANTED_DIGITS
            fits[f"digits_{start}"] = digits
            fits[f"iterations_{start}"] = told["solves"][-1]["iterations"]
        sizes = {"parameters": told["unknowns"], "observations": told["residuals"]}
        table.add(data=name, **sizes, **fits)
    table.notes.append(
        f"At least {_WANTED_DIGITS} correct digits in every parameter: {right[1]} of {len(files)} "
        f"from start 1, {right[2]} of {len(files)} from start 2 ({solves.backend})."
        if len(files)
        else "No data: THALLO_DATA_DIR has no folder nist."
    )
    return table
