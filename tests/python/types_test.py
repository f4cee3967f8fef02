"""The annotations of the package, by mypy.

    types_test.py PACKAGE...
"""

import importlib.util
import os
import subprocess
import sys

if importlib.util.find_spec("mypy") is None:
    print("mypy is not there: skipped")
    sys.exit(77)
check = [sys.executable, "-m", "mypy", "--check-untyped-defs", "--cache-dir", os.devnull]
sys.exit(subprocess.run([*check, *sys.argv[1:]]).returncode)
