"""digits of curve_fit against NIST's certified values"""

from ..progress import Progress
from ..table import Table
from .columns import COLUMNS
from .solves import Solves, find_data

_WANTED_DIGITS = 4


def measure(solves: Solves) -> Table:
    title = "NIST StRD nonlinear regression: digits of the worst parameter"
    table = Table("nist", title, COLUMNS)
    folder = find_data("nist")
    files = Progress("nist", sorted(folder.glob("*.dat")) if folder else [])
    right = {1: 0, 2: 0}
    for file in files:
        files.at(file.stem)
        fits = {}
        for start in right:
            words = ["curve_fit", "--file", str(file), "--start", str(start)]
            told = solves.solve(*words, precision="double")
            digits = {each["name"]: each["value"] for each in told["metrics"]}["correct digits"]
            right[start] += digits >= _WANTED_DIGITS
            fits[f"digits_{start}"] = digits
            fits[f"iterations_{start}"] = told["solves"][-1]["iterations"]
        sizes = {"parameters": told["unknowns"], "observations": told["residuals"]}
        table.add(data=file.stem, **sizes, **fits)
    num_files = len(table.rows)
    table.notes.append(
        f"At least {_WANTED_DIGITS} correct digits in every parameter: {right[1]} of {num_files} "
        f"from start 1, {right[2]} of {num_files} from start 2 ({solves.backend})."
        if num_files
        else "No data: THALLO_DATA_DIR has no folder nist."
    )
    return table
