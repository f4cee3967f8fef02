"""Tables of `thallo bench`: what is beside an earlier run, and rows of cases that fail."""

import contextlib
import io
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest
from unittest import mock

from thallo_tools import bench
from thallo_tools.bench import accuracy
from thallo_tools.bench.columns import make_table
from thallo_tools.command import Fault
from thallo_tools.optima import known_optima, seconds_to
from thallo_tools.table import read_csv


def table_of(**seconds):
    """Of cases with three measurements each, of which the first is the median."""
    table = make_table("some", "Some", "case")
    for case, (middle, least, most) in seconds.items():
        table.add(
            case=case,
            seconds_to_01=middle,
            seconds_to_01_least=least,
            seconds_to_01_most=most,
            above_optimum_percent=0.0 if middle else None,
        )
    return table


def compared(table, earlier):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "earlier.csv")
        earlier.write_csv(file)
        table.compare("earlier.csv", read_csv(file))
    return table


class TableTest(unittest.TestCase):
    def test_says_what_was_and_what_got_worse(self):
        before = table_of(a=(1, 0.9, 1.1), b=(1, 0.9, 1.1), c=(1, 1, 1), d=(1, 1, 1), e=(1, 1, 1))
        now = table_of(
            a=(1.05, 1, 2), b=(1.2, 0.9, 3), c=(1.2, 1.15, 2), d=(None, 1, None), f=(9, 9, 9)
        )
        table = compared(now, before)
        text = table.markdown()
        for cell in (
            "| 1.05000 (1.00000–2.00000; was 1.00000) |",
            "| 1.20000 (0.90000–3.00000; was 1.00000) |",  # the least is as before: a busy machine
            "| 1.20000 (1.15000–2.00000; was 1.00000, WORSE) |",
            "| - (was 1.00000, WORSE) |",  # no longer reached
            "| 9.00000 (9.00000–9.00000) |",
        ):
            self.assertIn(cell, re.sub(" +", " ", text))
        self.assertEqual(table.worse, ["c (s to 0.1 %)", "d (s to 0.1 % and above optimum, %)"])
        self.assertEqual(
            table.notes[0], "What was before is from earlier.csv; 1 rows are not in it."
        )
        self.assertEqual(table.json()["worse"], table.worse)

    def test_a_table_against_itself_is_not_worse(self):
        table = compared(table_of(a=(1, 1, 1)), table_of(a=(1, 1, 1)))
        self.assertEqual(table.worse, [])
        self.assertEqual(table.notes[1], "Nothing got worse.")
        self.assertNotIn("was 1", table.markdown())

    def test_another_table_is_refused(self):
        other = make_table("other", "Other", "problem")
        other.add(problem="x", nodes=1)
        with self.assertRaisesRegex(Fault, "earlier.csv is no table 'some': it lacks case"):
            compared(table_of(a=(1, 1, 1)), other)


def record(cost, seconds):
    return {"cost": cost, "accepted": True, "total_seconds": seconds}


class OptimaTest(unittest.TestCase):
    def test_are_of_cases_that_there_are(self):
        self.assertLessEqual(set(known_optima()), set(accuracy._CASES))

    def test_seconds_count_the_solves_before(self):
        first = {"seconds": 10, "records": [record(1, 0), record(0.5, 10)]}
        last = {"seconds": 4, "records": [record(102, 1), record(100.9, 2), record(100.005, 3)]}
        self.assertEqual(
            seconds_to({"solves": [first, last]}, 100),
            {"seconds_to_1": 12, "seconds_to_01": 13, "seconds_to_001": 13},
        )
        late = seconds_to({"solves": [last]}, 99.95)
        self.assertEqual(late, {"seconds_to_1": 2, "seconds_to_01": 3, "seconds_to_001": None})


def run_of(cost, seconds=1.0, solver="schur_cholesky"):
    """What `thallo solve` says."""
    solve = {"seconds": seconds, "records": [record(200, 0), record(cost, seconds)]}
    counts = {"iterations": 1, "linear_iterations": 1, "unknowns": 99}
    how = {"linear_solver": solver, "preconditioner": "jacobi", "precision": "double"}
    ending = {"solver": "lm", "ending": "converged", "termination": "FunctionTolerance"}
    return {"solves": [solve], "final_cost": cost, "device": "d", **counts, **how, **ending}


