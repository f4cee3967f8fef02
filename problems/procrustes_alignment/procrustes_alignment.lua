-- The rigid motion that moves one set of points onto another, point by point.
--
--   E(a, t) = 1/2 sum_n |R(a) M_n + t - T_n|^2      over the points whose target T_n is known
--
-- R(a) turns about x by a.x, then about y by a.y, then about z by a.z. There is one motion, U = 1:
-- six unknowns, which all residuals share.

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

local r = Residuals {
  fit = Select(known, Rotate3D(Angle(u), Mesh(n)) + Translation(u) - Target(n), 0),
}

-- JtJ is 6 x 6, however many points there are: formed once a step, it makes linear iterations free.
r.fit.JtJ:set_materialize(true)
