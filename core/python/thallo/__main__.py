"""Runs the program `thallo` that comes with the library: python -m thallo solve image_warping."""

import os
import sys

from . import _library


def main():
    program = str(_library.program())
    # For what of it is written in Python; this one has the package, and numpy.
    os.environ.setdefault("THALLO_PYTHON", sys.executable)
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