def judged(answer, *flags):
    """The table of one case, whose commands are answered by a function of their words."""
    case = {"small": "small --file it"}
    program = mock.patch("thallo_tools.bench.solves.thallo", lambda *words: answer(words))
    with mock.patch.object(accuracy, "_CASES", case), program:
        with contextlib.redirect_stdout(io.StringIO()) as told:
            code = bench.main(["accuracy", "--backend", "cpu", "--json", *flags])
    return json.loads(told.getvalue())["accuracy"], code


class AccuracyTest(unittest.TestCase):
    def test_names_nothing_and_takes_the_worst_of_several(self):
        costs = iter([100, 101, 100.5, 100])  # the last one is the long run's
        commands = []

        def answer(words):
            commands.append(words)
            return run_of(next(costs))

        table, code = judged(answer, "--runs", "3")
        (row,) = table["rows"]
        self.assertEqual((row["runs"], row["above_optimum_percent"], code), (3, 1.0, 0))
        self.assertEqual((row["seconds_to_1"], row["seconds_to_01"]), (1, None))
        self.assertEqual(row["seconds_to_01_least"], 1)
        for words in commands[:3]:
            self.assertFalse({"--solver", "--double", "--float"} & set(words))
            self.assertNotIn("linear_solver", " ".join(words))
        self.assertIn("--double", commands[3])

    def test_a_case_that_fails_is_a_row_that_says_why(self):
        def answer(words):
            raise Fault("the device is gone", 3)

        table, code = judged(answer)
        (row,) = table["rows"]
        self.assertEqual((row["ending"], row["seconds"], code), ("the device is gone", None, 0))

    def test_without_a_long_run_the_least_cost_counts(self):
        costs = iter([100.5, 100])

        def answer(words):
            if "--double" in words:
                raise Fault("out of memory", 3)
            return run_of(next(costs))

        table, _ = judged(answer, "--runs", "2")
        self.assertEqual(table["rows"][0]["above_optimum_percent"], 0.5)
        self.assertIn("of at most 300 s: small 100 (out of memory).", table["notes"][1])

    def test_compares_the_choice_with_each_solver(self):
        def answer(words):
            named = [word.split("=")[-1] for word in words if "linear_solver=" in word]
            if named == ["dense"]:
                raise Fault("too many unknowns")  # it does not suit
            return run_of(100, 1 if named == ["schur_pcg"] else 3, *named)

        table, _ = judged(answer, "--every-solver", "--runs", "1")
        named = [row["named"] for row in table["rows"]]
        self.assertEqual(named[:2], ["default", "multifrontal_cholesky"])
        self.assertIn(
            "in 0 of 1 cases. At most it took 3.00 times as long (small, where schur_pcg, "
            "block_jacobi is the soonest).",
            table["notes"][1],
        )

    def test_against_ends_with_1_where_something_got_worse(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "before.csv")
            for seconds, flag, wanted in (
                (1, "--csv", 0),
                (1, "--against", 0),
                (2, "--against", 1),
            ):
                _, code = judged(lambda _, its=seconds: run_of(100, its), flag, file)
                self.assertEqual(code, wanted)

    def test_a_run_below_the_known_optimum_is_said(self):
        with mock.patch.object(accuracy, "known_optima", lambda: {"small": 100}):
            table, _ = judged(lambda _: run_of(99), "--runs", "1")
        self.assertIn("Below the optimum that was known: small by default.", table["notes"])


class OutputTest(unittest.TestCase):
    def test_a_csv_is_of_one_table_that_can_be_written(self):
        for flags, fault in (
            (["--csv", "x.csv"], "--csv and --against are of one table"),
            (["nist", "--csv", "/no/where/x.csv"], "there is no folder /no/where"),
            (["nist", "--against", "/proc/self/exe"], "/proc/self/exe: it is no table in CSV"),
        ):
            with self.assertRaisesRegex(Fault, fault):
                bench.main(flags)


if __name__ == "__main__":
    sys.exit(unittest.main())
