"""Draws pictures as SVG: marks, axes and legends. Coordinates are in pixels; x points right and y
down. Inks are classes of a style sheet, so one file is readable on light and on dark backgrounds;
they and the glyphs are those of core/explore/plot, which draws the pictures of `thallo report`."""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence
from xml.sax.saxutils import escape

# By name: on light and on dark grounds (Okabe and Ito, safe for color blindness).
INKS = {
    "text": ("#1a1a1a", "#ececec"),
    "muted": ("#666666", "#a8a8a8"),
    "grid": ("#e2e2e2", "#3a3a3e"),
    "ground": ("#ffffff", "#1b1b1e"),
    "blue": ("#0072b2", "#4aa3df"),
    "orange": ("#e69f00", "#f0b429"),
    "green": ("#009e73", "#2fc79a"),
    "vermillion": ("#d55e00", "#ff7f3f"),
    "purple": ("#cc79a7", "#dc95bd"),
    "sky": ("#56b4e9", "#8ccff5"),
}
SERIES_INKS = ("blue", "orange", "green", "vermillion", "purple", "sky")
# Corners of a polygon, its size in that of a circle, and its turn in full circles.
GLYPHS = {
    "circle": (24, 1.0, 0.0),
    "square": (4, 1.25, 0.125),
    "diamond": (4, 1.3, 0.0),
    "triangle_up": (3, 1.3, -0.25),
    "triangle_down": (3, 1.3, 0.25),
    "hexagon": (6, 1.1, 0.0),
}
FONT, SMALL_FONT = 11, 10
LEGEND_LINE, LEGEND_GLYPH = 16, 8

Point = tuple[float, float]


def ink_of(series: int) -> str:
    return SERIES_INKS[series % len(SERIES_INKS)]


