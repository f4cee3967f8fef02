"""Fits cost models to measured steps, and judges predictions. core/cost/learned has the models and
evaluates them; this is how their coefficients are found.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator, Optional, Sequence

from .command import Fault, did_you_mean, thallo

try:
    import numpy as np
except ImportError as error:
    raise Fault(
        f"models are fitted with numpy, which {sys.executable} does not have; install it, or name "
        "another Python by THALLO_PYTHON"
    ) from error

MODELS = ("learned-linear", "learned")

LEAST_STEPS = 100
LEAST_RANKED = 8  # schedules of an input, for what their order says

# How much the coefficients of a sum of terms are drawn to one, in steps that would say so.
PRIOR_WEIGHT = 3e-3

# The network (core/cost/learned/learned_model.cpp).
HIDDEN_UNITS = 32
MOST_DEVIATIONS = 4
LARGEST_LOG = 2
LEAK = np.float32(0.01)
LEAST_DEVIATION = 1e-6  # a property that varies less has one value in all steps
EPOCHS = 20  # how often the network sees each step
BATCH_SIZE = 256
LEARNING_RATE = 2e-3  # of Adam, at the beginning; it falls to a hundredth
DECAY = 3  # of the weights, towards the analytic model
# Errors beyond this logarithm count linearly, so that a few steps which no term explains do not
# decide.
LARGEST_SQUARED = 0.2

# The terms that a step waits for side by side (core/cost/model/analytic.h); all others are what
# threads do, one after the other.
SIDE_BY_SIDE = (("move", "miss"), ("ask", "gather"), ("contend",), ("store", "send"))
SHARPNESS = 4


def _mixed(states: Any) -> Any:
    states = (states ^ (states >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    states = (states ^ (states >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return states ^ (states >> np.uint64(31))


class Random:
    """The numbers of core/base/random.h, many at a time."""

    def __init__(self, seed: int) -> None:
        self._seed, self._drawn = seed, 0

    def uniform(self, count: int) -> Any:
        steps = np.arange(self._drawn + 1, self._drawn + count + 1, dtype=np.uint64)
        self._drawn += count
        states = np.uint64(self._seed) + steps * np.uint64(0x9E3779B97F4A7C15)
        return (_mixed(states) >> np.uint64(11)).astype(float) * 2.0**-53

    def shuffle(self, order: list[int]) -> None:
        sizes = np.arange(len(order), 1, -1)
        places = (self.uniform(len(sizes)) * sizes).astype(int)
        for last, place in zip((sizes - 1).tolist(), places.tolist()):
            order[last], order[place] = order[place], order[last]


class TrainingSet:
    """The measured steps of stores, with what models read of them."""

    def __init__(self, stores: Sequence[str], device: str = "") -> None:
        self.selection = [*stores, *(["--device", device] if device else [])]
        told = thallo("store", "steps", *self.selection)
        self.device: str = told["device"]
        self.problems: list[str] = told["problems"]
        self.left_out: dict[str, int] = told["left_out"]
        self.unfitted: list[str] = told["unfitted"]
        self.names = {key: told[key] for key in ("terms", "families", "properties")}
        self.steps = {key: np.array(values) for key, values in told["steps"].items()}
        self.schedules = {key: np.array(values) for key, values in told["schedules"].items()}

    def problem_number(self, name: str) -> int:
        if name in self.problems:
            return self.problems.index(name)
        hint = did_you_mean(name, self.problems)
        legal = ", ".join(self.problems)
        raise Fault(f"nothing was measured of a problem '{name}'{hint} (legal: {legal})")


class _Steps:
    """What a model is fitted to: the steps of all problems, or of all but one."""

    def __init__(self, of: TrainingSet, left_out: Optional[int]) -> None:
        problem, seconds = of.steps["problem"], of.steps["seconds"]
        kept = np.ones(len(problem), bool) if left_out is None else problem != left_out
        # Of a schedule's time, short steps are a small share. Of a problem with many measured
        # steps, each says little that the others do not.
        weight = np.sqrt(seconds / np.bincount(problem)[problem])[kept]
        self.weight = weight / weight.mean() if len(weight) else weight
        self.seconds = seconds[kept]
        self.family = of.steps["family"][kept]
        self.terms = of.steps["terms"][kept]
        self.properties = of.steps["properties"][kept].astype(np.float32)


def non_negative_least_squares(gram: Any, right: Any) -> Any:
    """The x >= 0 with the least |A x - b|, given A^T A and A^T b, by the active-set method of
    Lawson and Hanson (Solving Least Squares Problems, 1974, chapter 23)."""
    tolerance = 1e-12 * gram.diagonal().max()
    x, free = np.zeros(len(right)), np.zeros(len(right), bool)
    for _ in range(3 * len(right)):
        # Frees the coefficient by which the error falls the fastest.
        descent = np.where(free | (gram.diagonal() <= tolerance), -np.inf, right - gram @ x)
        if descent.max() <= tolerance:
            break
        free[descent.argmax()] = True
        while True:
            # Goes towards the unconstrained solution until a coefficient would become negative,
            # which is then fixed at zero.
            wanted = np.zeros(len(right))
            wanted[free] = np.linalg.solve(gram[np.ix_(free, free)], right[free])
            falling = free & (wanted <= 0)
            lengths = x[falling] / np.maximum(x[falling] - wanted[falling], tolerance)
            x += lengths.min(initial=1) * (wanted - x)
            if not falling.any():
                break
            free &= x > tolerance
            x[~free] = 0
    return x


def _linear(of: TrainingSet, steps: _Steps) -> dict[str, Any]:
    families = []
    for number, name in enumerate(of.names["families"]):
        # Relative errors: the terms as shares of the measured time should add up to one.
        shares = (steps.terms / steps.seconds[:, None])[steps.family == number]
        gram = PRIOR_WEIGHT * np.eye(shares.shape[1]) + shares.T @ shares
        coefficients = non_negative_least_squares(gram, PRIOR_WEIGHT + shares.sum(0))
        families.append({"family": name, "coefficients": _rounded(coefficients)})
    return {"kind": "linear", "families": families, "means": [], "deviations": [], "layers": []}


class _Network:
    """A network that gives each term of a step its coefficient; rows are steps."""

    def __init__(self, properties: Any, num_terms: int, random: Random) -> None:
        self.means = properties.mean(0, dtype=float).astype(np.float32)
        deviations = properties.std(0, dtype=float)
        self.deviations = np.where(deviations > LEAST_DEVIATION, deviations, 1).astype(np.float32)
        sizes = [properties.shape[1], HIDDEN_UNITS, HIDDEN_UNITS, num_terms]
        # The first layers begin at random, the last one at zero.
        self.weights = []  # of a layer: inputs x outputs
        for inputs, outputs in zip(sizes, sizes[1:]):
            scale = 0.0 if outputs == num_terms else math.sqrt(6 / inputs)
            drawn = random.uniform(inputs * outputs) if scale else np.zeros(inputs * outputs)
            weights = scale * (2 * drawn.reshape(inputs, outputs) - 1)
            self.weights.append(weights.astype(np.float32))
        self.biases = [np.zeros(outputs, np.float32) for outputs in sizes[1:]]

    def forward(self, properties: Any) -> tuple[list[Any], Any]:
        """Returns the inputs of each layer, and the logarithms of the coefficients."""
        scaled = (properties - self.means) / self.deviations
        inputs = [np.clip(scaled, -MOST_DEVIATIONS, MOST_DEVIATIONS)]
        for weights, biases in zip(self.weights[:-1], self.biases):
            sums = inputs[-1] @ weights + biases
            inputs.append(np.maximum(sums, LEAK * sums))
        outputs = inputs[-1] @ self.weights[-1] + self.biases[-1]
        return inputs, LARGEST_LOG * np.tanh(outputs / LARGEST_LOG)

    def gradient(self, inputs: list[Any], logs: Any, by_logs: Any) -> list[Any]:
        """Returns the derivatives of a loss by weights and biases, given those by the
        logarithms."""
        by_sums = by_logs * (1 - (logs / LARGEST_LOG) ** 2)
        by_weights: list[Any] = []
        by_biases: list[Any] = []
        for layer in reversed(range(len(inputs))):
            by_weights.insert(0, inputs[layer].T @ by_sums)
            by_biases.insert(0, by_sums.sum(0))
            if layer > 0:
                slopes = np.where(inputs[layer] < 0, LEAK, np.float32(1))
                by_sums = (by_sums @ self.weights[layer].T) * slopes
        return by_weights + by_biases


class _Adam:
    """Kingma and Ba 2015, with weight decay apart from the gradient (Loshchilov and Hutter
    2019)."""

    def __init__(self, values: list[Any]) -> None:
        self._steps = 0
        self._first = [np.zeros_like(value) for value in values]
        self._second = [np.zeros_like(value) for value in values]

    def step(self, values: list[Any], gradient: list[Any], rate: float) -> None:
        self._steps += 1
        bias1, bias2 = 1 - 0.9**self._steps, 1 - 0.999**self._steps
        for value, by, first, second in zip(values, gradient, self._first, self._second):
            first += np.float32(0.1) * (by - first)
            second += np.float32(0.001) * (by * by - second)
            root = np.sqrt(second / np.float32(bias2)) + np.float32(1e-8)
            value -= np.float32(rate / bias1) * first / root


def _components(names: list[str]) -> Any:
    """Terms x components: the term's share in each of what a step waits for, but for its start."""
    of_term = {term: i for i, group in enumerate(SIDE_BY_SIDE) for term in group}
    numbers = [of_term.get(name, len(SIDE_BY_SIDE)) for name in names]
    shares = np.eye(len(SIDE_BY_SIDE) + 1)[numbers]
    shares[names.index("start")] = 0
    return shares


