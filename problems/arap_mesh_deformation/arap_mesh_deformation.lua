-- Mesh deformation: pull some vertices, and let the surface follow as rigidly as possible.
--
--   E(P, A) = 1/2 sum_v      w_fit [v is constrained] |P_v - C_v|^2
--           + 1/2 sum_(v,u)  w_reg |(P_v - P_u) - R(A_v) (O_v - O_u)|^2
--
-- v runs over the vertices, (v, u) over both directions of every edge. P_v is where vertex v goes,
-- O_v where it was, C_v where the user wants it, R(A_v) the rotation by the angles A_v about the
-- axes x, y, z.

local N, E = Dims("N", "E")

Inputs {
  Position    = Unknown(thallo_float3, {N}, 0),  -- P
  Angle       = Unknown(thallo_float3, {N}, 1),  -- A, in radians
  UrShape     = Array(thallo_float3, {N}, 2),    -- O
  Constraints = Array(thallo_float3, {N}, 3),    -- C, -infinity where there is none
  V0          = Sparse({E}, {N}, 4),             -- v of edge (v, u)
  V1          = Sparse({E}, {N}, 5),             -- u
  w_fitSqrt   = Param(float, 6),                 -- square roots of the weights
  w_regSqrt   = Param(float, 7),
}
UsePreconditioner(true)

local n, e = N(), E()
local v, u = V0(e), V1(e)

local C = Constraints(n)
local edge    = Position(v) - Position(u)
local ur_edge = UrShape(v) - UrShape(u)

Residuals {
  fit = Select(greatereq(C(0), -999999.9), w_fitSqrt * (Position(n) - C), 0),
  reg = w_regSqrt * (edge - Rotate3D(Angle(v), ur_edge)),
}
