"""Draws a reproduction: curves or points where its method makes them, else a row for each case with
what is published and ours on one axis.
"""

from __future__ import annotations

from typing import Optional

from .making import Made, MadeCase, value_of
from .methods import METHODS
from .output import makers_text
from .svg import FONT, SMALL_FONT, Box, Panel, Scale, Svg, draw_legend, glyph_of, ink_of, text_width

WIDTH, MARGIN, TITLE = 760, 24, 82
INNER = WIDTH - 2 * MARGIN

Mark = tuple[float, int, bool]  # value, number of the quantity, whether it is ours


def picture_of(made: Made) -> Optional[str]:
    """An SVG file; nothing if nothing was measured yet."""
    with_curves = [one for one in made.cases if one.measured and one.measured.curve]
    if with_curves:
        is_scatter = METHODS[made.item.method].is_scatter
        return (_scatter if is_scatter else _curves)(made, with_curves)
    rows = _rows_of(made)
    return _rows(made, rows) if rows else None


def _begin(made: Made, height: float) -> Svg:
    """A picture with its title, which takes the whole width."""
    item = made.item
    svg = Svg(WIDTH, TITLE + height, f"{item.number}: {item.title}")
    ours = f"Ours: {makers_text(made)}{', tiny inputs' if made.is_tiny else ''}"

    def fitting(text: str, size: float) -> float:
        return min(size, size * INNER / text_width(text, size))

    svg.text((MARGIN, 24), item.number, 14, is_bold=True)
    svg.text((MARGIN, 43), item.title, fitting(item.title, 12))
    svg.text((MARGIN, 61), ours, fitting(ours, FONT), ink="muted")
    return svg


def _rows_of(made: Made) -> list[tuple[str, list[Mark]]]:
    """Of quantities, the quotients if there are any: they can be compared where times cannot. Of
    these the ones of which both sides are known; if few cases have such, all that are known."""
    has_ratio = any(quantity.ratio for quantity in made.item.quantities)
    both, any_side = [], []
    for one in made.cases:
        paired: list[Mark] = []
        known: list[Mark] = []
        for number, quantity in enumerate(made.item.quantities):
            if has_ratio and not quantity.ratio:
                continue
            sides = [(value_of(quantity, one.side(is_ours)), is_ours) for is_ours in (False, True)]
            marks = [(value[0], number, is_ours) for value, is_ours in sides if value]
            known += marks
            paired += marks if len(marks) == 2 else []
        both += [(one.case.name, paired)] if paired else []
        any_side += [(one.case.name, known)] if known else []
    return any_side if 2 * len(both) < len(any_side) else both


def _rows(made: Made, rows: list[tuple[str, list[Mark]]]) -> str:
    quantities = made.item.quantities
    # Percents above the best as multiples of the best, for which there is a logarithmic axis.
    is_percent = all("%" in quantities[number].title for _, marks in rows for _, number, _ in marks)
    if is_percent:
        rows = [(name, [(1 + v / 100, n, ours) for v, n, ours in marks]) for name, marks in rows]
    values = [mark[0] for _, marks in rows for mark in marks]
    least, largest = min(values), max(values)
    scale = Scale(least, largest, True) if least > 0 else Scale(min(least, 0), largest, False)
    # A line of its own for each quantity of a row, so that no dot hides another's.
    drawn = sorted({mark[1] for _, marks in rows for mark in marks})
    ours = sorted({mark[1] for _, marks in rows for mark in marks if mark[2]})
    legend = [("published", "muted", "square")]
    legend += [(f"ours: {quantities[number].title}", ink_of(number), "circle") for number in ours]
    row_height = max(22, 14 * len(drawn) + 6)
    height = row_height * len(rows)
    legend_height = draw_legend(Svg(WIDTH, 0, ""), (0, 0), INNER, legend)
    svg = _begin(made, legend_height + 8 + height + 48)
    draw_legend(svg, (MARGIN, TITLE), INNER, legend)
    left = MARGIN + 12 + max(text_width(name, FONT) for name, _ in rows)
    box = Box(left, TITLE + legend_height + 8, WIDTH - MARGIN - left, height)
    x_title = "times the best" if is_percent else "published and ours"
    panel = Panel(svg, box, scale, x_title, Scale(0, len(rows), False), "", y_ticks=False)
    for r, (name, marks) in enumerate(rows):
        top = box.top + row_height * r
        svg.text((left - 8, top + row_height / 2 + 4), name, anchor="end")
        if r > 0:
            svg.line([(left, top), (left + box.width, top)], "grid")
        for value, number, is_ours in marks:
            share = (drawn.index(number) + 1) / (len(drawn) + 1)
            ink, glyph, size = (ink_of(number), "circle", 7) if is_ours else ("muted", "square", 11)
            svg.glyph((panel.x(value), top + row_height * share), glyph, ink, size)
    return svg.file()


