-- Deformation of a grid that a mesh is embedded in, as rigid as possible.
local W, H, D = Dim("W", 0), Dim("H", 1), Dim("D", 2)
local Offset = Unknown("Offset", opt_float3, {W, H, D}, 0)
local Angle = Unknown("Angle", opt_float3, {W, H, D}, 1)
local UrShape = Image("UrShape", opt_float3, {W, H, D}, 2)
local Constraints = Image("Constraints", opt_float3, {W, H, D}, 3)
local w_fitSqrt = Param("w_fitSqrt", float, 4)
local w_regSqrt = Param("w_regSqrt", float, 5)
UsePreconditioner(true)

local pull = Offset(0, 0, 0) - Constraints(0, 0, 0)
Energy(Select(greatereq(Constraints(0, 0, 0, 0), -999999.9), w_fitSqrt * pull, 0))

for i, j, k in Stencil {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}} do
  local turned = Rotate3D(Angle(0, 0, 0), UrShape(0, 0, 0) - UrShape(i, j, k))
  local stretch = Offset(0, 0, 0) - Offset(i, j, k) - turned
  Energy(Select(InBounds(i, j, k), w_regSqrt * stretch, 0))
end
