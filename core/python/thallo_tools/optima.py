"""How near a solve is to the lowest cost that is known of its case."""

from __future__ import annotations

from typing import Any, Optional

from .command import shipped
from .table import read_csv

# A solve is within 1 %, 0.1 % and 0.01 % from the step on that lowers its cost to at most this much
# above the optimum: in every table.
_MARGINS = {"seconds_to_1": 0.01, "seconds_to_01": 0.001, "seconds_to_001": 1e-4}


def known_optima() -> dict[str, float]:
    """By the name of the case: the costs in docs/data/optima.csv, of long runs in double."""
    return {row["case"]: float(row["cost"]) for row in read_csv(shipped("optima.csv"))}


def seconds_to(run: dict[str, Any], optimum: float) -> dict[str, Optional[float]]:
    """Seconds until a run came that near to the optimum, if it did. Where a run has several solves,
    each in place of the one before, the cost is that of the last one."""
    *before, last = run["solves"]
    earlier = sum(solve["seconds"] for solve in before)

    def reach(margin: float) -> Optional[float]:
        for record in last["records"]:
            if record["accepted"] and record["cost"] <= optimum * (1 + margin):
                return earlier + record["total_seconds"]
        return None

    return {key: reach(margin) for key, margin in _MARGINS.items()}


def above_percent(cost: float, optimum: float) -> float:
    """Rounded to what tables show, without a negative zero."""
    return round(100 * (cost / optimum - 1), 4) + 0.0