def _curves(made: Made, cases: list[MadeCase]) -> str:
    x_title, y_title = METHODS[made.item.method].axes
    curves = [one.measured.curve for one in cases if one.measured]
    # Where the schedule auto stands in a distribution is drawn as a line across it.
    autos = [one.measured.values.get("auto") for one in cases if one.measured]
    xs = [x for curve in curves for x, _ in curve]
    ys = [y for curve in curves for _, y in curve] + [at for at in autos if at is not None]
    legend = [(one.case.name, ink_of(i), glyph_of(i)) for i, one in enumerate(cases)]
    legend_height = draw_legend(Svg(WIDTH, 0, ""), (0, 0), INNER, legend)
    height = 320
    svg = _begin(made, legend_height + 8 + height + 48)
    draw_legend(svg, (MARGIN, TITLE), INNER, legend)
    is_share = x_title.startswith("share")
    x = Scale(0, 1, False) if is_share else Scale(min(xs), max(xs), True)
    box = Box(MARGIN + 50, TITLE + legend_height + 8, INNER - 50, height)
    panel = Panel(svg, box, x, x_title, Scale(min(ys), max(ys), True), y_title)
    for i, (one, curve, auto) in enumerate(zip(cases, curves, autos)):
        points = [panel.at(*point) for point in curve]
        svg.line(points, ink_of(i), 1.5)
        if auto is not None:
            svg.line([panel.at(0, auto), panel.at(1, auto)], ink_of(i), 1, is_dashed=True)
            at = (panel.x(0) + 6, panel.y(auto) - 4)
            svg.text(at, f"{one.case.name}: auto", SMALL_FONT, has_halo=True)
        for point in points[:: len(points) // 60 + 1]:  # so that glyphs stay apart
            svg.glyph(point, glyph_of(i), ink_of(i), 6)
    return svg.file()


def _scatter(made: Made, cases: list[MadeCase]) -> str:
    """A panel for each case, whose axes have the same range; on its diagonal predictions are
    right."""
    x_title, y_title = METHODS[made.item.method].axes
    in_row, size, left, above, below = 3, 160, 62, 24, 44
    svg = _begin(made, (above + size + below) * -(-len(cases) // in_row))
    for i, one in enumerate(cases):
        assert one.measured
        row, column = divmod(i, in_row)
        corner = (
            MARGIN + left + column * (size + left + 10),
            TITLE + above + row * (above + size + below),
        )
        numbers = [value for point in one.measured.curve for value in point]
        least, largest = min(numbers), max(numbers)
        svg.text((corner[0], corner[1] - 8), one.case.name, is_bold=True)
        scale = Scale(least, largest, True)
        panel = Panel(
            svg, Box(*corner, size, size), scale, x_title, scale, y_title if column == 0 else "", 4
        )
        svg.line([panel.at(least, least), panel.at(largest, largest)], "muted", 1, is_dashed=True)
        dots = one.measured.curve[:: len(one.measured.curve) // 600 + 1]
        svg.dots([panel.at(*point) for point in dots], "blue", 4, 0.4)
        notes = [
            (title, one.measured.values.get(key)) for key, title in (("r2", "R²"), ("rho", "ρ"))
        ]
        lines = [f"{title} {value:.2f}" for title, value in notes if value is not None]
        for number, line in enumerate(lines):
            at = (corner[0] + 6, corner[1] + 4 + FONT * (1 + 1.3 * number))
            svg.text(at, line, has_halo=True)
    return svg.file()
