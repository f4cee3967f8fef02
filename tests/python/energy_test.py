"""Energies that are written in Python."""

import inspect
import math
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

    def test_bounds_are_kept(self):
        energy = thallo.Energy("boxes")
        (N,) = energy.dims("N")
        X, P = energy.unknown("X", "double", N), energy.unknown("P", "double2", N)
        A, top = energy.array("A", "double", N), energy.param("top", "double")
        n = N()
        X.bounds(0, top)
        P.bounds(upper=[1, math.inf])
        energy.residuals(fit=X[n] - A[n], near=P[n] - 2)
        x, p = np.zeros(3), np.zeros((3, 2))
        solver = energy.solver(backend="interpreter")
        solver.solve(X=x, P=p, A=np.array([-1.0, 0.5, 7.0]), top=2.0)
        np.testing.assert_allclose(x, [0, 0.5, 2], atol=1e-6)
        np.testing.assert_allclose(p, [[1, 2]] * 3, atol=1e-6)

    def test_rotations_are_solved_for(self):
        energy = thallo.Energy("turn")
        N, U = energy.dims("N", "U")
        R, A, B = energy.unknown("R", "SO3", U), *(energy.array(a, "double3", N) for a in "AB")
        n = N()
        turn = f.exp([0.3, -1, 2], "SO3")
        energy.residuals(
            seen=R[0] * A[n] - B[n], way=1e-9 * f.log(f.between(R[U()], turn))
        )
        r, a = np.array([[0.0, 0, 0, 1]]), np.eye(3)
        b = np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])  # x to y, y to z, z to x
        energy.solver(backend="interpreter").solve(R=r, A=a, B=b)
        np.testing.assert_allclose(abs(r[0]), [0.5] * 4, atol=1e-5)

    def test_excluded_unknowns_stay(self):
        energy = thallo.Energy("some")
        (N,) = energy.dims("N")
        X, A = energy.unknown("X", "float", N), energy.array("A", "float", N)
        n = N()
        X.exclude(A[n] < 0)
        energy.residuals(fit=X[n] - A[n])
        found = energy.solver(backend="interpreter").solve(A=np.array([-1.0, 2.0], np.float32))
        np.testing.assert_allclose(found["X"], [0, 2], atol=1e-5)


def line(loss=None, schedule=None):
    """A line through points, two of which are far off."""
    energy = thallo.Energy("line")
    N, U = energy.dims("N", "U")
    line = energy.unknown("line", "double2", U)
    t, h = energy.array("t", "double", N), energy.array("h", "double", N)
    n, p = N(), line[0]
    r = energy.residuals(fit=p[0] * t[n] + p[1] - h[n])
    if loss is not None:
        r.fit.loss(loss)
    if schedule is not None:
        schedule(r)
    t = np.arange(6.0)
    h = np.array([1.0, 3, 5, 27, 9, 91])
    return energy.solver(backend="interpreter").solve(line=np.zeros((1, 2)), t=t, h=h)


