"""The package thallo on arrays that fit and arrays that do not."""

import gc
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time
import unittest

try:
    import numpy as np
except ImportError:
    print("numpy is not there: skipped")
    sys.exit(77)

import thallo

SMOOTH = """
local W, H = Dims("W", "H")
Inputs { X = Unknown(thallo_float2, {W, H}), A = Array(float2, {W, H}), w = Param(float) }
local x, y = W(), H()
local right = Select(InBounds(x + 1, y), X(x, y) - X(x + 1, y), 0)
Residuals { fit = w * (X(x, y) - A(x, y)), right = right }
"""
GRAPH = """
local N, E = Dims("N", "E")
Inputs {
  X = Unknown(float, {N}), M = Array(uint8, {N}), v0 = Sparse({E}, {N}), v1 = Sparse({E}, {N}),
}
local n, e = N(), E()
Residuals { spring = X(v1(e)) - X(v0(e)) - 1, fit = M(n) * X(n) }
"""

# 0 X^2 + 1 X^2 + ... + (M - 1) X^2
LONG = """
local N, M = Dims("N", "M")
Inputs { X = Unknown(double, {N}) }
local n, m = N(), M()
Residuals { r = Sum({m}, m:asvalue() * X(n)^2) }
"""


def smooth(**options):
    return thallo.Solver(SMOOTH, backend="interpreter", **options)


