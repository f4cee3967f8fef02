-- As-rigid-as-possible mesh deformation: a few vertices are moved, every edge keeps its length up
-- to the rotation of its vertex.
--
--   fit(n) = w_fit (P_n - C_n)            where C_n constrains vertex n
--   reg(e) = w_reg ((P_i - P_j) - R(a_i) (O_i - O_j))     for the directed edge e = (i, j)
--
-- P are the vertices, O the undeformed ones, a the Euler angles of a rotation for each vertex.

local N, E = Dims("N", "E")

Inputs {
  Position    = Unknown(thallo_float3, {N}, 0),
  Angle       = Unknown(thallo_float3, {N}, 1),
  Original    = Array(thallo_float3, {N}, 2),
  Constraints = Array(thallo_float3, {N}, 3),  -- -inf where there is none
  head        = Sparse({E}, {N}, 4),
  tail        = Sparse({E}, {N}, 5),
  w_fitSqrt   = Param(float, 6),
  w_regSqrt   = Param(float, 7),
}
UsePreconditioner(true)

local n, e = N(), E()
local i, j = head(e), tail(e)
local constrained = greatereq(Constraints(n, 0), -999999.9)
local turned = Rotate3D(Angle(i), Original(i) - Original(j))

Residuals {
  fit = Select(constrained, w_fitSqrt * (Position(n) - Constraints(n)), 0),
  reg = w_regSqrt * ((Position(i) - Position(j)) - turned),
}
