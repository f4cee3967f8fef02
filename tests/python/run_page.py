"""Runs the blocks of docs/python.md one after the other, and compares what they print.

    run_page.py PAGE
"""

import contextlib
import io
import re
import sys


def main(path):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    blocks = re.findall(r"```(python|output)\n(.*?)```\n", page, re.DOTALL)
    assert any(kind == "output" for kind, _ in blocks), "the page has no output to compare"
    names, printed = {}, ""
    for kind, text in blocks:
        if kind == "python":
            line = page[: page.index(text)].count("\n")
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile("\n" * line + text, path, "exec"), names)
            printed = out.getvalue()
        elif printed != text:
            sys.exit(f"{path}: printed\n{printed}instead of\n{text}")
    print(f"{len(blocks)} blocks")


try:
    import numpy  # noqa: F401
except ImportError:
    print("numpy is not there: skipped")
    sys.exit(77)
main(sys.argv[1])