class Solves(unittest.TestCase):
    def test_an_array_is_read_in_the_order_of_images(self):
        image = np.zeros((3, 5, 2), np.float32)
        image[1, 4, 0] = 1  # at the right border, so that its right neighbor is none
        solved = smooth().solve(A=image, w=1e3)["X"]
        np.testing.assert_allclose(solved, image, atol=1e-4)

    def test_an_unknown_is_solved_in_place_in_its_precision(self):
        image = np.random.default_rng(1).random((3, 5, 2))
        for dtype in (np.float32, np.float64):
            x = np.zeros(image.shape, dtype)
            summary = smooth().solve(X=x, A=image.astype(np.float32), w=1)
            self.assertIs(summary["X"], x)
            self.assertGreater(np.abs(x).max(), 0.1)
        self.assertLess(summary.final_cost, summary.initial_cost)

    def test_maps_and_bytes(self):
        solver = thallo.Solver(GRAPH, backend="interpreter")
        edges = np.array([[0, 1], [1, 2]])
        x = solver.solve(v0=edges[:, 0], v1=edges[:, 1], M=np.array([True, False, False]))["X"]
        np.testing.assert_allclose(x, [0, 1, 2], atol=1e-3)

    def test_what_changes_in_place_is_read_again(self):
        text = """
local N = Dims("N")
Inputs { X = Unknown(double, {N}), A = Array(double, {N}), V = Sparse({N}, {N}), w = Param(double) }
local n = N()
Residuals { fit = X(n) - w * A(V(n)) }
"""
        for dtype in (np.float64, np.float32, np.uint8, np.int64, ">f8", np.float16):
            for index in (np.int32, np.int64, np.uint8):
                data, strided = np.arange(3).astype(dtype), np.arange(6).astype(index)
                solver = thallo.Solver(text, backend="interpreter")
                strided[::2] = [0, 1, 2]
                solver.bind(A=data, V=strided[::2], w=2.0)
                np.testing.assert_allclose(solver.solve()["X"], [0, 2, 4], atol=1e-6)
                data[:] = [5, 6, 7]
                strided[::2] = [2, 2, 1]
                np.testing.assert_allclose(solver.solve()["X"], [14, 14, 12], atol=1e-6)
                solver.begin()
                data[2] = 1
                while solver.step():
                    pass
                np.testing.assert_allclose(solver.finish()["X"], [2, 2, 12], atol=1e-6)
                solver.bind(A=[1.0, 2.0, 3.0])
                np.testing.assert_allclose(solver.solve()["X"], [6, 6, 4], atol=1e-6)
        strided[::2] = [2, 2, 3]
        with self.assertRaisesRegex(thallo.InputError, "entry"):
            solver.solve()

    def test_data_in_the_memory_of_an_unknown_stay_as_they_were(self):
        noisy = np.random.default_rng(1).random((3, 5, 2))
        costs, results = [], []
        for solves in (True, False):
            for shares in (True, False):
                x = noisy.copy()
                solver = smooth()
                inputs = {"X": x, "A": x if shares else noisy, "w": 2.0}
                if solves:
                    summary = solver.solve(**inputs)
                else:
                    solver.begin(**inputs)
                    while solver.step():
                        pass
                    summary = solver.finish()
                costs.append(summary.final_cost)
                results.append(x)
        self.assertGreater(costs[0], 0.1)
        for cost, x in zip(costs, results):
            self.assertEqual(cost, costs[0])
            np.testing.assert_array_equal(x, results[0])

    def test_a_path_may_have_any_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "smooth (2)")
            pathlib.Path(path).write_text(SMOOTH)
            solved = thallo.Solver(path, backend="interpreter").solve(
                A=np.ones((3, 5, 2), np.float32), w=1
            )
            self.assertLess(solved.final_cost, solved.initial_cost)

    def test_a_path_is_a_path(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "smooth.lua"
            path.write_text(SMOOTH)
            for energy in (path, str(path)):
                self.assertIn("X", thallo.Solver(energy).inputs)
            with self.assertRaises(thallo.EnergyError) as raised:
                thallo.Solver(str(path) + "x.lua")
            self.assertIn("there is no such file", str(raised.exception))

    def test_another_array_replaces_an_unknown(self):
        solver = smooth()
        first = solver.solve(A=np.ones((2, 3, 2), np.float32), w=1)["X"]
        second = np.zeros((4, 4, 2), np.float32)
        self.assertIs(solver.solve(X=second, A=np.ones((4, 4, 2), np.float32))["X"], second)
        np.testing.assert_allclose(first, 1, atol=1e-4)
        np.testing.assert_allclose(second, 1, atol=1e-4)

    def test_the_jacobian_is_that_of_differences(self):
        solver = smooth()
        x = np.random.default_rng(2).random((2, 3, 2))
        solver.bind(X=x, A=np.zeros((2, 3, 2), np.float32), w=2)
        residuals, jacobian = solver.residuals_and_jacobian()
        if isinstance(jacobian, tuple):
            values, columns, starts, shape = jacobian
            dense = np.zeros(shape)
            for row in range(shape[0]):
                dense[row, columns[starts[row] : starts[row + 1]]] = values[
                    starts[row] : starts[row + 1]
                ]
        else:
            dense = jacobian.toarray()
        moved = x.copy()
        for column in range(x.size):
            moved.flat[column] += 1
            solver.bind(X=moved)
            np.testing.assert_allclose(
                solver.residuals_and_jacobian()[0] - residuals, dense[:, column], atol=1e-9
            )
            moved.flat[column] -= 1
        solver.bind(X=x)
        again = solver.jacobian()
        values = again[0] if isinstance(again, tuple) else again.data
        np.testing.assert_array_equal(values, dense[dense != 0])


class Ends(unittest.TestCase):
    def test_a_callback_ends_a_solve_and_its_faults_are_raised(self):
        image = np.random.default_rng(1).random((3, 5, 2)).astype(np.float32)
        solver = smooth(options={"lIterations": 1})
        summary = solver.solve(A=image, w=1, on_iteration=lambda i: i.iteration == 1)
        self.assertEqual(len(summary.iterations), 2)
        self.assertEqual(summary.termination, "Cancelled")
        with self.assertRaises(ZeroDivisionError):
            solver.solve(on_iteration=lambda i: 1 / 0)
        self.assertTrue(solver.solve().converged)

    def test_a_summary_says_what_it_ran_on_and_what_groups_came_to(self):
        image = np.random.default_rng(1).random((3, 5, 2)).astype(np.float32)
        summary = smooth().solve(A=image, w=1)
        self.assertEqual((summary.threads, summary.precision), (1, "double"))
        self.assertTrue(summary.device and summary.date.endswith("Z"))
        self.assertGreater(summary.peak_memory, 1e6)
        self.assertGreaterEqual(summary.cpu_seconds, 0)
        cost = sum(group.cost for group in summary.groups.values())
        self.assertAlmostEqual(cost / summary.final_cost, 1, 5)
        for group in summary.groups.values():
            self.assertGreater(group.residuals, 0)
            self.assertGreater(group.inliers, 0)

    def test_a_deterministic_solve_is_an_option(self):
        data = np.random.default_rng(1).random((20, 20, 2)).astype(np.float32)
        first, second = (
            smooth(options={"deterministic": True}).solve(A=data, w=1e-3).final_cost
            for _ in range(2)
        )
        self.assertEqual(first, second)

    def test_an_interrupt_ends_a_solve_within_an_iteration(self):
        began = threading.Event()
        solver = smooth(options={"solver": "gn", "nIterations": 1000000, "lIterations": 1})

        def interrupt():
            began.wait()
            os.kill(os.getpid(), signal.SIGINT)

        other = threading.Thread(target=interrupt)
        other.start()
        with self.assertRaises(KeyboardInterrupt):
            solver.solve(
                A=np.ones((20, 20, 2), np.float32), w=1e-3, on_iteration=lambda i: began.set()
            )
        other.join()
        solver.set_options(nIterations=1)
        self.assertEqual(len(solver.solve().iterations), 2)

    def test_an_interrupt_ends_what_is_computed_from_the_definition(self):
        solver = thallo.Solver(LONG, backend="interpreter")
        for call in (
            solver.residuals_and_jacobian,
            lambda: solver.covariance(("X", 0)),
        ):
            solver.bind(X=np.ones(1), M=2_000_000_000)  # an hour
            other = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
            other.start()
            began = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                call()
            self.assertLess(time.monotonic() - began, 10)
            other.join()
            solver.bind(M=3)
            self.assertEqual(solver.residuals_and_jacobian()[0], [3])
            np.testing.assert_allclose(solver.covariance(("X", 0)), [[1 / 36]])

    def test_an_interrupt_between_steps_leaves_the_solve(self):
        solver = thallo.Solver(LONG, backend="interpreter", options={"nIterations": 3})
        solver.begin(X=np.ones(1), M=3)
        solver.bind(M=2_000_000_000)
        other = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        other.start()
        with self.assertRaises(KeyboardInterrupt):
            solver.jacobian()
        other.join()
        while solver.step(M=3):
            pass
        self.assertEqual(solver.finish().termination, "MaxIterations")

    def test_solvers_are_freed(self):
        class Counted(thallo.Solver):
            pass

        solver = Counted(SMOOTH)
        gone = threading.Event()
        import weakref

        weakref.finalize(solver, gone.set)
        del solver
        gc.collect()
        self.assertTrue(gone.is_set())


class StaysTrue(unittest.TestCase):
    def test_unknowns_that_are_not_bound_start_anew(self):
        solver = smooth()
        small, large = np.ones((3, 5, 2), np.float32), np.ones((4, 6, 2), np.float32)
        first = solver.solve(A=small, w=1)
        second = solver.solve(A=2 * small)
        np.testing.assert_allclose(first["X"], small, atol=1e-4)
        self.assertIsNot(first["X"], second["X"])
        self.assertEqual(second.initial_cost, 4 * first.initial_cost)
        self.assertEqual(solver.solve(A=large)["X"].shape, (4, 6, 2))

    def test_a_refused_call_leaves_the_callback_of_the_solve(self):
        solver, seen = smooth(options={"nIterations": 4}), []

        def look(iteration):
            seen.append(iteration.iteration)
            with self.assertRaises(thallo.BusyError):
                solver.solve()

        summary = solver.solve(A=np.ones((3, 5, 2), np.float32), w=1, on_iteration=look)
        self.assertEqual(seen, list(range(len(summary.iterations))))

    def test_refused_inputs_leave_what_was_bound(self):
        solver = smooth()
        image = np.ones((3, 5, 2), np.float32)
        solver.bind(A=image, w=1)
        with self.assertRaisesRegex(thallo.InputError, "no 'no'"):
            solver.bind(w=2, A=2 * image, no=1)
        self.assertEqual(solver.bound["w"], 1)
        for refused in ({"W": 8}, {"X": np.ones((4, 4, 2)), "w": 3}):
            with self.assertRaises(thallo.InputError):
                solver.solve(**refused)
            self.assertEqual(set(solver.bound), {"A", "w"})
            self.assertIs(solver.bound["A"], image)
        np.testing.assert_allclose(solver.solve()["X"], image, atol=1e-4)
        # So do those of a step, and of a solve whose unknowns were made before.
        solver.begin()
        with self.assertRaises(thallo.InputError):
            solver.step(A=np.ones((2, 2, 2)))
        solver.step()
        first = solver.finish()["X"]
        with self.assertRaises(thallo.InputError):
            solver.solve(H=9)
        self.assertIs(solver.unknowns["X"], first)

    def test_paths_are_bytes_of_any_kind(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(os.fsencode(folder), b"d\xe9j\xe0.lua")
            try:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(SMOOTH)
            except OSError:
                self.skipTest("the file system takes UTF-8 alone")
            image = np.ones((3, 5, 2), np.float32)
            for energy in (path, os.fsdecode(path), pathlib.Path(os.fsdecode(path))):
                solver = thallo.Solver(energy, backend="interpreter")
                solver.schedule = "default"
                np.testing.assert_allclose(solver.solve(A=image, w=1)["X"], image, atol=1e-4)
                with self.assertRaisesRegex(thallo.ThalloError, r"d\\xe9j\\xe0.lua.sched"):
                    solver.schedule = os.fsdecode(path) + ".sched"
                with self.assertRaisesRegex(thallo.ThalloError, r"d\\xe9j\\xe0.lua.no"):
                    thallo.Solver(os.fsencode(path) + b".no.lua")
            self.assertEqual(thallo.Solver(SMOOTH.encode()).inputs, solver.inputs)

    def test_numbers_of_numpy_end_a_solve(self):
        seen = []

        def look(iteration):
            seen.append(iteration)
            return np.bool_(True)

        smooth().solve(A=np.ones((3, 5, 2), np.float32), w=1, on_iteration=look)
        self.assertEqual(len(seen), 1)

    def test_values_that_are_not_what_they_seem_are_refused(self):
        image = np.ones((3, 5, 2), np.float32)
        with self.assertRaisesRegex(thallo.InputError, "masked arrays are not taken"):
            smooth().bind(A=np.ma.masked_array(image, image > 0))
        edges = np.array([[0, 1]], np.int32)
        graph = thallo.Solver(GRAPH, backend="interpreter")
        for value in (0.5, 300.0, -1.0):
            misfit = "'M': entry 1 is .*, which does not fit into 'M' .uint8."
            with self.assertRaisesRegex(thallo.InputError, misfit):
                graph.solve(v0=edges[:, 0], v1=edges[:, 1], M=np.array([1, value, 0]))
        pair = thallo.Solver(
            "local N = Dims('N')\n"
            "Inputs { X = Unknown(float, {N}), Y = Unknown(float, {N}) }\n"
            "local n = N()\nResiduals { a = X(n) - 1, b = Y(n) - 2 }\n",
            backend="interpreter",
        )
        both = np.zeros(6, np.float32)
        with self.assertRaisesRegex(thallo.InputError, "'Y' .* shares memory with that of 'X'"):
            pair.solve(X=both[:4], Y=both[2:])


class PullBack(unittest.TestCase):
    TEXT = """
local N = Dims("N")
Inputs { X = Unknown(double2, {N}), A = Array(double2, {N}), w = Param(double) }
local n = N()
Residuals { fit = X(n) - A(n), small = w * X(n) }
"""

    def test_it_takes_gradients_to_inputs(self):
        solver = thallo.Solver(self.TEXT, backend="interpreter")
        A = np.arange(6.0).reshape(3, 2)
        X = solver.solve(A=A, w=2).unknowns["X"]  # A / (1 + w^2)
        gradient = np.cos(A)
        found = solver.pull_back({"X": gradient}, ["w", "A"])
        np.testing.assert_allclose(X, A / 5)
        np.testing.assert_allclose(found["A"], gradient / 5)
        np.testing.assert_allclose(found["w"], -(gradient * A).sum() * 4 / 25)
        self.assertEqual(found["w"].shape, ())

    def test_what_it_refuses(self):
        solver = thallo.Solver(self.TEXT, backend="interpreter")
        with self.assertRaises(thallo.ThalloError):
            solver.pull_back({"X": np.zeros((3, 2))}, ["w"])
        solver.solve(A=np.ones((3, 2)), w=2)
        with self.assertRaisesRegex(thallo.InputError, r"'X' has the shape \(6,\); 'X' has \(3, 2\)"):
            solver.pull_back({"X": np.zeros(6)}, ["w"])
        with self.assertRaisesRegex(thallo.SolveError, "no array or param 'v'"):
            solver.pull_back({"X": np.zeros((3, 2))}, ["v"])
        solver.unknowns["X"][:] = 7
        with self.assertRaisesRegex(thallo.SolveError, "no minimum"):
            solver.pull_back({"X": np.ones((3, 2))}, ["w"])


class Covariance(unittest.TestCase):
    def test_it_is_the_inverse_of_the_normal_matrix(self):
        solver = smooth()
        solver.bind(A=np.zeros((3, 5, 2), np.float32), w=2)
        found = solver.covariance(("X", 1, 4), ("X", 0, 0))
        _, jacobian = solver.residuals_and_jacobian()
        if isinstance(jacobian, tuple):
            self.skipTest("scipy is not there")
        dense = jacobian.toarray()
        inverse = np.linalg.inv(dense.T @ dense)
        rows = [2 * (4 + 5 * 1), 2 * (4 + 5 * 1) + 1, 0, 1]
        np.testing.assert_allclose(found, inverse[np.ix_(rows, rows)], atol=1e-12)

    def test_elements_that_there_are_not(self):
        solver = smooth()
        solver.bind(A=np.zeros((3, 5, 2), np.float32), w=2)
        with self.assertRaisesRegex(thallo.InputError, "no unknown 'A' .legal: X."):
            solver.covariance(("A", 0, 0))
        with self.assertRaisesRegex(thallo.InputError, "'X' has 2 dims.*found 1"):
            solver.covariance(("X", 0))
        for wrong in ("X", ("X", -1, 0), ("X", 2**64, 0), (1, 2)):
            with self.assertRaises(thallo.InputError):
                solver.covariance(wrong)
        with self.assertRaisesRegex(thallo.InputError, r"no element \(0, 3\)"):
            solver.covariance(("X", 3, 0))


class Refuses(unittest.TestCase):
    def refused(self, fault, part, **inputs):
        with self.assertRaises(fault) as raised:
            smooth().bind(**inputs)
        self.assertIn(part, str(raised.exception))

    def test_arrays_that_do_not_fit(self):
        good = np.zeros((3, 5, 2), np.float32)
        read_only = good.copy()
        read_only.flags.writeable = False
        wrong = thallo.InputError
        self.refused(wrong, "has the shape (3, 5); it is (H, W, 2)", X=np.zeros((3, 5), np.float32))
        self.refused(wrong, "has the shape (2, 3, 5); it is (H, W, 2)", A=np.zeros((2, 3, 5)))
        self.refused(
            wrong, "of dtype int64 (legal: float32, float64)", X=np.zeros((3, 5, 2), np.int64)
        )
        self.refused(wrong, "is read-only", X=read_only)
        self.refused(wrong, "not contiguous", X=np.zeros((5, 3, 2), np.float32).transpose(1, 0, 2))
        self.refused(wrong, "found a list", X=[[1.0, 2.0]])
        self.refused(wrong, "dtype complex128", A=good.astype(complex))
        self.refused(
            wrong, "values of dtype int64 that are no int32", A=np.full((3, 5, 2), 2**40)
        )
        self.refused(wrong, "declares no 'B' (legal: A, H, W, X, w)", B=good)

    def test_arrays_on_a_gpu_where_the_solver_computes_on_the_host(self):
        class OnDevice:
            __cuda_array_interface__ = {
                "shape": (3, 5, 2),
                "typestr": "<f4",
                "data": (4096, False),
                "version": 3,
            }

        with self.assertRaisesRegex(thallo.InputError, "'A' .*, which only backend cuda takes"):
            smooth().solve(A=OnDevice(), w=1)
        OnDevice.__cuda_array_interface__["typestr"] = "<f2"
        self.refused(thallo.InputError, "'A' has dtype float16 on the GPU", A=OnDevice())
        OnDevice.__cuda_array_interface__["data"] = (4096, True)
        OnDevice.__cuda_array_interface__["typestr"] = "<f4"
        self.refused(
            thallo.InputError, "'X' is an unknown, and its array is read-only", X=OnDevice()
        )

    def test_what_is_missing_or_contradicts(self):
        with self.assertRaisesRegex(thallo.InputError, "the extent of W and H is not known"):
            smooth().solve(w=1)
        with self.assertRaisesRegex(thallo.InputError, "w"):
            smooth().solve(A=np.zeros((3, 5, 2), np.float32))
        with self.assertRaises(thallo.InputError):
            smooth().solve(
                X=np.zeros((3, 4, 2), np.float32), A=np.zeros((3, 5, 2), np.float32), w=1
            )
        with self.assertRaisesRegex(thallo.SolveError, r"is nan, since A\(0, 0\)\[0\] is nan"):
            smooth().solve(A=np.full((3, 5, 2), np.nan, np.float32), w=1)

    def test_calls_in_the_wrong_order_and_wrong_options(self):
        with self.assertRaises(thallo.OrderError):
            smooth().finish()
        with self.assertRaises(thallo.OrderError):
            smooth().step()
        solver = smooth()
        solver.begin(A=np.ones((3, 5, 2), np.float32), w=1)
        with self.assertRaises(thallo.OrderError):
            solver.solve()
        solver.finish()
        with self.assertRaisesRegex(thallo.OptionError, "nIterations"):
            solver.set_options(nIteration=4)
        with self.assertRaises(thallo.OptionError):
            smooth(precision="half")
        with self.assertRaises(thallo.OptionError):
            smooth(options={"solver": "newton"})

    def test_texts_with_nul_bytes(self):
        with self.assertRaisesRegex(thallo.EnergyError, "smooth.lua:3: the line holds a NUL byte"):
            thallo.Solver(SMOOTH.replace("A = Array", "\0A = Array"), name="smooth.lua")
        with self.assertRaisesRegex(thallo.EnergyError, "the schedule:2: the line holds a NUL"):
            smooth(schedule_text="r.fit:materialize_jacobian()\n\0")
        solver = smooth()
        with self.assertRaisesRegex(thallo.EnergyError, "the schedule:1: the line holds a NUL"):
            solver.schedule = "r.fit:\0materialize_jacobian()"
        with self.assertRaisesRegex(thallo.OptionError, "NUL byte"):
            solver.set_options(solver="gn\0")
        with self.assertRaisesRegex(thallo.OptionError, "NUL byte"):
            thallo.Solver(pathlib.Path("a\0.lua"))
        with tempfile.TemporaryDirectory() as folder:
            for name in ("energy.lua", "energy.t"):
                path = pathlib.Path(folder) / name
                path.write_text(SMOOTH.replace("Residuals", "\0Residuals"))
                with self.assertRaisesRegex(thallo.EnergyError, rf"{name}:6: the line holds a NUL"):
                    thallo.Solver(path)

    def test_a_faulty_text_names_its_line(self):
        with self.assertRaises(thallo.EnergyError) as raised:
            thallo.Solver(
                "local N = Dims('N')\nInputs {}\nResiduals { r = Z(N()) }", name="mine.lua"
            )
        self.assertEqual((raised.exception.file, raised.exception.line), ("mine.lua", 3))


if __name__ == "__main__":
    unittest.main()
