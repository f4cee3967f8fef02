"""Problems of the plugins, schedules, explanations and explorations from Python."""

import inspect
import os
import pathlib
import signal
import sys
import tempfile
import threading
import unittest

try:
    import numpy as np
except ImportError:
    print("numpy is not there: skipped")
    sys.exit(77)

import thallo


def warping(**options):
    few = {"nIterations": 2, "lIterations": 10}
    return thallo.problems.image_warping(
        size=16, solves=2, backend="interpreter", options=few, **options
    )


class Problems(unittest.TestCase):
    def test_are_listed_with_their_options(self):
        self.assertIn("image_warping", dir(thallo.problems))
        self.assertIn("curve_fit", dir(thallo.problems))
        signature = inspect.signature(thallo.problems.image_warping)
        self.assertIsInstance(signature.parameters["size"].default, int)
        self.assertIn("fit_weight", thallo.problems.image_warping.__doc__)
        with self.assertRaisesRegex(AttributeError, "no problem 'image_warp' .*image_warping"):
            thallo.problems.image_warp

    def test_the_arrays_of_the_instance_are_bound(self):
        solver = warping()
        offset, mask = solver.bound["Offset"], solver.bound["Mask"]
        self.assertEqual(offset.shape[-1], 2)
        self.assertEqual(mask.shape, offset.shape[:2])
        start = offset.copy()
        summary = solver.solve()
        self.assertIs(summary["Offset"], offset)
        self.assertGreater(np.abs(offset - start).max(), 1e-3)
        self.assertLess(summary.final_cost, summary.initial_cost)

    def test_data_can_be_changed(self):
        solver = warping()
        weight = next(name for name, it in solver.bound.items() if isinstance(it, float))
        first = solver.solve().initial_cost
        again = warping()
        again.bind(**{weight: 2 * again.bound[weight]})
        self.assertNotEqual(again.solve().initial_cost, first)

    def test_the_next_solve_starts_where_the_last_one_ended(self):
        solver = warping()
        offset = solver.bound["Offset"]
        costs = []
        goes_on = True
        while goes_on:
            costs.append(solver.solve().initial_cost)
            reached = offset.copy()
            goes_on = solver.advance()
            self.assertIs(solver.bound["Offset"], offset)
            np.testing.assert_array_equal(offset, reached)
        self.assertGreater(len(costs), 1)
        self.assertGreater(len(set(costs)), 1)

    def test_what_is_wrong_is_said(self):
        with self.assertRaisesRegex(thallo.OptionError, "no option 'sice'; did you mean 'size'"):
            thallo.problems.image_warping(sice=3)
        with self.assertRaisesRegex(thallo.OptionError, "size"):
            thallo.problems.image_warping(size=-3)
        with self.assertRaisesRegex(thallo.OptionError, "backend"):
            thallo.problems.image_warping(size=16, backend="tpu")
        with self.assertRaises(thallo.OrderError):
            warping().advance()
        solved = warping()
        solved.solve()
        self.assertTrue(solved.advance())
        before = solved.bound["Constraints"].copy()
        with self.assertRaisesRegex(thallo.OrderError, "has prepared the next solve already"):
            solved.advance()
        np.testing.assert_array_equal(solved.bound["Constraints"], before)

    def test_all_of_them_make_solvers(self):
        for name in dir(thallo.problems):
            with self.subTest(name):
                problem = getattr(thallo.problems, name)
                parameters = inspect.signature(problem).parameters
                small = {"size": 32} if "size" in parameters else {}
                solver = problem(backend="interpreter", **small)
                self.assertTrue(solver.unknowns)


class Schedules(unittest.TestCase):
    def test_a_schedule_is_set_as_a_text_a_name_or_a_path(self):
        solver = warping(schedule="default")
        default = solver.solve()
        self.assertEqual(default.schedule, "")
        solver.schedule = "published-default"
        self.assertEqual(solver.schedule, "published-default")
        published = solver.solve().schedule
        self.assertNotEqual(published, "")
        self.assertEqual(solver.schedule, published)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.sched"
            path.write_text(published)
            other = warping(schedule="default")
            other.schedule = path
            self.assertEqual(other.solve().schedule, published)
        other.schedule = ""
        self.assertEqual(other.solve().schedule, "")
        other.schedule = published
        self.assertEqual(other.solve().schedule, published)

    def test_a_faulty_schedule_changes_nothing(self):
        solver = warping(schedule="default")
        for faulty in ("no_such_residual:materialize(true)", "opt2", "/no/such.sched"):
            with self.assertRaises(thallo.EnergyError):
                solver.schedule = faulty
        self.assertEqual(solver.solve().schedule, "")
        solver.begin()
        with self.assertRaises(thallo.OrderError):
            solver.schedule = "default"
        solver.finish()

    def test_an_explanation_adds_up(self):
        solver = warping(schedule="default")
        explained = solver.explain()
        self.assertEqual(explained.schedule, "")
        self.assertEqual(explained.directives, [])
        self.assertGreater(len(explained.steps), 2)
        total = sum(step.total_seconds for step in explained.steps)
        total += sum(explained.beside.values())
        self.assertAlmostEqual(total / explained.seconds, 1, delta=0.05)
        self.assertIn("what would help", str(explained))
        solver.schedule = "published-default"
        self.assertNotEqual(solver.explain().directives, [])
        self.assertEqual(solver.explain().schedule, solver.solve().schedule)


