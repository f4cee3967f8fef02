"""thallo.torch and thallo.jax, each where its library is there."""

import importlib.util
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("numpy is not there: skipped")
    sys.exit(77)

import thallo

TEXT = """
local W, H = Dims("W", "H")
Inputs { X = Unknown(double, {W, H}), A = Array(double, {W, H}), w = Param(double) }
local x, y = W(), H()
local r = Residuals {
  fit = X(x, y) - A(x, y),
  along = w * Select(InBounds(x + 1), X(x + 1, y) - X(x, y), 0),
  across = 0.4 * Select(InBounds(y + 1), X(x, y + 1) - X(x, y), 0),
}
r.along:loss(cauchy(0.3))
"""
OPTIONS = {"function_tolerance": 0, "gradient_tolerance": 1e-12, "nIterations": 100}
A = np.random.default_rng(0).standard_normal((4, 5))
START = np.zeros((4, 5))


def has(module):
    return importlib.util.find_spec(module) is not None


if not has("torch") and not has("jax"):
    print("neither torch nor jax is there: skipped")
    sys.exit(77)


@unittest.skipUnless(has("torch"), "torch is not there")
class Torch(unittest.TestCase):
    def setUp(self):
        import thallo.torch
        import torch

        self.torch = torch
        self.layer = thallo.torch.Layer(TEXT, backend="cpu", options=OPTIONS)
        self.start = torch.from_numpy(START)

    def solve(self, a, w):
        return self.layer(X=self.start, A=a, w=w)["X"]

    def test_gradients_are_those_of_differences(self):
        double = {"dtype": self.torch.float64, "requires_grad": True}
        inputs = self.torch.tensor(A, **double), self.torch.tensor(0.8, **double)
        self.assertTrue(
            self.torch.autograd.gradcheck(self.solve, inputs, eps=1e-3, atol=1e-4, rtol=1e-3)
        )
        self.assertEqual(self.start.abs().sum(), 0, "the start is left as it is")

    def test_a_later_solve_changes_no_gradient(self):
        w = self.torch.tensor(0.8, dtype=self.torch.float64, requires_grad=True)
        a = self.torch.tensor(A)
        (alone,) = self.torch.autograd.grad(self.solve(a, w).square().sum(), w)
        first = self.solve(a, w)
        self.solve(3 * a, w)
        (late,) = self.torch.autograd.grad(first.square().sum(), w)
        self.assertAlmostEqual(float(late), float(alone), places=9)

    def test_a_start_is_wanted(self):
        with self.assertRaisesRegex(thallo.InputError, "'X' has no start"):
            self.layer(A=self.torch.tensor(A), w=0.8)


@unittest.skipUnless(has("jax"), "jax is not there")
class Jax(unittest.TestCase):
    def test_gradients_are_those_of_differences(self):
        import jax
        import thallo.jax

        jax.config.update("jax_enable_x64", True)
        solve = thallo.jax.layer(TEXT, backend="cpu", options=OPTIONS)

        def loss(a, w):
            return (solve(X=START, A=a, w=w)["X"] ** 3).sum()

        da, dw = jax.jit(jax.grad(loss, argnums=(0, 1)))(A, 0.8)
        h = 1e-3
        self.assertAlmostEqual(
            float(dw), float(loss(A, 0.8 + h) - loss(A, 0.8 - h)) / (2 * h), places=3
        )
        step = np.zeros_like(A)
        step[1, 2] = h
        difference = float(loss(A + step, 0.8) - loss(A - step, 0.8)) / (2 * h)
        self.assertAlmostEqual(float(da[1, 2]), difference, places=3)


if __name__ == "__main__":
    unittest.main()
