-- Intrinsic images: the color of a surface, which is constant with jumps, and the light on it.
local W, H = Dim("W", 0), Dim("H", 1)
local r = Unknown("r", opt_float3, {W, H}, 0)
local r_before = Array("r_before", opt_float3, {W, H}, 0)
local s = Unknown("s", opt_float, {W, H}, 1)
local i = Array("i", opt_float3, {W, H}, 2)
local w_fitSqrt = Param("w_fitSqrt", float, 3)
local w_albedoSqrt, w_shadingSqrt = Param("w_albedoSqrt", float, 4), Param("w_shadingSqrt", float, 5)
local p_norm = Param("p_norm", float, 6)
UsePreconditioner(true)

Energy(w_fitSqrt * (r(0, 0) + s(0, 0) - i(0, 0)))
for dx, dy in Stencil {{1, 0}, {-1, 0}, {0, 1}, {0, -1}} do
  local jump = L_p(r(0, 0) - r(dx, dy), r_before(0, 0) - r_before(dx, dy), p_norm, {W, H})
  Energy(Select(InBounds(dx, dy), w_albedoSqrt * jump, 0),
         Select(InBounds(dx, dy), w_shadingSqrt * (s(0, 0) - s(dx, dy)), 0))
end
