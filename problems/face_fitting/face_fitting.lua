-- A face model with linear blendshapes, seen by a calibrated camera.
--
--   E(b) = 1/2 sum_n |T_n - project(A_n + sum_m b_m B_nm)|^2 + 1/2 sum_m w_reg b_m^2
--
-- over the vertices n whose place T_n in the picture is known. The camera is that of
-- bundle adjustment: it looks along -z; U = 1.

local N, M, U = Dims("N", "M", "U")

Inputs {
  BlendshapeWeights = Unknown(thallo_float, {M}, 0),
  Average  = Array(thallo_float3, {N}, 1),
  Basis    = Array(thallo_float3, {N, M}, 2),
  Target   = Array(thallo_float2, {N}, 4),   -- in pixels; -inf where it is not seen
  Camera   = Array(thallo_float9, {U}, 5),   -- axis times angle, translation, f, l1, l2
  w_regSqrt = Param(float, 6),               -- the square root of the weight
}
UsePreconditioner(true)

local n, m, u = N(), M(), U()
deformation = Sum({m}, Basis(n, m) * BlendshapeWeights(m))
local shape = Average(n) + deformation

local camera = Camera(u)
local P = AngleAxisRotatePoint(camera:slice(0, 3), shape) + camera:slice(3, 6)
local c = -P:slice(0, 2) / P(2)
local r2 = dot(c, c)
local projected = camera(6) * (1 + r2 * (camera(7) + camera(8) * r2)) * c
local seen = greatereq(Target(n, 0), -999999.9)

local r = Residuals {
  fit = Select(seen, Target(n) - projected, 0),
  reg = w_regSqrt * BlendshapeWeights(m),
}

-- J of fit has two entries a vertex and shape. They are the same in every linear iteration.
r.fit.J:set_materialize(true)
