"""A solve as a function of JAX: its solution has gradients by its inputs, under jit too.

    denoise = thallo.jax.layer("denoise.lua")
    def loss(w):
        return ((denoise(X=start, A=noisy, w=w)["X"] - clean) ** 2).sum()
    jax.grad(loss)(1.0)
"""

from __future__ import annotations

from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np

from ._layer import Layer

__all__ = ["layer"]


def layer(energy: Any, **creation: Any) -> Callable[..., dict[str, jax.Array]]:
    """Returns f(**inputs), which solves an energy and returns its unknowns by name.

    energy: a path or text, or a Solver; the other arguments are those of a Solver. Inputs are
    arrays and numbers, among them the start of each unknown. Gradients are by arrays and params.
    The solver is called on the host, with the values there.
    """
    shared = Layer(energy, creation)

    @jax.custom_vjp
    def solve(inputs: dict[str, jax.Array]) -> dict[str, jax.Array]:
        shapes = {name: jax.ShapeDtypeStruct(inputs[name].shape, inputs[name].dtype) for name in shared.unknowns}
        return jax.pure_callback(lambda values: shared.solve(_on_host(values)), shapes, inputs)

    def forward(inputs):
        solution = solve(inputs)
        return solution, (inputs, solution)

    def backward(kept, gradients):
        inputs, solution = kept
        shapes = {name: jax.ShapeDtypeStruct(it.shape, it.dtype) for name, it in inputs.items()}

        def call(inputs, solution, gradients):
            values, by_unknowns = _on_host({**inputs, **solution}), _on_host(gradients)
            found = shared.pull_back(values, by_unknowns, list(inputs))
            return {
                name: np.asarray(found.get(name, np.zeros(it.shape)), it.dtype)
                for name, it in shapes.items()
            }

        return (jax.pure_callback(call, shapes, inputs, solution, gradients),)

    solve.defvjp(forward, backward)

    def call(**inputs: Any) -> dict[str, jax.Array]:
        shared.check(inputs)
        return solve({name: jnp.asarray(value) for name, value in inputs.items()})

    return call


def _on_host(values: dict[str, Any]) -> dict[str, Any]:
    """Arrays of numpy that may be written to; params are numbers."""
    return {name: float(it) if np.ndim(it) == 0 else np.array(it) for name, it in values.items()}
