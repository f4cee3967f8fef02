"""Runs a command of `thallo` that is written in Python: python3 FOLDER bench --help."""

import importlib
import sys

sys.dont_write_bytecode = True  # the folder may belong to someone else

from thallo_tools.command import run

if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    run(lambda its: importlib.import_module(f"thallo_tools.{name}").main(its), arguments)
