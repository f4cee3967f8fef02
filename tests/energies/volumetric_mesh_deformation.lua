-- As-rigid-as-possible deformation of a grid that a mesh is embedded in.
--
--   fit   = w_fit (O - C)                             where C constrains the node
--   reg_d = w_reg ((O - O_d) - R(a) (U - U_d))        d in the 6 neighbors

local W, H, D = Dims("W", "H", "D")

Inputs {
  Offset      = Unknown(thallo_float3, {W, H, D}, 0),
  Angle       = Unknown(thallo_float3, {W, H, D}, 1),
  UrShape     = Array(thallo_float3, {W, H, D}, 2),
  Constraints = Array(thallo_float3, {W, H, D}, 3),  -- -inf where there is none
  w_fitSqrt   = Param(float, 4),
  w_regSqrt   = Param(float, 5),
}
UsePreconditioner(true)

local x, y, z = W(), H(), D()
local constrained = greatereq(Constraints(x, y, z, 0), -999999.9)

local reg = {}
for i, j, k in Stencil {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}} do
  local edge = Offset(x, y, z) - Offset(x + i, y + j, z + k)
  local ur_edge = UrShape(x, y, z) - UrShape(x + i, y + j, z + k)
  local rigid = w_regSqrt * (edge - Rotate3D(Angle(x, y, z), ur_edge))
  reg[#reg + 1] = Select(InBounds(x + i, y + j, z + k), rigid, 0)
end

Residuals {
  fit = Select(constrained, w_fitSqrt * (Offset(x, y, z) - Constraints(x, y, z)), 0),
  reg = reg,
}
