# %% [markdown]
# # A picture without noise, a fish that is bent, and a faster schedule
#
# Run this file as it is, or cell by cell where an editor knows cells. It needs numpy; pictures are
# shown where matplotlib is. docs/python.md explains the calls.

# %%
import tempfile

import numpy as np

import thallo

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None


def show(*pictures):
    """Shows gray pictures side by side."""
    if plt is None:
        return
    figure, axes = plt.subplots(1, len(pictures), figsize=(3 * len(pictures), 3))
    for axis, picture in zip(np.atleast_1d(axes), pictures):
        axis.imshow(picture, cmap="gray")
        axis.set_axis_off()
    plt.show()


# %% [markdown]
# ## An energy of one's own
#
# What is near in the picture should be alike, and near to what was seen. A robust norm keeps edges:
# its weights depend on the picture, so several nonlinear iterations are needed.

# %%
denoise = thallo.Solver(
    """
local W, H = Dims("W", "H")
Inputs { X = Unknown(float, {W, H}), A = Array(float, {W, H}), w = Param(float) }
local x, y = W(), H()
local function step(dx, dy)
  local d = X(x, y) - X(x + dx, y + dy)
  return Select(InBounds(x + dx, y + dy), d / (d * d + 0.01) ^ 0.25, 0)
end
Residuals { fit = w * (X(x, y) - A(x, y)), right = step(1, 0), down = step(0, 1) }
""",
    name="denoise.lua",
)
y, x = np.mgrid[0:48, 0:64]
truth = ((x - 32) ** 2 + (y - 24) ** 2 < 15**2).astype(np.float32)
noisy = truth + 0.2 * np.random.default_rng(0).standard_normal(truth.shape).astype(np.float32)
summary = denoise.solve(X=noisy.copy(), A=noisy, w=1.0)
print(summary)
before, after = np.abs(noisy - truth).mean(), np.abs(summary["X"] - truth).mean()
print(f"mean error {before:.3f} before, {after:.3f} after")
show(truth, noisy, summary["X"])

# %% [markdown]
# ## A problem of the plugins
#
# The fish is pulled at its handles, in several solves. Its arrays can be changed: here one half of
# the fish is held less strictly.

# %%
warping = thallo.problems.image_warping(size=16, solves=3)
print(warping.inputs)
goes_on = True
while goes_on:
    summary = warping.solve()
    print(f"cost {summary.initial_cost:.4g} -> {summary.final_cost:.4g}")
    goes_on = warping.advance()
offset = summary["Offset"]
print("the largest move:", np.abs(offset - warping.bound["UrShape"]).max(), "pixels")
show(warping.bound["Mask"], offset[..., 0], offset[..., 1])

# %% [markdown]
# ## What the schedule costs

# %%
print(warping.explain())

# %% [markdown]
# ## A faster one
#
# Some schedules are measured, and the fastest is used. Looking at more finds better ones.

# %%
with tempfile.TemporaryDirectory() as folder:
    found = thallo.explore(
        warping, sample=8, best=0, store=f"{folder}/warping.store", progress=True
    )
    print(found)
    found.plots["distribution"].save(f"{folder}/times.svg")
warping.schedule = found.best
summary = warping.solve()
print(summary.schedule or "the default schedule")
found
