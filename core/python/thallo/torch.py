"""A solve as a layer of PyTorch: its solution has gradients by its inputs.

    denoise = thallo.torch.Layer("denoise.lua")
    X = denoise(X=torch.zeros_like(noisy), A=noisy, w=weight)["X"]
    (X - clean).square().sum().backward()  # weight.grad
"""

from __future__ import annotations

from typing import Any

import torch

from ._layer import Layer as _Layer

__all__ = ["Layer"]


class _Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, layer: _Layer, names: list[str], *values):  # type: ignore[override]
        inputs = {name: _bindable(value) for name, value in zip(names, values)}
        for name in layer.unknowns:  # the caller keeps its start
            value = inputs[name]
            inputs[name] = value.clone() if torch.is_tensor(value) else value.copy()
        solution = layer.solve(inputs)
        ctx.layer, ctx.names, ctx.inputs = layer, names, inputs
        ctx.values = [value if torch.is_tensor(value) else None for value in values]
        starts = dict(zip(names, values))
        return tuple(_tensor(solution[name], starts[name]) for name in layer.unknowns)

    @staticmethod
    def backward(ctx, *gradients):  # type: ignore[override]
        wanted = [name for name, is_it in zip(ctx.names, ctx.needs_input_grad[2:]) if is_it]
        by_unknowns = {
            name: gradient.detach().cpu().numpy()
            for name, gradient in zip(ctx.layer.unknowns, gradients)
            if gradient is not None
        }
        found = ctx.layer.pull_back(ctx.inputs, by_unknowns, wanted)
        results = [
            _tensor(found[name], value) if name in found and value is not None else None
            for name, value in zip(ctx.names, ctx.values)
        ]
        return (None, None, *results)


def _bindable(value: Any) -> Any:
    """What a solver binds: an array on the GPU as it is, on the host one of numpy, or a number."""
    if not torch.is_tensor(value):
        return value
    if value.ndim == 0:
        return float(value)
    return value.detach() if value.is_cuda else value.detach().contiguous().numpy()


def _tensor(array: Any, like: Any) -> torch.Tensor:
    return torch.as_tensor(array).to(like) if torch.is_tensor(like) else torch.as_tensor(array)


class Layer(torch.nn.Module):
    """layer(**inputs) solves an energy and returns its unknowns by name.

    energy: a path or text, or a Solver; the other arguments are those of a Solver. Inputs are
    tensors and numbers, among them the start of each unknown, which is left as it is. Gradients are
    by arrays and params: those by starts are zero, since a minimum does not depend on its start.
    """

    def __init__(self, energy: Any, **creation: Any) -> None:
        super().__init__()
        self._layer = _Layer(energy, creation)

    def forward(self, **inputs: Any) -> dict[str, torch.Tensor]:
        self._layer.check(inputs)
        names = list(inputs)
        solution = _Solve.apply(self._layer, names, *(inputs[name] for name in names))
        return dict(zip(self._layer.unknowns, solution))