def _loss_by_logs(terms: Any, seconds: Any, weight: Any, start: int, components: Any) -> Any:
    """The derivatives of the loss by the logarithms of the coefficients of the corrected terms."""
    waits = terms @ components
    waited = (waits**SHARPNESS).sum(1) ** (1 / SHARPNESS)
    predicted = terms[:, start] + waited
    error = np.clip(np.log(predicted / seconds), -LARGEST_SQUARED, LARGEST_SQUARED)
    slopes = np.divide(waits.T, waited, out=np.zeros_like(waits.T), where=waited > 0).T
    by_terms = slopes ** (SHARPNESS - 1) @ components.T
    by_terms[:, start] = 1
    return ((weight * error / predicted)[:, None] * by_terms * terms).astype(np.float32)


def _network(of: TrainingSet, steps: _Steps, seed: int) -> dict[str, Any]:
    random = Random(seed)
    network = _Network(steps.properties, steps.terms.shape[1], random)
    values = network.weights + network.biases
    adam = _Adam(values)
    start, components = of.names["terms"].index("start"), _components(of.names["terms"])
    order = list(range(len(steps.seconds)))
    for epoch in range(EPOCHS):
        random.shuffle(order)
        falling = (1 + math.cos(math.pi * epoch / EPOCHS)) / 2
        rate = LEARNING_RATE * (0.01 + 0.99 * falling)
        for begin in range(0, len(order), BATCH_SIZE):
            batch = order[begin : begin + BATCH_SIZE]
            inputs, logs = network.forward(steps.properties[batch])
            terms = steps.terms[batch] * np.exp(logs.astype(float))
            by_logs = _loss_by_logs(
                terms, steps.seconds[batch], steps.weight[batch], start, components
            )
            gradient = network.gradient(inputs, logs, by_logs / np.float32(len(batch)))
            for weights in network.weights:
                weights *= np.float32(1 - rate * DECAY)
            adam.step(values, gradient, rate)
    layers = [
        {"weights": [_rounded(row) for row in weights.T], "biases": _rounded(biases)}
        for weights, biases in zip(network.weights, network.biases)
    ]
    means, deviations = _rounded(network.means), _rounded(network.deviations)
    return {
        "kind": "network",
        "families": [],
        "means": means,
        "deviations": deviations,
        "layers": layers,
    }