class SaysWhatTextsSay(unittest.TestCase):
    def test_channels_are_held(self):
        energy = thallo.Energy("parts")
        (N,) = energy.dims("N")
        P, S = energy.unknown("P", "double3", N), energy.array("S", "double3", N)
        n = N()
        P.exclude(n.asvalue() == 0, 1)
        f.Slice(P, 0, 2).Exclude(n.asvalue() == 1)
        energy.residuals(fit=P[n] - S[n])
        found = energy.solver(backend="interpreter").solve(P=np.zeros((2, 3)), S=np.ones((2, 3)))
        np.testing.assert_allclose(found["P"], [[1, 0, 1], [0, 0, 1]], atol=1e-6)

    def test_losses(self):
        by_text = thallo.Solver(
            """local N, U = Dims("N", "U")
            Inputs {
              line = Unknown(double2, {U}), t = Array(double, {N}), h = Array(double, {N}),
            }
            local n, p = N(), line(0)
            local r = Residuals { fit = p(0) * t(n) + p(1) - h(n) }
            r.fit:loss(huber(0.5))""",
            backend="interpreter",
        )
        t = np.arange(6.0)
        h = np.array([1.0, 3, 5, 27, 9, 91])
        expected = by_text.solve(line=np.zeros((1, 2)), t=t, h=h)
        found = line(f.huber(0.5))
        self.assertAlmostEqual(found.final_cost, expected.final_cost, places=9)
        self.assertLess(found.final_cost, 0.1 * line().final_cost)

    def test_losses_are_functions(self):
        def cauchy(s):
            a = 0.5
            return a**2 * f.log(1 + s / a**2)

        self.assertAlmostEqual(
            line(cauchy).final_cost, line(f.cauchy(0.5)).final_cost, places=9
        )

    def test_functions_read_params(self):
        energy = thallo.Energy("scaled")
        (N,) = energy.dims("N")
        X, s = energy.unknown("X", "double", N), energy.param("s")  # in the text, s is the param
        parts = energy.residuals(far=X[N()] - 5)
        parts.far.loss(lambda squared: f.log(1 + squared / s) * s)
        summary = energy.solver(backend="interpreter").solve(X=np.zeros(1), s=1.0)
        self.assertAlmostEqual(summary.initial_cost, 0.5 * np.log(26))

    def test_faults_of_functions_name_their_lines(self):
        for wrong, message in [
            (lambda s: s / 2, r"rho'\(0\) = 0.5; it must be 1"),
            (lambda s: f.hubert(s), "hubert"),
        ]:
            energy = denoise()
            energy.residuals().fit.loss(wrong)
            with self.assertRaisesRegex(thallo.EnergyError, "energy_test.py:[0-9]+: .*" + message):
                energy.solver()
        with self.assertRaisesRegex(thallo.InputError, "a NoneType in an expression"):
            denoise().residuals().fit.loss(lambda s: None)

    def test_scales_of_losses_are_made_of_params(self):
        energy = thallo.Energy("scaled")
        (N,) = energy.dims("N")
        X, r = energy.unknown("X", "double", N), energy.param("r")
        parts = energy.residuals(far=X[N()] - 5)
        parts.far.loss(f.cauchy(2 * r))
        summary = energy.solver(backend="interpreter").solve(X=np.zeros(1), r=0.5)
        self.assertAlmostEqual(summary.initial_cost, 0.5 * np.log(26))

    def test_optional_maps(self):
        energy = thallo.Energy("chain")
        (N,) = energy.dims("N")
        X, A = energy.unknown("X", "double", N), energy.array("A", "double", N)
        after = energy.sparse("after", N, N, optional=True)
        n = N()
        step = f.Select(f.InBounds(after[n]), X[n] - X[after[n]], 0)
        energy.residuals(fit=X[n] - A[n], step=step)
        found = energy.solver(backend="interpreter").solve(
            A=np.array([0.0, 3, 3]), X=np.zeros(3), after=np.array([1, -1, 1], np.int32)
        )["X"]
        np.testing.assert_allclose(found, [1.125, 2.25, 2.625], atol=1e-6)

    def test_schedules(self):
        def schedule(r):
            r.fit.strategy("[JtJ]p")
            r.fit.JtJ.storage("dense")

        found = line(schedule=schedule)
        self.assertIn("[JtJ]p", found.schedule)
        self.assertIn("dense", found.schedule)
        self.assertAlmostEqual(found.final_cost, line().final_cost, places=6)

    def test_all_constructs(self):
        energy = thallo.Energy("all")
        W, H = energy.dims("W", "H")
        L = energy.dim("L", position=2)
        X = energy.unknown("X", "double2", W, H, slot=4)
        before = energy.array("before", "double2", W, H, slot=4)
        A = energy.array("A", "double3", W, H)
        stack = energy.array("stack", "double", W, H, L)
        lens = energy.param("lens", "double2", slot=7)
        x, y, k = W("x"), H("y"), L("k")
        channels = f.Slice(A, 0, 2)
        shade = f.name("shade", channels[x, y] * X[x, y])
        shade.materialize(value=True, gradient=False)
        stored = f.ComputedArray("stored", [x, y], A[x, y, 2] * X[x, y].sum())
        sampled = f.SampledImage(A)[x.asvalue() + 0.5, y.asvalue()]
        layer = f.SampledImageArray(stack)[x.asvalue(), y.asvalue(), 1]
        inside = f.And(f.InBounds(x + k - 1, W), f.InBoundsExpanded(x, y, 1))
        swapped = f.matmul(f.Vector(0, 1, 1, 0), f.Vector(X[x, y], 1, 2)).slice(0, 2)
        parts = energy.residuals(
            get=shade.get(x, y) - shade.get(x + 1, y),
            stored=stored[x, y] - stored[x, y + 1],
            sums=f.Sum([k], f.Select(f.InBounds(x + k - 1, W), stack[x, y, k], 0)) * X[x, y, 0],
            images=X[x, y].dot(sampled.slice(0, 2)) + layer * X[x, y, 1],
            slow=X[x, y] - f.Constant(X[x, y]) + before[x, y] * lens,
            vectors=f.Vector(1, 2) * X[x, y] + swapped,
            inside=f.Select(inside, X[x + k - 1, y, 0], 0) + 0 * stack[x, y, k],
        )
        X.exclude(A[x, y, 0] < 0.2)
        energy.call("UsePreconditioner", True)
        parts.images.reorder(y, x)
        parts.merge(parts.get, parts.stored).J.set_materialize(True)
        rng = np.random.default_rng(1)
        data = {
            "X": rng.random((4, 3, 2)),
            "A": rng.random((4, 3, 3)),
            "stack": rng.random((2, 4, 3)),
            "lens": np.array([0.5, 0.25]),
        }
        by_python = energy.solver(backend="interpreter").bind(**data).residuals_and_jacobian()
        by_text = (
            thallo.Solver(
                """
            local W, H, L = Dim("W", 0), Dim("H", 1), Dim("L", 2)
            Inputs {
              X = Unknown(double2, {W, H}, 4), before = Array(double2, {W, H}, 4),
              A = Array(double3, {W, H}), stack = Array(double, {W, H, L}), lens = Param(double2, 7),
            }
            local x, y, k = W("x"), H("y"), L("k")
            shade = Slice(A, 0, 2)(x, y) * X(x, y)
            shade:materialize{value = true, gradient = false}
            local stored = ComputedArray("stored", {x, y}, A(x, y, 2) * X(x, y):sum())
            local sampled = SampledImage(A)(x:asvalue() + 0.5, y:asvalue())
            local layer = SampledImageArray(stack)(x:asvalue(), y:asvalue(), 1)
            local inside = And(InBounds(x + k - 1, W), InBoundsExpanded(x, y, 1))
            local swapped = matmul(Vector(0, 1, 1, 0), Vector(X(x, y), 1, 2)):slice(0, 2)
            local window = Select(InBounds(x + k - 1, W), stack(x, y, k), 0)
            local r = Residuals {
              get = shade:get(x, y) - shade:get(x + 1, y),
              stored = stored(x, y) - stored(x, y + 1),
              sums = Sum({k}, window) * X(x, y, 0),
              images = X(x, y):dot(sampled:slice(0, 2)) + layer * X(x, y, 1),
              slow = X(x, y) - Constant(X(x, y)) + before(x, y) * lens,
              vectors = Vector(1, 2) * X(x, y) + swapped,
              inside = Select(inside, X(x + k - 1, y, 0), 0) + 0 * stack(x, y, k),
            }
            X:Exclude(less(A(x, y, 0), 0.2))
            """,
                backend="interpreter",
            )
            .bind(**data)
            .residuals_and_jacobian()
        )
        np.testing.assert_array_equal(by_python[0], by_text[0])
        jacobians = [
            each if isinstance(each, tuple) else (each.toarray(),)
            for each in (by_python[1], by_text[1])
        ]
        for one, other in zip(*jacobians):
            np.testing.assert_array_equal(one, other)

    def test_faults_of_statements_name_lines_in_python(self):
        energy = denoise()
        parts = energy.residuals()
        parts.fit.loss(f.hubert(1)); where = line_here()  # fmt: skip
        with self.assertRaisesRegex(thallo.EnergyError, f"energy_test.py:{where}: .*huber"):
            energy.solver()
        other = thallo.Energy("other").param("w")
        with self.assertRaisesRegex(thallo.InputError, "another energy"):
            parts.fit.loss(f.huber(other))


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
        with self.assertRaises(TypeError):
            f.Vector(1, 2) + 1
        with self.assertRaisesRegex(thallo.InputError, "a dict in an expression"):
            a + {}


if __name__ == "__main__":
    unittest.main()
