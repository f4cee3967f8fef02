"""Pictures of a reproduction: curves or points where its method makes them, else a row for each
case with what is published and ours on one axis. A worker draws them
(core/explore/plot/case_picture.h).
"""

from __future__ import annotations

from typing import Any, Optional

from ..worker import Worker
from .making import Made, value_of
from .methods import METHODS
from .output import makers_text


def picture_of(made: Made) -> Optional[str]:
    """An SVG file; nothing if nothing was measured yet."""
    method = METHODS[made.item.method]
    cases = _curves(made)
    has_curves = bool(cases)
    cases = cases or _rows(made)
    if not cases:
        return None
    x_title, y_title = method.axes if has_curves else ("published and ours", "")
    titles = [quantity.title for quantity in made.item.quantities]
    marked = {mark["quantity"] for case in cases for mark in case["marks"]}
    if marked and all("%" in titles[number] for number in marked):
        # Percents above the best as multiples of the best, for which there is a logarithmic axis.
        x_title = "times the best"
        for mark in (mark for case in cases for mark in case["marks"]):
            mark["value"] = 1 + mark["value"] / 100
    picture = {
        "number": made.item.number,
        "title": made.item.title,
        "ours": f"Ours: {makers_text(made)}{', tiny inputs' if made.is_tiny else ''}",
        "x_title": x_title,
        "y_title": y_title,
        "quantities": titles,
        "cases": cases,
        "is_share": x_title.startswith("share"),
        "is_scatter": has_curves and method.is_scatter,
    }
    with Worker() as worker:
        return worker.ask("draw", picture=picture)["svg"]


def _case(name: str, **known: Any) -> dict[str, Any]:
    return {"name": name, "marks": [], "curve": [], "level": None, "notes": [], **known}


def _curves(made: Made) -> list[dict[str, Any]]:
    cases = []
    for one in made.cases:
        if not one.measured or not one.measured.curve:
            continue
        values = one.measured.values
        known = [(title, values.get(key)) for key, title in (("r2", "R²"), ("rho", "ρ"))]
        notes = [f"{title} {value:.2f}" for title, value in known if value is not None]
        # Where the schedule auto stands in a distribution is a line across it.
        cases.append(
            _case(one.case.name, curve=one.measured.curve, level=values.get("auto"), notes=notes)
        )
    return cases


def _rows(made: Made) -> list[dict[str, Any]]:
    """Of quantities, the quotients if there are any: they can be compared where times cannot. Of
    these the ones of which both sides are known; if few cases have such, all that are known."""
    has_ratio = any(quantity.ratio for quantity in made.item.quantities)
    both, any_side = [], []
    for one in made.cases:
        paired: list[dict[str, Any]] = []
        known: list[dict[str, Any]] = []
        for number, quantity in enumerate(made.item.quantities):
            if has_ratio and not quantity.ratio:
                continue
            sides = [(value_of(quantity, one.side(is_ours)), is_ours) for is_ours in (False, True)]
            marks = [
                {"value": value[0], "quantity": number, "is_ours": is_ours}
                for value, is_ours in sides
                if value
            ]
            known += marks
            paired += marks if len(marks) == 2 else []
        both += [_case(one.case.name, marks=paired)] if paired else []
        any_side += [_case(one.case.name, marks=known)] if known else []
    return any_side if 2 * len(both) < len(any_side) else both
