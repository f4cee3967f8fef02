-- Mesh deformation with an affine map for each vertex that is kept near a rotation.
--
--   fit(n) = w_fit (O_n - C_n)                                where C_n constrains vertex n
--   reg(e) = w_reg ((O_j - O_i) - M_i (U_j - U_i))
--   rot(n) = w_rot (c0.c1, c0.c2, c1.c2, c0.c0 - 1, c1.c1 - 1, c2.c2 - 1)   c_k the columns of M_n

local N, E = Dims("N", "E")

Inputs {
  Offset      = Unknown(thallo_float3, {N}, 0),
  RotMatrix   = Unknown(thallo_mat3f, {N}, 1),  -- row by row
  UrShape     = Array(thallo_float3, {N}, 2),
  Constraints = Array(thallo_float3, {N}, 3),   -- -inf where there is none
  head        = Sparse({E}, {N}, 4),
  tail        = Sparse({E}, {N}, 5),
  w_fitSqrt   = Param(float, 6),
  w_regSqrt   = Param(float, 7),
  w_rotSqrt   = Param(float, 8),
}
UsePreconditioner(true)

local n, e = N(), E()
local i, j = head(e), tail(e)
local M = RotMatrix(n)
local function column(k) return Vector(M(k), M(3 + k), M(6 + k)) end
local c0, c1, c2 = column(0), column(1), column(2)
local constrained = greatereq(Constraints(n, 0), -999999.9)

Residuals {
  fit = Select(constrained, w_fitSqrt * (Offset(n) - Constraints(n)), 0),
  reg = w_regSqrt * ((Offset(j) - Offset(i)) - gemv(RotMatrix(i), UrShape(j) - UrShape(i))),
  rot = w_rotSqrt * Vector(dot(c0, c1), dot(c0, c2), dot(c1, c2),
                           dot(c0, c0) - 1, dot(c1, c1) - 1, dot(c2, c2) - 1),
}
