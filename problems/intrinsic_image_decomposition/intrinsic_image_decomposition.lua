-- Intrinsic images: what is the color of a surface, and what is the light on it?
--
--   E(r, s) = 1/2 sum_p  w_fit |r(p) + s(p) - i(p)|^2
--           + 1/2 sum_p sum_q  w_albedo  |r(p) - r(q)|^p_norm
--           + 1/2 sum_p sum_q  w_shading (s(p) - s(q))^2
--
-- p runs over the pixels, q over the 4 neighbors of p in the picture. i is the logarithm of the
-- picture, r that of the surface's color, s that of a gray light. Light is smooth; colors are
-- constant with jumps, hence the norm with p_norm < 1. It is minimized by reweighting: L_p(v, p) is
-- v times the power p / 2 - 1 of |v|^2, frozen where the iteration stands.

local W, H = Dims("W", "H")

Inputs {
  r             = Unknown(thallo_float3, {W, H}, 0),  -- log2 of the albedo
  s             = Unknown(thallo_float, {W, H}, 1),   -- log2 of the shading
  i             = Array(thallo_float3, {W, H}, 2),    -- log2 of the picture
  w_fitSqrt     = Param(float, 3),                    -- square roots of the weights
  w_albedoSqrt  = Param(float, 4),
  w_shadingSqrt = Param(float, 5),
  p_norm        = Param(float, 6),
}
UsePreconditioner(true)

local x, y = W(), H()
local neighbors = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}}

local albedo, shading = {}, {}
for dx, dy in Stencil(neighbors) do
  local inside = InBounds(x + dx, y + dy)
  local jump = L_p(r(x, y) - r(x + dx, y + dy), p_norm)
  albedo[#albedo + 1] = Select(inside, w_albedoSqrt * jump, 0)
  shading[#shading + 1] = Select(inside, w_shadingSqrt * (s(x, y) - s(x + dx, y + dy)), 0)
end

Residuals {
  fit         = w_fitSqrt * (r(x, y) + s(x, y) - i(x, y)),
  albedo_reg  = albedo,
  shading_reg = shading,
}
