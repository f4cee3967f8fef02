-- Deformation of a lattice that a mesh is embedded in: pull the lattice's two ends, and let the
-- rest follow as rigidly as possible.
--
--   E(P, A) = 1/2 sum_n    w_fit [n is constrained] |P_n - C_n|^2
--           + 1/2 sum_n,m  w_reg |(P_n - P_m) - R(A_n) (O_n - O_m)|^2
--
-- n runs over the nodes of the lattice, m over the up to six nodes beside n. P_n is where node n
-- goes, O_n where it was, C_n where the user wants it, R(A_n) the rotation by the angles A_n about
-- the axes x, y, z.

local W, H, D = Dims("W", "H", "D")

Inputs {
  Offset      = Unknown(thallo_float3, {W, H, D}, 0),  -- P
  Angle       = Unknown(thallo_float3, {W, H, D}, 1),  -- A, in radians
  UrShape     = Array(thallo_float3, {W, H, D}, 2),    -- O
  Constraints = Array(thallo_float3, {W, H, D}, 3),    -- C, -infinity where there is none
  w_fitSqrt   = Param(float, 4),                       -- square roots of the weights
  w_regSqrt   = Param(float, 5),
}
UsePreconditioner(true)

local x, y, z = W(), H(), D()
local C = Constraints(x, y, z)

local reg = {}
for i, j, k in Stencil {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}} do
  local edge    = Offset(x, y, z) - Offset(x + i, y + j, z + k)
  local ur_edge = UrShape(x, y, z) - UrShape(x + i, y + j, z + k)
  local rigid   = w_regSqrt * (edge - Rotate3D(Angle(x, y, z), ur_edge))
  reg[#reg + 1] = Select(InBounds(x + i, y + j, z + k), rigid, 0)
end

Residuals {
  fit = Select(greatereq(C(0), -999999.9), w_fitSqrt * (Offset(x, y, z) - C), 0),
  reg = reg,
}
