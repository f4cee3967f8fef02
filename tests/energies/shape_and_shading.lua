-- Refinement of a depth map by shading under lighting that is solved for: the coefficients of
-- second-order spherical harmonics are nine more unknowns, the same for every pixel.
--
--   fit, reg, shading   as in shape from shading
--   lighting            = 0.1 (shading less the image's), where both are known

local W, H, U = Dims("W", "H", "U")

Inputs {
  w_p = Param(float, 0), w_s = Param(float, 1), w_g = Param(float, 2),
  f_x = Param(float, 3), f_y = Param(float, 4), u_x = Param(float, 5), u_y = Param(float, 6),
  D_r = Unknown(thallo_float, {W, H}, 7),
  ell = Unknown(thallo_float9, {U}, 8),
  D_i = Array(thallo_float, {W, H}, 9),
  Im  = Array(thallo_float, {W, H}, 10),
  edge_row    = Array(uint8, {W, H}, 11),
  edge_column = Array(uint8, {W, H}, 12),
}
UsePreconditioner(true)

local x, y, u = W(), H(), U()
local function known(i, j) return greater(D_i(x + i, y + j), 0) end

local function p(i, j)
  local d = D_r(x + i, y + j)
  return Vector(((x + i):asvalue() - u_x) / f_x * d, ((y + j):asvalue() - u_y) / f_y * d, d)
end

local d, left, up = D_r(x, y), D_r(x - 1, y), D_r(x, y - 1)
local n_x = up * (d - left) / f_y
local n_y = left * (d - up) / f_x
local n_z = n_x * (u_x - x:asvalue()) / f_x + n_y * (u_y - y:asvalue()) / f_y
            - left * up / (f_x * f_y)
local raw = Vector(n_x, n_y, n_z)
local length2 = dot(raw, raw)
normal = raw * Select(greater(length2, 0), 1 / sqrt(length2), 1)

local function shading_less_image(i, j)
  local n = normal:get(x + i, y + j)
  local a, b, c = n(0), n(1), n(2)
  local harmonics = Vector(1, b, c, a, a * b, b * c, 3 * c * c - 1, c * a, a * a - b * b)
  local image = 0.5 * Im(x + i, y + j) + 0.25 * (Im(x + i - 1, y + j) + Im(x + i, y + j - 1))
  local all = And(known(i, j), known(i - 1, j), known(i, j - 1))
  return Select(all, dot(ell(u), harmonics) - image, 0)
end

local smooth = And(known(0, 0), known(-1, 0), known(0, -1), known(1, 0), known(0, 1))
for i, j in Stencil {{1, 0}, {-1, 0}, {0, 1}, {0, -1}} do
  smooth = And(smooth, less(abs(d - D_r(x + i, y + j)), 0.01))
end

local inside = InBoundsExpanded(x, y, 1)
local here = shading_less_image(0, 0)
local step_h = Select(eq(edge_row(x, y), 1), here - shading_less_image(1, 0), 0)
local step_v = Select(eq(edge_column(x, y), 1), here - shading_less_image(0, 1), 0)

Residuals {
  fit = Select(known(0, 0), sqrt(w_p) * (d - D_i(x, y)), 0),
  reg = Select(And(inside, smooth),
               sqrt(w_s) * (4 * p(0, 0) - p(-1, 0) - p(0, -1) - p(1, 0) - p(0, 1)), 0),
  shading = Select(inside, sqrt(w_g) * Vector(step_h, step_v), 0),
  lighting = 0.1 * here,
}
