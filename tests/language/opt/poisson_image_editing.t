-- Poisson image editing. A pixel that is excluded keeps its value, and states no differences.
local W, H = Dim("W", 0), Dim("H", 1)
local X = Unknown("X", opt_float4, {W, H}, 0)
local T = Array("T", opt_float4, {W, H}, 1)
local M = Array("M", uint8, {W, H}, 2)
UsePreconditioner(false)

for i, j in Stencil {{1, 0}, {-1, 0}, {0, 1}, {0, -1}} do
  Energy(Select(InBounds(i, j), (X(0, 0) - X(i, j)) - (T(0, 0) - T(i, j)), 0))
end
Exclude(Not(eq(M(0, 0), 0)))