def glyph_of(series: int) -> str:
    """The first six things of a diagram differ in ink and glyph, the first 36 in one of them."""
    return list(GLYPHS)[(series + series // len(SERIES_INKS)) % len(GLYPHS)]


def text_width(text: str, size: float) -> float:
    """Overestimates rather than underestimates."""

    def ems(c: str) -> float:
        if c in "iljtf.,:;'|!()[] ":
            return 0.37
        return 0.95 if c in "mwMW%@+=" else 0.72 if "A" <= c <= "Z" else 0.63

    return sum(map(ems, text)) * size


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Svg:
    """`description` is the alternative text for readers who cannot see the picture."""

    def __init__(self, width: float, height: float, description: str) -> None:
        self.width, self.height, self._description = width, height, description
        self._body: list[str] = []

    def line(
        self, points: Sequence[Point], ink: str, width: float = 1, is_dashed: bool = False
    ) -> None:
        dashes = ' stroke-dasharray="4 3"' if is_dashed else ""
        path = "L".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._body.append(
            f'<path class="s-{ink}" fill="none" stroke-width="{_number(width)}" '
            f'stroke-linejoin="round"{dashes} d="M{path}"/>'
        )

    def dots(self, points: Sequence[Point], ink: str, diameter: float, opacity: float) -> None:
        """Where dots overlap, their opacities add up."""
        self._body += [
            f'<g class="s-{ink}" stroke-width="{_number(diameter)}" stroke-linecap="round" '
            f'stroke-opacity="{_number(opacity)}">',
            *[f'<path d="M{_number(x)},{_number(y)}h.01"/>' for x, y in points],
            "</g>",
        ]

    def glyph(self, at: Point, glyph: str, ink: str, size: float) -> None:
        corners, scale, turn = GLYPHS[glyph]
        radius = size / 2 * scale
        angles = [2 * math.pi * (turn + i / corners) for i in range(corners)]
        points = [(at[0] + radius * math.cos(a), at[1] + radius * math.sin(a)) for a in angles]
        path = "L".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._body.append(f'<path class="f-{ink} s-ground" stroke-width="1" d="M{path}Z"/>')

    def text(
        self,
        at: Point,
        text: str,
        size: float = FONT,
        anchor: str = "start",
        ink: str = "text",
        is_bold: bool = False,
        is_upright: bool = False,
        has_halo: bool = False,
    ) -> None:
        x, y = map(_number, at)
        style = ' font-weight="bold"' if is_bold else ""
        style += f' transform="rotate(-90 {x} {y})"' if is_upright else ""
        start = f'<text x="{x}" y="{y}" font-size="{_number(size)}" text-anchor="{anchor}"{style}'
        halo = (
            'class="f-ground s-ground" stroke-width="3" stroke-linejoin="round" aria-hidden="true"'
        )
        for attributes in [halo] * has_halo + [f'class="f-{ink}"']:
            self._body.append(f"{start} {attributes}>{escape(text)}</text>")

    def file(self) -> str:
        def style(column: int) -> str:
            return "".join(
                f".f-{name}{{fill:{colors[column]}}}.s-{name}{{stroke:{colors[column]}}}\n"
                for name, colors in INKS.items()
            )

        size = f'width="{_number(self.width)}" height="{_number(self.height)}"'
        fonts = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
            f'viewBox="0 0 {_number(self.width)} {_number(self.height)}" role="img" '
            f'font-family="{fonts}">\n'
            f"<title>{escape(self._description)}</title>\n"
            f"<style>\n{style(0)}@media (prefers-color-scheme: dark) {{\n{style(1)}}}\n</style>\n"
            f'<rect class="f-ground" {size}/>\n' + "\n".join(self._body) + "\n</svg>\n"
        )


class Scale:
    """Maps numbers to positions along an axis, and places its ticks."""

    def __init__(self, least: float, largest: float, is_logarithmic: bool) -> None:
        self.is_logarithmic = is_logarithmic
        if is_logarithmic:  # with some room at both ends
            room = max(1.03, (largest / least) ** 0.04)
            self.first, self.last = least / room, largest * room
        else:
            room = 0.1 * abs(largest) or 1.0
            is_wide = largest - least > 1e-6 * max(abs(least), abs(largest))
            self.first, self.last = (least, largest) if is_wide else (least - room, largest + room)

    def fraction(self, value: float) -> float:
        """0 at the first value of the axis and 1 at the last one."""
        if self.is_logarithmic:
            return math.log(value / self.first) / math.log(self.last / self.first)
        return (value - self.first) / (self.last - self.first)

    def ticks(self, most: int) -> list[float]:
        """At steps of 1, 2 or 5 times a power of ten; on a logarithmic axis of a decade or more at
        these, or at 1 and 3, or at 1 of each decade, or of every second, and so on."""
        if not self.is_logarithmic or self.last < 10 * self.first:
            step = (self.last - self.first) / most
            decade = 10 ** math.floor(math.log10(step))
            step = next(f * decade for f in (1, 2, 5, 10) if f * decade >= step * (1 - 1e-9))
            first, last = math.ceil(self.first / step - 1e-9), math.floor(self.last / step + 1e-9)
            return [k * step for k in range(first, last + 1)]
        decades = range(math.floor(math.log10(self.first)), math.ceil(math.log10(self.last)) + 1)
        ways = [
            ((1, 2, 5), 1),
            ((1, 3), 1),
            *(((1,), period) for period in range(1, len(decades) + 1)),
        ]
        for factors, period in ways:
            values = [f * 10.0**d for d in decades if d % period == 0 for f in factors]
            values = [value for value in values if self.first <= value <= self.last]
            if len(values) <= most:
                break
        return values


def tick_label(value: float) -> str:
    """As people write a number: 0.02, 500, 2·10⁷."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.6g}"
    exponent = math.floor(math.log10(abs(value)) + 1e-9)
    power = "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    factor = f"{value / 10.0**exponent:.4g}"
    return power if factor == "1" else f"{factor}·{power}"


class Box(NamedTuple):
    left: float
    top: float
    width: float
    height: float


class Panel:
    """The frame of a diagram. `box` is the inner area: ticks and titles need about 38 pixels below
    it and 50 pixels to its left."""

    def __init__(
        self,
        svg: Svg,
        box: Box,
        x: Scale,
        x_title: str,
        y: Scale,
        y_title: str,
        most: int = 6,
        y_ticks: bool = True,
    ) -> None:
        self._box, self._x, self._y = box, x, y
        left, bottom, right = box.left, box.top + box.height, box.left + box.width
        widest = 0.0
        for value in y.ticks(most) if y_ticks else []:
            at, label = self.y(value), tick_label(value)
            svg.line([(left, at), (right, at)], "grid")
            svg.text((left - 5, at + 0.35 * SMALL_FONT), label, SMALL_FONT, "end", "muted")
            widest = max(widest, text_width(label, SMALL_FONT))
        svg.text(
            (left - 12 - widest, box.top + box.height / 2),
            y_title,
            anchor="middle",
            is_upright=True,
        )
        for value in x.ticks(most):
            at = self.x(value)
            svg.line([(at, bottom), (at, bottom + 4)], "muted")
            svg.text((at, bottom + 15), tick_label(value), SMALL_FONT, "middle", "muted")
        svg.line([(left, bottom), (right, bottom)], "muted")
        svg.text((left + box.width / 2, bottom + 31), x_title, anchor="middle")

    def x(self, value: float) -> float:
        return self._box.left + self._box.width * self._x.fraction(value)

    def y(self, value: float) -> float:
        return self._box.top + self._box.height * (1 - self._y.fraction(value))

    def at(self, x: float, y: float) -> Point:
        return self.x(x), self.y(y)


Entry = tuple[str, str, str]  # of a legend: text, ink, glyph


def legend_places(entries: Sequence[Entry], width: float) -> list[tuple[float, int]]:
    """Of each entry, where it begins, and on which line."""
    places, x, line = [], 0.0, 0
    for text, _, _ in entries:
        its = LEGEND_GLYPH + 5 + text_width(text, FONT)
        if x > 0 and x + its > width:
            x, line = 0.0, line + 1
        places.append((x, line))
        x += its + 14
    return places


def draw_legend(svg: Svg, corner: Point, width: float, entries: Sequence[Entry]) -> float:
    """Returns its height."""
    places = legend_places(entries, width)
    for (text, ink, glyph), (x, line) in zip(entries, places):
        left, middle = corner[0] + x, corner[1] + LEGEND_LINE * (line + 0.5)
        svg.glyph((left + LEGEND_GLYPH / 2, middle), glyph, ink, LEGEND_GLYPH)
        svg.text((left + LEGEND_GLYPH + 5, middle + 0.35 * FONT), text)
    return LEGEND_LINE * (places[-1][1] + 1) if places else 0.0
