-- An image as the sum of log reflectance and log shading: reflectance is piecewise constant (an Lp
-- norm of its differences), shading is smooth.
--
--   fit(x, y)      = w_fit (r + s - I)
--   albedo_d(x, y) = w_albedo |r - r_d|^(p/2)       by reweighting, d in the 4 neighbors
--   shading_d(x, y) = w_shading (s - s_d)

local W, H = Dims("W", "H")

Inputs {
  r = Unknown(thallo_float3, {W, H}, 0),
  s = Unknown(thallo_float, {W, H}, 1),
  I = Array(thallo_float3, {W, H}, 2),
  w_fitSqrt        = Param(float, 3),
  w_regSqrtAlbedo  = Param(float, 4),
  w_regSqrtShading = Param(float, 5),
  pNorm            = Param(float, 6),
}
UsePreconditioner(false)

local x, y = W(), H()
local albedo, shading = {}, {}
for dx, dy in Stencil {{1, 0}, {-1, 0}, {0, 1}, {0, -1}} do
  local inside = InBounds(x + dx, y + dy)
  local step = L_p(r(x, y) - r(x + dx, y + dy), pNorm, {x, y})
  albedo[#albedo + 1] = Select(inside, w_regSqrtAlbedo * step, 0)
  shading[#shading + 1] = Select(inside, w_regSqrtShading * (s(x, y) - s(x + dx, y + dy)), 0)
end

Residuals {
  fit = w_fitSqrt * (r(x, y) + s(x, y) - I(x, y)),
  albedo = albedo,
  shading = shading,
}
