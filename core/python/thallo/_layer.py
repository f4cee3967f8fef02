"""A solve as a step of a longer computation: what thallo.torch and thallo.jax have in common."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from . import _library as c
from ._errors import InputError
from ._solver import Solver


class Layer:
    """Solves for inputs from starts, and pulls gradients back to the inputs.

    Calls may come in any order: pull_back() gets a solution with the inputs that it is of.
    """

    def __init__(self, energy: Any, creation: Mapping[str, Any]) -> None:
        self.solver = energy if isinstance(energy, Solver) else Solver(energy, **creation)
        declared = self.solver._declared.values()
        self.unknowns = [each.name for each in declared if each.kind == c.UNKNOWN]
        self._differentiable = [each.name for each in declared if each.kind in (c.ARRAY, c.PARAM)]

    def check(self, inputs: Mapping[str, Any]) -> None:
        for name in self.unknowns:
            if name not in inputs:
                raise InputError(
                    f"the unknown '{name}' has no start; hand one over, an array as large as its solution"
                )

    def solve(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The unknowns at the solution; the starts among the inputs are written over."""
        self.solver.solve(**inputs)
        return {name: inputs[name] for name in self.unknowns}

    def pull_back(
        self,
        inputs: Mapping[str, Any],
        gradients: Mapping[str, np.ndarray],
        wanted: list[str],
    ) -> dict[str, np.ndarray]:
        """The gradients by those inputs that have one; of unknowns, `inputs` are the solution."""
        self.solver.bind(**inputs)
        return self.solver.pull_back(gradients, [it for it in wanted if it in self._differentiable])
