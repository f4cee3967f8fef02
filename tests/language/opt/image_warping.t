-- Image warping: the image follows the pixels that are moved as rigidly as possible.
local W, H = Dim("W", 0), Dim("H", 1)
local Offset = Unknown("Offset", opt_float2, {W, H}, 0)
local Angle = Unknown("Angle", opt_float, {W, H}, 1)
local UrShape = Array("UrShape", opt_float2, {W, H}, 2)
local Constraints = Array("Constraints", opt_float2, {W, H}, 3)
local Mask = Array("Mask", uint8, {W, H}, 4)
local w_fitSqrt = Param("w_fitSqrt", float, 5)
local w_regSqrt = Param("w_regSqrt", float, 6)
UsePreconditioner(true)
Exclude(Not(eq(Mask(0, 0), 0)))

local constrained = All(greatereq(Constraints(0, 0), 0))
Energy(Select(constrained, w_fitSqrt * (Offset(0, 0) - Constraints(0, 0)), 0))

for i, j in Stencil {{1, 0}, {-1, 0}, {0, 1}, {0, -1}} do
  local edge = Offset(0, 0) - Offset(i, j)
  local turned = Rotate2D(Angle(0, 0), UrShape(0, 0) - UrShape(i, j))
  local inside = InBounds(i, j) * eq(Mask(i, j), 0)
  Energy(Select(inside, w_regSqrt * (edge - turned), 0))
end
