"""The mathematics by which `thallo fit` fits cost models, and that the program evaluates what it
has fitted as it was fitted."""

import json
import pathlib
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print("numpy is not there: skipped")
    sys.exit(77)

from thallo_tools import learning
from thallo_tools.command import thallo


class NonNegativeLeastSquares(unittest.TestCase):
    def test_is_the_unconstrained_solution_where_that_is_positive(self):
        rows, wanted = np.array([[2.0, 1], [1, 3], [0, 1]]), np.array([3, 6.5, 2])
        x = learning.non_negative_least_squares(rows.T @ rows, rows.T @ wanted)
        np.testing.assert_allclose(x, [0.5, 2])

    def test_is_optimal_for_random_systems(self):
        """By the conditions of Karush, Kuhn and Tucker, which hold at the minimum and nowhere
        else."""
        random = np.random.default_rng(7)
        for _ in range(50):
            rows, wanted = random.normal(size=(12, 6)), random.normal(size=12)
            x = learning.non_negative_least_squares(rows.T @ rows, rows.T @ wanted)
            descent = rows.T @ (wanted - rows @ x)
            self.assertTrue(
                (x >= 0).all() and (descent < 1e-6).all() and (abs(x * descent) < 1e-6).all()
            )


class Network(unittest.TestCase):
    def test_has_the_gradient_of_differences(self):
        random = np.random.default_rng(3)
        network = learning._Network(random.normal(size=(9, 5)), 4, learning.Random(1))
        network.weights = [random.normal(size=w.shape) for w in network.weights]
        network.biases = [random.normal(size=b.shape) for b in network.biases]
        properties, by_logs = random.normal(size=(9, 5)), random.normal(size=(9, 4))
        inputs, logs = network.forward(properties)
        gradient = network.gradient(inputs, logs, by_logs)
        for values, its in zip(network.weights + network.biases, gradient):
            place = tuple(size // 2 for size in values.shape)
            losses = []
            for step in (1e-6, -2e-6):
                values[place] += step
                losses.append((network.forward(properties)[1] * by_logs).sum())
            values[place] += 1e-6
            self.assertAlmostEqual((losses[0] - losses[1]) / 2e-6, its[place], delta=1e-4)

    def test_has_the_derivatives_of_the_loss(self):
        names = ["start", "move", "miss", "ask", "contend", "send", "flops"]
        components = learning._components(names)
        terms = np.linspace(1, 2, 7)[None] * 1e-6

        def total(logs):
            waits = (terms * np.exp(logs)) @ components
            return (terms * np.exp(logs))[:, 0] + (waits**4).sum(1) ** 0.25

        seconds = 1.1 * total(0)

        def loss(logs):
            return (np.log(total(logs) / seconds) ** 2).sum() / 2

        by_logs = learning._loss_by_logs(terms, seconds, np.ones(1), 0, components)[0]
        for i, step in enumerate(1e-5 * np.eye(len(names))):
            self.assertAlmostEqual((loss(step) - loss(-step)) / 2e-5, by_logs[i], delta=1e-5)


class FittedModels(unittest.TestCase):
    def test_predict_in_the_program_as_they_were_fitted(self):
        with tempfile.TemporaryDirectory() as folder:
            store, path = f"{folder}/a.store", pathlib.Path(folder, "model.json")
            flags = ["--backend", "interpreter", "--store", store, "--best", "0"]
            search = ["--search", "random", "--sample", "12"]
            thallo("explore", "curve_fit", "--points=20", *flags, *search)
            measured = learning.TrainingSet([store])
            learning.LEAST_STEPS = 10
            told = learning.fit("learned", measured)
            path.write_text(json.dumps(told))
            by_program = thallo("store", "steps", store, "--model", str(path))
            predicted = by_program["predictions"][str(path)]
            network = learning._Network(measured.steps["properties"], 15, learning.Random(1))
            network.means = np.array(told["means"])
            network.deviations = np.array(told["deviations"])
            network.weights = [np.array(layer["weights"]).T for layer in told["layers"]]
            network.biases = [np.array(layer["biases"]) for layer in told["layers"]]
            _, logs = network.forward(measured.steps["properties"])
            terms = measured.steps["terms"] * np.exp(logs)
            waits = terms @ learning._components(measured.names["terms"])
            total = terms[:, 0] + (waits**learning.SHARPNESS).sum(1) ** (1 / learning.SHARPNESS)
            np.testing.assert_allclose(predicted["steps"], total, rtol=1e-4)
            self.assertEqual(len(predicted["schedules"]), len(measured.schedules["seconds"]))


unittest.main()
