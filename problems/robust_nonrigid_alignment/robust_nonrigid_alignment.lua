-- Non-rigid alignment of a mesh with a scan, whose correspondences may be wrong: a confidence is
-- solved for with each.
--
--   E(P, A, q) = 3/2 sum_v      w_fit [v has a correspondence] (q_v N_v.(P_v - C_v))^2
--              + 3/2 sum_v      [v has a correspondence] (0.1 (1 - q_v^2))^2
--              + 1/2 sum_(v,u)  w_reg |(P_v - P_u) - R(A_v) (O_v - O_u)|^2
--
-- v runs over the vertices, (v, u) over both directions of every edge. P_v is where vertex v goes,
-- O_v where it was, C_v the point of the scan that corresponds to it and N_v the normal there,
-- R(A_v) the rotation by the angles A_v about the axes x, y, z. The conditions are vectors, so each
-- of the first two residuals counts three times, as published.

local N, E = Dims("N", "E")

Inputs {
  Offset        = Unknown(thallo_float3, {N}, 0),  -- P
  Angle         = Unknown(thallo_float3, {N}, 1),  -- A, in radians
  RobustWeights = Unknown(thallo_float, {N}, 2),   -- q
  UrShape       = Array(thallo_float3, {N}, 3),    -- O
  Constraints   = Array(thallo_float3, {N}, 4),    -- C, -infinity where there is none
  ConstraintNormals = Array(thallo_float3, {N}, 5), -- N
  V0            = Sparse({E}, {N}, 6),             -- v of edge (v, u)
  V1            = Sparse({E}, {N}, 7),             -- u
  w_fitSqrt     = Param(float, 8),                 -- square roots of the weights
  w_regSqrt     = Param(float, 9),
}
UsePreconditioner(true)

local n, e = N(), E()
local v, u = V0(e), V1(e)

local C, q     = Constraints(n), RobustWeights(n)
local valid    = greatereq(C, -999999.9)
local distance = dot(ConstraintNormals(n), Offset(n) - C)
local edge     = Offset(v) - Offset(u)
local ur_edge  = UrShape(v) - UrShape(u)

Residuals {
  fit  = w_fitSqrt * Select(valid, q * distance, 0),
  conf = 0.1 * Select(valid, 1 - q * q, 0),
  reg  = w_regSqrt * (edge - Rotate3D(Angle(v), ur_edge)),
}
