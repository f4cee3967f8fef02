"""Energies that are written in Python."""

import inspect
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("numpy is not there: skipped")
    sys.exit(77)

import thallo
from thallo import functions as f


def line_here():
    return inspect.currentframe().f_back.f_lineno


def denoise():
    energy = thallo.Energy("denoise")
    W, H = energy.dims("W", "H")
    X, A = energy.unknown("X", "float", W, H), energy.array("A", "float", W, H)
    w = energy.param("w")
    x, y = W(), H()

    def step(dx, dy):
        return f.Select(f.InBounds(x + dx, y + dy), X[x, y] - X[x + dx, y + dy], 0)

    energy.residuals(fit=w * (X[x, y] - A[x, y]), smooth=[step(1, 0), step(0, 1)])
    return energy


DENOISE = """
local W, H = Dims("W", "H")
Inputs { X = Unknown(float, {W, H}), A = Array(float, {W, H}), w = Param(float) }
local x, y = W(), H()
local function step(dx, dy)
  return Select(InBounds(x + dx, y + dy), X(x, y) - X(x + dx, y + dy), 0)
end
Residuals { fit = w * (X(x, y) - A(x, y)), smooth = {step(1, 0), step(0, 1)} }
"""


def solve_one(expression, value, x=0.7):
    """Returns the value of expression(unknown) by the residual expression - value."""
    energy = thallo.Energy("one")
    (N,) = energy.dims("N")
    X = energy.unknown("X", "double", N)
    energy.residuals(r=expression(X[N()]) - value)
    solver = energy.solver(backend="interpreter").bind(X=np.array([x]))
    return solver.residuals_and_jacobian()[0][0] + value


class Energies(unittest.TestCase):
    def test_are_those_of_the_text(self):
        image = np.random.default_rng(0).random((5, 7))
        in_python = denoise().solver(backend="interpreter")
        in_text = thallo.Solver(DENOISE, backend="interpreter")
        self.assertEqual(in_python.inputs, in_text.inputs)
        for solver in (in_python, in_text):
            solver.bind(X=image.copy(), A=image.T.reshape(5, 7), w=2)
        np.testing.assert_array_equal(
            in_python.residuals_and_jacobian()[0], in_text.residuals_and_jacobian()[0]
        )
        found = in_python.solve()["X"]
        np.testing.assert_allclose(found, in_text.solve()["X"], atol=1e-9)

    def test_operators_are_those_of_numbers(self):
        for expression in (
            lambda a: 2 + a - 3 * a / 4,
            lambda a: 2 - a,
            lambda a: 2 / a + a**2 + 2**a,
            lambda a: -a + abs(-a) + a * -1.5,
            lambda a: a * np.float32(0.5) + np.float64(0.25) * a,
            lambda a: a * 1e-30 + 1e30 * a,
        ):
            found = solve_one(expression, 1.0)
            self.assertAlmostEqual(found / expression(np.float64(0.7)), 1, places=12)

    def test_conditions_select(self):
        for condition, expected in (
            (lambda a: a < 1, 1),
            (lambda a: a <= 0.5, 0),
            (lambda a: 1 > a, 1),
            (lambda a: a >= 1, 0),
            (lambda a: (a > 0) & (a < 0.5), 0),
            (lambda a: (a < 0) | (a < 1), 1),
            (lambda a: ~(a < 1), 0),
        ):
            found = solve_one(lambda a: f.Select(condition(a), a * 0 + 1, a * 0), 0.25)
            self.assertEqual(found, expected)

    def test_vectors_maps_and_sums(self):
        energy = thallo.Energy("springs")
        N, E = energy.dims("N", "E")
        X = energy.unknown("X", "double2", N)
        v0, v1 = energy.sparse("v0", E, N), energy.sparse("v1", E, N)
        e, n = E(), N()
        d = X[v0[e]] - X[v1[e]]
        energy.residuals(spring=f.sqrt(f.dot(d, d)) - 1, fit=[X[n][0], X[n].sum()])
        solver = energy.solver(backend="interpreter")
        x = np.array([[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]])
        solver.bind(X=x, v0=[0, 1], v1=[1, 2])
        residuals, _ = solver.residuals_and_jacobian()
        expected = [4.0, np.sqrt(4 + 16) - 1, 0, 0, 3, 7, 1, 1]
        np.testing.assert_allclose(sorted(residuals), sorted(expected))

    def test_many_operations(self):
        energy = thallo.Energy("long")
        (N,) = energy.dims("N")
        X = energy.unknown("X", "double", N)
        a = X[N()]
        total = sum((a * i for i in range(1000)), a)
        energy.residuals(r=total)
        solver = energy.solver(backend="interpreter").bind(X=np.ones(1))
        self.assertEqual(solver.residuals_and_jacobian()[0][0], 1 + 999 * 500)

    def test_excluded_unknowns_stay(self):
        energy = thallo.Energy("some")
        (N,) = energy.dims("N")
        X, A = energy.unknown("X", "float", N), energy.array("A", "float", N)
        n = N()
        X.exclude(A[n] < 0)
        energy.residuals(fit=X[n] - A[n])
        found = energy.solver(backend="interpreter").solve(A=np.array([-1.0, 2.0], np.float32))
        np.testing.assert_allclose(found["X"], [0, 2], atol=1e-5)