def _rounded(values: Any) -> list[float]:
    """Six digits are more than a coefficient has, and keep the file short."""
    return [float(f"{value:.6g}") for value in values]


def check_model(model: str) -> None:
    if model not in MODELS:
        raise Fault(f"'{model}' is no model that is fitted: {', '.join(MODELS)}")


def fit(
    model: str, of: TrainingSet, left_out: Optional[int] = None, seed: int = 1
) -> dict[str, Any]:
    """Returns the content of a model's file, fitted to the steps of all problems or all but one.
    Equal inputs give equal models."""
    check_model(model)
    steps = _Steps(of, left_out)
    if len(steps.seconds) < LEAST_STEPS:
        raise Fault(
            f"there are {len(steps.seconds)} measured steps to fit to, and at least {LEAST_STEPS} "
            "are needed: measure more by `thallo explore`"
        )
    num_problems = len(of.problems) - (left_out is not None)
    fitted_to = f"{len(steps.seconds)} times of steps of {num_problems} problems"
    fitted = _linear(of, steps) if model == "learned-linear" else _network(of, steps, seed)
    names = {key: of.names[key] for key in ("terms", "properties")}
    return {"thallo_model": 1, "device": of.device, "fitted_to": fitted_to, **names, **fitted}


def _ranks(values: Any) -> Any:
    """From 0; equal values have the mean of their ranks."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts + 1) / 2)[which]


def spearman(x: Any, y: Any) -> Optional[float]:
    if len(x) < 2:
        return None
    a, b = _ranks(x) - (len(x) - 1) / 2, _ranks(y) - (len(y) - 1) / 2
    size = math.sqrt((a @ a) * (b @ b))
    return float(a @ b) / size if size > 0 else None


def _median(values: list[float]) -> Optional[float]:
    return float(np.median(values)) if values else None


class Quality:
    """How well a model predicts the steps of a problem, and its schedules: medians over those of
    its inputs that have at least LEAST_RANKED, None without such an input."""

    def __init__(self, of: TrainingSet, problem: int, steps: Any, schedules: Any) -> None:
        self.predicted, self.measured = steps, of.steps["seconds"][of.steps["problem"] == problem]
        is_its = of.schedules["problem"] == problem
        self.num_schedules = int(is_its.sum())
        # The median of |log(predicted / measured)|.
        self.step_error = float(np.median(np.abs(np.log(self.predicted / self.measured))))
        seconds, instances = of.schedules["seconds"][is_its], of.schedules["instance"][is_its]
        rhos, firsts, means = [], [], []
        for instance in np.unique(instances):
            predicted, measured = schedules[instances == instance], seconds[instances == instance]
            if len(measured) < LEAST_RANKED:
                continue
            rho = spearman(predicted, measured)
            if rho is not None:
                rhos.append(rho)
            firsts.append(measured[predicted.argmin()] / measured.min())
            means.append(measured.mean() / measured.min())
        self.rho = _median(rhos)
        # The time of the schedule that is predicted to be the fastest, over that of the fastest,
        # and their mean time over that.
        self.first, self.mean = _median(firsts), _median(means)

    def explained_variance(self) -> Optional[float]:
        """The share of the variance of the logarithms of times; None if all times are equal."""
        logs = np.log(self.measured)
        variance = float(((logs - logs.mean()) ** 2).sum())
        unexplained = float(((np.log(self.predicted) - logs) ** 2).sum())
        return 1 - unexplained / variance if variance > 0 else None


def judge(
    of: TrainingSet,
    problems: Sequence[int],
    unfitted: Sequence[str],
    fitted: dict[int, dict[str, Any]],
) -> Iterator[list[Quality]]:
    """Yields for each problem the qualities of these models, and of the one that is fitted for
    it."""
    with tempfile.TemporaryDirectory() as folder:
        names = list(unfitted)
        for problem, model in fitted.items():
            path = Path(folder, f"{problem}.json")
            path.write_text(json.dumps(model))
            names.append(f"{of.problems[problem]}={path}")
        flags = [word for name in names for word in ("--model", name)]
        predictions = thallo("store", "steps", *of.selection, *flags)["predictions"]
    fitted_names = dict(zip(fitted, names[len(unfitted) :]))
    for problem in problems:
        qualities = []
        for name in [*unfitted, *([fitted_names[problem]] if problem in fitted else [])]:
            told = {key: np.array(values) for key, values in predictions[name].items()}
            if name in unfitted:
                told = {key: told[key][getattr(of, key)["problem"] == problem] for key in told}
            qualities.append(Quality(of, problem, told["steps"], told["schedules"]))
        yield qualities
