"""The line that says how far a solve is: in a terminal, in a log, in a notebook."""

import contextlib
import io
import sys
import types
import unittest
from unittest import mock

try:
    import numpy as np
except ImportError:
    print("numpy is not there: skipped")
    sys.exit(77)

import thallo
from thallo._progress import Progress

TEXT = """
local N = Dims("N")
Inputs { X = Unknown(float, {N}), A = Array(float, {N}) }
local n = N()
Residuals { fit = X(n) * X(n) - A(n) }
"""


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Notebook:
    """What Progress uses of IPython, with the texts that it displays."""

    def __init__(self):
        self.texts = []
        shell = types.SimpleNamespace(kernel=object())
        handle = types.SimpleNamespace(update=self._update)

        def display(data, raw, display_id):
            assert raw and display_id
            self._update(data, raw=True)
            return handle

        self.modules = {
            "IPython": types.SimpleNamespace(get_ipython=lambda: shell),
            "IPython.display": types.SimpleNamespace(display=display),
        }

    def _update(self, data, raw):
        assert raw
        self.texts.append(data["text/plain"])


def solve():
    solver = thallo.Solver(TEXT, backend="interpreter", progress=True)
    return solver.solve(X=np.ones(3), A=np.array([4.0, 9.0, 16.0]))


class Shows(unittest.TestCase):
    def test_the_last_iteration_in_a_terminal(self):
        with contextlib.redirect_stderr(Terminal()) as screen:
            summary = solve()
        lines = screen.getvalue().split("\r\x1b[2K")
        self.assertEqual(lines[0], "")
        self.assertTrue(lines[-1].endswith("\n"))
        self.assertIn(f"iteration {len(summary.iterations) - 1:4d}", lines[-1])

    def test_a_fault_ends_the_line(self):
        def fail(iteration):
            raise ZeroDivisionError

        solver = thallo.Solver(TEXT, backend="interpreter", progress=True)
        with contextlib.redirect_stderr(Terminal()) as screen:
            with self.assertRaises(ZeroDivisionError):
                solver.solve(X=np.ones(3), A=np.ones(3), on_iteration=fail)
        self.assertTrue(screen.getvalue().endswith("\n"), screen.getvalue())

    def test_whole_lines_in_a_log(self):
        with contextlib.redirect_stderr(io.StringIO()) as log:
            summary = solve()
        self.assertNotIn("\r", log.getvalue())
        last = log.getvalue().splitlines()[-1]
        self.assertTrue(last.startswith(f"iteration {len(summary.iterations) - 1:4d}"), last)

    def test_one_display_in_a_notebook(self):
        notebook = Notebook()
        with mock.patch.dict(sys.modules, notebook.modules):
            with contextlib.redirect_stderr(Terminal()) as screen:
                summary = solve()
        self.assertEqual(screen.getvalue(), "")
        self.assertIn(f"iteration {len(summary.iterations) - 1:4d}", notebook.texts[-1])

    def test_no_more_than_ten_times_a_second(self):
        with contextlib.redirect_stderr(Terminal()) as screen:
            with mock.patch("time.monotonic", lambda: 5.0):
                progress = Progress()
                for number in range(100):
                    progress.show(str(number))
                progress.close()
        self.assertEqual(screen.getvalue(), "\r\x1b[2K0\r\x1b[2K99\n")


if __name__ == "__main__":
    unittest.main()
