"""The manual: README, the pages of docs/, the problems and the interfaces as one book (./dev docs).

Sphinx reads the source tree itself, so that links between pages are those that GitHub follows."""

import csv
import re
import sys
import textwrap
from pathlib import Path
from unittest import mock

from pygments.lexers import LuaLexer
from sphinx.highlighting import lexers

ROOT = Path(__file__).resolve().parents[2]

project = "Thallo"
author = "the authors of Thallo"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "docs/manual/index"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**.md", "problems/**.md"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
html_theme = "alabaster"
html_static_path = ["static"]
html_theme_options = {
    "body_max_width": "none",
    "code_font_size": "0.8em",
    "fixed_sidebar": True,
    "page_width": "1240px",
    "sidebar_width": "240px",
}
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_show_copyright = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"

lexers["sched"] = LuaLexer()  # schedules are written in Lua's syntax

# The module is read for its comments alone: nothing has to be built.
sys.path.insert(0, str(ROOT / "core/python"))
sys.modules["thallo._library"] = mock.MagicMock()

# The problem of a case in docs/data/accuracy_h200.csv, by how the case begins.
PROBLEM_OF_CASE = {
    "arap": "arap_mesh_deformation",
    "bal": "bundle_adjustment",
    "cotangent": "cotangent_mesh_smoothing",
    "flow": "optical_flow",
    "poisson": "poisson_image_editing",
    "pose": "pose_graph",
    "shading": "shape_from_shading",
    "warping": "image_warping",
}


def _seconds(text: str) -> str:
    seconds = float(text)
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _times() -> dict[str, list[str]]:
    """What the default command takes on an H200 until 0.1 % above the optimum, by problem."""
    times: dict[str, list[str]] = {}
    with (ROOT / "docs/data/accuracy_h200.csv").open() as file:
        for row in csv.DictReader(file):
            problem = PROBLEM_OF_CASE.get(re.split("[ ,]", row["case"])[0])
            if problem and row["seconds_to_01"]:
                times.setdefault(problem, []).append(
                    f"{row['case'].split(',')[-1].strip()}: {_seconds(row['seconds_to_01'])}"
                )
    return times


def _gallery() -> str:
    """A section for each problem: its picture, its first sentence, its energy and its times."""
    times = _times()
    parts = []
    for page in sorted((ROOT / "problems").glob("*/README.md")):
        name = page.parent.name
        about = page.read_text().split("\n\n")[1].replace("\n", " ")
        about = re.match(r"(.*?[.])(?: |$)", about + ".")[1]
        about = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", about)
        energies = sorted(page.parent.glob("*.lua"))
        part = f"## [{name}](../../problems/{name}/README.md)\n\n{about}\n\n"
        part += f"![{name}](../../problems/{name}/{name}.png)\n"
        for energy in energies:
            part += f"\n:::{{literalinclude}} ../../problems/{name}/{energy.name}\n"
            part += ":language: lua\n:::\n"
        if name in times:
            part += "\nTo 0.1 % above the optimum on an H200, by the default command: "
            part += "; ".join(times[name]) + ".\n"
        parts.append(part)
    return "\n".join(parts)


def _prepare(app, page: str, source: list[str]) -> None:
    if page == "docs/manual/problems":
        source[0] += _gallery()
    # GitHub finds anchors of HTML, MyST its own targets, which are known in the whole book.
    source[0] = re.sub(r'<a id="(\w+)"></a>', r"(reproduction-\1)=\n", source[0])
    beside = "" if page == "docs/reproduction" else r"reproduction\.md"
    source[0] = re.sub(rf"\({beside}#(\w+)\)", r"(reproduction-\1)", source[0])


def _read_comment(app, what, name, thing, options, lines: list[str]) -> None:
    """Comments are Markdown with indented examples, which Sphinx takes for its own markup."""
    paragraphs = []
    for paragraph in "\n".join(lines).strip("\n").split("\n\n"):
        if re.search(r"^ ", paragraph, re.MULTILINE):  # an example or a list
            paragraphs.append("::\n\n" + textwrap.indent(paragraph, "    "))
        else:
            escaped = re.sub(r"([*|_])", r"\\\1", paragraph)
            paragraphs.append(re.sub(r"`([^`]*)`", lambda code: f"``{code[1]}``", escaped))
    lines[:] = "\n\n".join(paragraphs).split("\n") + [""]


def setup(app) -> None:
    app.connect("source-read", _prepare)
    app.connect("autodoc-process-docstring", _read_comment)
