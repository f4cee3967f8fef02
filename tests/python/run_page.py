"""Runs the blocks of a page one after the other, in an empty folder, and compares what they print.
Leaves out a block that needs a module which is not there (```python needs=torch). Of a script, runs
the whole.

    run_page.py PAGE
"""

import contextlib
import importlib.util
import io
import os
import re
import sys
import tempfile


def main(path):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    if path.endswith(".py"):
        exec(compile(page, path, "exec"), {"__name__": "__main__"})
        return
    blocks = re.findall(r"```(python|output)(?: needs=(\w+))?\n(.*?)```\n", page, re.DOTALL)
    assert any(kind == "output" for kind, *_ in blocks), "the page has no output to compare"
    names, printed = {}, ""
    for kind, needed, text in blocks:
        if needed and importlib.util.find_spec(needed) is None:
            print(f"{needed} is not there: a block is skipped")
            printed = None
        elif kind == "python":
            line = page[: page.index(text)].count("\n")
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile("\n" * line + text, path, "exec"), names)
            printed = out.getvalue()
        elif printed not in (None, text):
            sys.exit(f"{path}: printed\n{printed}instead of\n{text}")
    print(f"{len(blocks)} blocks")


try:
    import numpy  # noqa: F401
except ImportError:
    print("numpy is not there: skipped")
    sys.exit(77)
page = os.path.abspath(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main(page)
    os.chdir("/")
