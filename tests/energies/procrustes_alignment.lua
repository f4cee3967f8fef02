-- The rigid motion that moves one set of points onto another.
--
--   fit(n, u) = R(a_u) M_n + t_u - T_n      where T_n is known

local N, U = Dims("N", "U")

Inputs {
  Translation = Unknown(thallo_float3, {U}, 0),
  Angle       = Unknown(thallo_float3, {U}, 1),
  Mesh        = Array(thallo_float3, {N}, 2),
  Target      = Array(thallo_float3, {N}, 3),  -- -inf where it is not known
}
UsePreconditioner(true)

local n, u = N(), U()
local known = greatereq(Target(n, 0), -999999.9)

Residuals {
  fit = Select(known, Rotate3D(Angle(u), Mesh(n)) + Translation(u) - Target(n), 0),
}
