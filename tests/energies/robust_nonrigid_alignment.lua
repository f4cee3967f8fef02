-- Non-rigid alignment of a mesh with a scan, with a confidence for each correspondence that is
-- solved for.
--
--   fit(n)  = w_fit q_n N_n . (O_n - C_n)     where there is a correspondence C_n with normal N_n
--   conf(n) = 0.1 (1 - q_n^2)
--   reg(e)  = w_reg ((O_i - O_j) - R(a_i) (U_i - U_j))
--
-- The conditions are vectors, so each of the first two counts three times, as published.

local N, E = Dims("N", "E")

Inputs {
  Offset        = Unknown(thallo_float3, {N}, 0),
  Angle         = Unknown(thallo_float3, {N}, 1),
  RobustWeights = Unknown(thallo_float, {N}, 2),
  UrShape       = Array(thallo_float3, {N}, 3),
  Constraints   = Array(thallo_float3, {N}, 4),  -- -inf where there is none
  ConstraintNormals = Array(thallo_float3, {N}, 5),
  head          = Sparse({E}, {N}, 6),
  tail          = Sparse({E}, {N}, 7),
  w_fitSqrt     = Param(float, 8),
  w_regSqrt     = Param(float, 9),
}
UsePreconditioner(true)

local n, e = N(), E()
local i, j = head(e), tail(e)
local valid = greatereq(Constraints(n), -999999.9)
local q = RobustWeights(n)
local distance = dot(ConstraintNormals(n), Offset(n) - Constraints(n))
local turned = Rotate3D(Angle(i), UrShape(i) - UrShape(j))

Residuals {
  fit  = w_fitSqrt * Select(valid, q * distance, 0),
  conf = 0.1 * Select(valid, 1 - q * q, 0),
  reg  = w_regSqrt * ((Offset(i) - Offset(j)) - turned),
}
