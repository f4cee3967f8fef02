"""What `thallo reproduce` is made of: the files of papers, what is kept of cases, and values that
are computed of others."""

import os
import pathlib
import tempfile
import unittest

from thallo_tools.command import Fault, Interrupted
from thallo_tools.reproduce import _exit_code
from thallo_tools.reproduce.kept import KeptCases, MadeBy, Measured, Parts, TimeBudget
from thallo_tools.reproduce.making import _mean_of, value_of
from thallo_tools.reproduce.methods import METHODS
from thallo_tools.reproduce.paper import Quantity, read_paper

PAPERS = pathlib.Path(__file__).parents[2] / "assets" / "papers"
HERE, THERE = MadeBy("a card", "1"), MadeBy("another", "1")
ITEM = """\
title = "Some"
[[item]]
number = "Table 1"
method = "iteration_time"
quantities = [{key = "opt", title = "Opt"}, {key = "gain", ratio = ["opt", "auto"]}]
"""


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "file")


class PaperFiles(InFolder):
    def read(self, text):
        self.path.write_text(text)
        return read_paper(self.path, list(METHODS))

    def test_have_items_with_quantities_and_cases(self):
        case = "[[item.case]]\npublished = {opt = 2}\nset = {n = 3}\nsamples = 7\n"
        paper = self.read(ITEM + case)
        item = paper.find("TABLE1")
        self.assertEqual(item.quantities[1].ratio, ["opt", "auto"])
        self.assertEqual(
            (item.cases[0].published, item.cases[0].set, item.cases[0].samples),
            ({"opt": 2}, {"n": 3}, 7),
        )
        self.assertIsNone(item.cases[0].input(True))  # without a problem

    def test_say_what_is_wrong_with_them(self):
        case = f"{ITEM}[[item.case]]\n"
        for text, fault in (
            ('hardwear = "b"', "unknown key 'hardwear'; did you mean 'hardware'?"),
            ("title = 3", "'title' must be a text"),
            ('[[item]]\nnumber = "Table 1"', "Table 1 has neither a method nor a why_not"),
            (
                '[[item]]\nnumber = "Table 1"\nmethod = "guess"',
                "Table 1: no method 'guess' (legal: iteration_time,",
            ),
            (f"{case}published = {{opd = 1}}", "a quantity 'opd' (legal: opt, gain)"),
            (f"{case}tiny = {{size = 3}}", "unknown key 'size'"),
            (ITEM.replace(', "auto"]', "]"), "'ratio' of gain must have two keys"),
            (ITEM.replace('"Opt"', '"Opt", search = "beam"'), "what a search finds has a figure"),
            ("title =", "Invalid value"),
        ):
            with self.subTest(fault), self.assertRaises(Fault) as raised:
                self.read(text)
            self.assertIn(fault, str(raised.exception))

    def test_of_shipped_papers_say_where_numbers_are_from(self):
        for path in PAPERS.glob("*.toml"):
            for item in read_paper(path, list(METHODS)).items:
                names = [case.name for case in item.cases]
                self.assertEqual(len(names), len(set(names)), item.number)
                self.assertTrue(
                    not item.method or item.published_numbers and item.differs, item.number
                )


class KeptParts(InFolder):
    def obtain(self, measure, by=HERE, budget=None, wanted=0.0):
        self.parts = Parts(KeptCases(self.path), TimeBudget(budget), by)
        return self.parts.obtain("part", {"what": "one"}, wanted, measure)

    @staticmethod
    def never():
        raise AssertionError("it is measured again")

    def test_are_measured_once_by_each(self):
        measured = Measured({"ms": 2.0}, conditions="here")
        self.assertEqual(self.obtain(lambda: measured), measured)
        self.assertEqual(self.obtain(self.never), measured)
        self.assertEqual(self.obtain(self.never, THERE, budget=0.0), measured)  # there is no time
        self.assertEqual((self.parts.others, self.parts.is_left), ([HERE], True))
        self.assertEqual(self.obtain(lambda: Measured({"ms": 3.0}), THERE).values, {"ms": 3.0})

    def test_that_are_bounds_are_measured_again_where_more_time_is_allowed(self):
        bound = Measured({"s": 5.0}, {"s": "at least"}, limit=5.0)
        self.obtain(lambda: bound, budget=20.0, wanted=60.0)
        self.assertEqual(self.obtain(self.never, budget=20.0, wanted=60.0), bound)
        self.assertEqual(self.obtain(lambda: Measured({"s": 9.0}), wanted=60.0).values, {"s": 9.0})

    def test_that_fail_say_why_and_are_tried_again(self):
        def fail():
            raise Fault("it does not fit")

        for budget in (None, 0.0):
            self.assertIsNone(self.obtain(fail, budget=budget))
            self.assertEqual(self.parts.failures, ["part: it does not fit"])
        self.assertIsNotNone(self.obtain(lambda: Measured({"ms": 1.0})))

    def test_that_end_the_program_twice_are_not_begun_again(self):
        for _ in range(2):
            with self.assertRaises(SystemExit):
                self.obtain(lambda: os.sys.exit())
        self.assertIsNone(self.obtain(self.never))
        self.assertEqual(self.parts.failures, ["part: the program was ended 2 times while it ran"])

    def test_that_were_interrupted_are_left(self):
        def interrupted():
            raise Interrupted(2)

        self.assertIsNone(self.obtain(interrupted))
        self.assertTrue(self.parts.is_left and self.parts.budget.is_over())
        with self.assertRaises(Interrupted) as raised:  # once everything is shown
            _exit_code(self.parts, [])
        self.assertEqual(raised.exception.number, 2)
        self.assertIsNotNone(self.obtain(lambda: Measured({"ms": 1.0})))

    def test_are_read_from_a_file_that_was_cut_off(self):
        self.obtain(lambda: Measured({"ms": 1.0}))
        whole = self.path.read_text()
        self.path.write_text(whole + whole[:30])
        self.assertEqual(self.obtain(self.never).values, {"ms": 1.0})
        self.assertEqual(self.path.read_text(), whole)

    def test_leave_other_files_as_they_are(self):
        for text, fault in (
            ("anything\n", "file:1: this is no line"),
            ("{}", "file:1: this is no line"),
        ):
            self.path.write_text(text)
            with self.assertRaisesRegex(Fault, fault):
                self.obtain(self.never)
            self.assertEqual(self.path.read_text(), text)


class Values(unittest.TestCase):
    def test_of_bounds_are_known_unless_they_work_against_each_other(self):
        ratio = Quantity("gain", ratio=["a", "b"])
        for above, below, bound in (
            ("", "", ""),
            ("at least", "", "at least"),
            ("", "at least", "at most"),
        ):
            measured = Measured({"a": 6.0, "b": 2.0}, {"a": above, "b": below})
            self.assertEqual(value_of(ratio, measured), (3.0, bound))
        both = Measured({"a": 6.0, "b": 2.0}, {"a": "at least", "b": "at least"})
        self.assertIsNone(value_of(ratio, both))

    def test_have_a_geometric_mean(self):
        quantities = [Quantity("a"), Quantity("b"), Quantity("c")]
        cases = [
            Measured({"a": 2.0, "b": 1.0, "c": -1.0}, {"a": "at most"}),
            Measured({"a": 8.0, "c": 1.0}),
        ]
        mean = _mean_of(quantities, cases)
        self.assertEqual(list(mean.values), ["a"])
        self.assertAlmostEqual(mean.values["a"], 4.0)
        self.assertEqual(mean.bounds, {"a": "at most"})


unittest.main()