class Refuses(unittest.TestCase):
    def test_faults_name_lines_in_python(self):
        energy = thallo.Energy("faulty")
        (N,) = energy.dims("N")
        X = energy.unknown("X", "float2", N)
        wrong = X[N()][5]; where = line_here()  # fmt: skip
        energy.residuals(r=wrong)
        with self.assertRaises(thallo.EnergyError) as raised:
            energy.solver()
        self.assertIn(f"energy_test.py:{where}: entry 5 of a vector of 2", str(raised.exception))
        self.assertNotIn(".lua", str(raised.exception).split("\n")[0])

    def test_faults_of_groups_name_lines_in_python(self):
        energy = thallo.Energy("faulty")
        (N,) = energy.dims("N")
        X, w = energy.unknown("X", "float", N), energy.param("w")
        energy.residuals(fit=X[N()], constant=w); first = line_here()  # fmt: skip
        energy.residuals(text="abc"); second = line_here()  # fmt: skip
        with self.assertRaises(thallo.EnergyError) as raised:
            energy.solver()
        self.assertIn(f"energy_test.py:{second}: Residuals: expected", str(raised.exception))
        self.assertEqual(raised.exception.line, second)

        del energy._residuals[-1]
        with self.assertRaises(thallo.EnergyError) as raised:
            energy.solver()
        self.assertIn(
            f"energy_test.py:{first}: residual group 'constant' exists at no point",
            str(raised.exception),
        )
        with self.assertRaises(thallo.EnergyError) as raised:
            thallo.Energy("empty").solver()
        self.assertEqual(raised.exception.line, None)
        self.assertIn("energy 'empty'", str(raised.exception))
        self.assertNotIn(".lua", str(raised.exception))

    def test_unknown_functions_suggest_others(self):
        energy = thallo.Energy("faulty")
        (N,) = energy.dims("N")
        X = energy.unknown("X", "float", N)
        energy.residuals(r=f.sqroot(X[N()]))
        with self.assertRaisesRegex(
            thallo.EnergyError, r"energy_test\.py:\d+: unknown name 'sqroot'"
        ):
            energy.solver()

    def test_what_python_cannot_know(self):
        energy = denoise()
        other = thallo.Energy("other")
        (N,) = other.dims("N")
        n = N()
        a = other.unknown("X", "float", N)[n]
        with self.assertRaisesRegex(TypeError, "functions.Select"):
            if a < 1:
                pass
        with self.assertRaisesRegex(TypeError, r"v\[0\]"):
            list(a)
        with self.assertRaisesRegex(thallo.InputError, "another energy"):
            energy.residuals(more=a)
        with self.assertRaisesRegex(thallo.InputError, "is no name"):
            other.param("a b")
        with self.assertRaisesRegex(thallo.InputError, "'v' is a word of the language"):
            other.param("v")
        with self.assertRaisesRegex(thallo.InputError, "'twice' is declared twice, first at .*py:"):
            other.param("twice"), other.param("twice", "int")
        with self.assertRaisesRegex(thallo.InputError, "'r' is declared twice"):
            other.residuals(r=other.param("q")), other.residuals(r=other.param("s"))
        with self.assertRaisesRegex(TypeError, "has no elements to go through"):
            list(other.unknown("Z", "float", N))
        with self.assertRaisesRegex(thallo.InputError, "what Energy.dims returned"):
            other.array("B", "float", 5)
        with self.assertRaisesRegex(thallo.InputError, "characters that no name"):
            a + "B\0C"
        with self.assertRaisesRegex(thallo.InputError, "NaN"):
            a + float("nan")
        with self.assertRaisesRegex(thallo.InputError, "energy.call"):
            f.Vector(1, 2)
        with self.assertRaisesRegex(thallo.InputError, "a dict in an expression"):
            a + {}


if __name__ == "__main__":
    unittest.main()
