-- Mesh deformation by affine maps: every vertex has a matrix that moves its surroundings, and the
-- matrices are kept near rotations.
--
--   E(P, M) = 1/2 sum_v      w_fit [v is constrained] |P_v - C_v|^2
--           + 1/2 sum_(v,u)  w_reg |(P_u - P_v) - M_v (O_u - O_v)|^2
--           + 1/2 sum_v      w_rot ((c0.c1)^2 + (c0.c2)^2 + (c1.c2)^2
--                                   + (c0.c0 - 1)^2 + (c1.c1 - 1)^2 + (c2.c2 - 1)^2)
--
-- v runs over the vertices, (v, u) over both directions of every edge. P_v is where vertex v goes,
-- O_v where it was, C_v where the user wants it, M_v its matrix, whose columns are c0, c1 and c2.

local N, E = Dims("N", "E")

Inputs {
  Position    = Unknown(thallo_float3, {N}, 0),  -- P
  Matrix      = Unknown(thallo_mat3f, {N}, 1),   -- M, row by row
  UrShape     = Array(thallo_float3, {N}, 2),    -- O
  Constraints = Array(thallo_float3, {N}, 3),    -- C, -infinity where there is none
  V0          = Sparse({E}, {N}, 4),             -- v of edge (v, u)
  V1          = Sparse({E}, {N}, 5),             -- u
  w_fitSqrt   = Param(float, 6),                 -- square roots of the weights
  w_regSqrt   = Param(float, 7),
  w_rotSqrt   = Param(float, 8),
}
UsePreconditioner(true)

local n, e = N(), E()
local v, u = V0(e), V1(e)

local C = Constraints(n)
local M = Matrix(n)
local function column(k) return Vector(M(k), M(3 + k), M(6 + k)) end
local c0, c1, c2 = column(0), column(1), column(2)

Residuals {
  fit = Select(greatereq(C(0), -999999.9), w_fitSqrt * (Position(n) - C), 0),
  reg = w_regSqrt * ((Position(u) - Position(v)) - gemv(Matrix(v), UrShape(u) - UrShape(v))),
  rot = w_rotSqrt * Vector(dot(c0, c1), dot(c0, c2), dot(c1, c2),
                           dot(c0, c0) - 1, dot(c1, c1) - 1, dot(c2, c2) - 1),
}
