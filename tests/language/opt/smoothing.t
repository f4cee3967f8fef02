-- Denoising. No residual asks for bounds, so each is left out where it would read outside; the
-- stored array widens what its reader reads. Excluded pixels keep their values.
local W, H = Dim("W", 0), Dim("H", 1)
local X = Unknown("X", {W, H}, 0)
local A = Array("A", {W, H}, 1)
local Mask = Array("Mask", int, {W, H}, 2)
local w = Param("w", float, 3)

local L = ComputedArray("L", {W, H}, X(-1, 0) + X(1, 0) - 2 * X(0, 0))
Energy(w * (X(0, 0) - A(0, 0)), Vector(X(0, 0) - X(1, 0), X(0, 0) - X(0, 2)))
Energy(L(0, 1) - L(0, 0))
Energy(Select(InBounds(0, 0), X(0, 0) - X(0, -1), 0))
Exclude(eq(Mask(0, 0), 1))