class Explorations(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.store = os.path.join(self._folder.name, "mine.store")

    def tearDown(self):
        self._folder.cleanup()

    def explore(self, what, **options):
        return thallo.explore(what, backend="interpreter", store=self.store, best=0, **options)

    def test_the_table_has_the_fastest_first(self):
        solver = thallo.problems.curve_fit(backend="interpreter")
        found = thallo.explore(solver, store=self.store, best=0, sample=4)
        self.assertEqual(found.device, "interpreter")  # as the solver
        seconds = found.table["seconds"]
        self.assertGreaterEqual(len(found), 4)
        self.assertTrue(np.all(np.diff(seconds[~np.isnan(seconds)]) >= 0))
        self.assertIn("default", found.marks)
        self.assertEqual({len(column) for column in found.table.values()}, {len(found)})
        solver.schedule = found.best
        self.assertEqual(solver.solve().schedule.strip(), found.best.strip())
        self.assertIn("distribution", found.plots)
        self.assertTrue(found.plots["distribution"]._repr_svg_().startswith("<"))
        self.assertIn("<table>", found._repr_html_())

    def test_a_text_is_explored_with_arrays(self):
        path = pathlib.Path(self._folder.name) / "line.lua"
        path.write_text(
            "local N, U = Dims('N', 'U')\n"
            "Inputs { line = Unknown(float2, {U}), t = Array(float, {N}), h = Array(float, {N}) }\n"
            "local n, p = N(), line(0)\n"
            "Residuals { fit = p(0) * t(n) + p(1) - h(n) }\n"
        )
        t = np.arange(5, dtype=np.float32)
        inputs = {"line": np.zeros((1, 2), np.float32), "t": t, "h": 2 * t}
        found = self.explore(path, bind=inputs, sample=2)
        self.assertGreater(found.best_seconds, 0)
        self.assertGreater(found.num_measured, 0)
        again = self.explore(path, bind=inputs, sample=2)
        self.assertEqual(again.num_measured, 0)
        self.assertEqual(again.best_seconds, found.best_seconds)
        self.assertIn("distribution", again.plots)

    def test_a_solver_is_explored_with_what_is_bound(self):
        energy = thallo.Energy("line")
        N, U = energy.dims("N", "U")
        line = energy.unknown("line", "float2", U)
        t, h, w = energy.array("t", "float", N), energy.array("h", "float", N), energy.param("w")
        n = N()
        energy.residuals(fit=w * (line[0][0] * t[n] + line[0][1] - h[n]))
        solver = energy.solver(backend="interpreter", options={"lIterations": 3})
        times = np.arange(5, dtype=np.float32)
        solver.bind(line=np.zeros((1, 2), np.float32), t=times, h=2 * times, w=0.5)
        found = self.explore(solver, sample=2)
        self.assertGreater(found.num_measured, 0)
        self.assertEqual(self.explore(solver, sample=2).num_measured, 0)
        solver.bind(h=3 * times)
        solver.schedule = found.best
        self.assertEqual(solver.solve().schedule.strip(), found.best.strip())

    def test_what_is_wrong_is_said(self):
        with self.assertRaisesRegex(thallo.OptionError, "sice"):
            self.explore("image_warping", sice=3)
        with self.assertRaisesRegex(thallo.ThalloError, "no space 'ful'"):
            self.explore("image_warping", space="ful")
        with self.assertRaisesRegex(thallo.OptionError, "no measure 'none'"):
            self.explore("image_warping", measure="none")

    def test_an_interrupt_keeps_the_store(self):
        def interrupt():
            for _ in range(600):
                if os.path.exists(self.store) and os.path.getsize(self.store) > 0:
                    break
                threading.Event().wait(0.1)
            os.kill(os.getpid(), signal.SIGINT)

        other = threading.Thread(target=interrupt)
        other.start()
        with self.assertRaises(KeyboardInterrupt):
            self.explore("bundle_fusion", search="random", sample=100000)
        other.join()
        self.assertGreater(os.path.getsize(self.store), 0)


if __name__ == "__main__":
    unittest.main()
