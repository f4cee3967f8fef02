-- Refinement of a depth map by the shading of an image, under known lighting.
--
--   fit       = sqrt(w_p) (X - D)                             where the depth D is known
--   shading_h = sqrt(w_g) (B(x, y) - B(x + 1, y)) E_r(x, y),  shading_v likewise downwards
--   reg       = sqrt(w_s) (4 p - p_left - p_up - p_right - p_down)     where the depth is smooth
--
-- p(x, y) is the point in space of a pixel, B the shading that the lighting L (second-order
-- spherical harmonics) gives its normal, less the image's.

local W, H = Dims("W", "H")

Inputs {
  w_p = Param(float, 0), w_s = Param(float, 1), w_g = Param(float, 2),
  f_x = Param(float, 3), f_y = Param(float, 4), u_x = Param(float, 5), u_y = Param(float, 6),
  L_1 = Param(float, 7), L_2 = Param(float, 8), L_3 = Param(float, 9),
  L_4 = Param(float, 10), L_5 = Param(float, 11), L_6 = Param(float, 12),
  L_7 = Param(float, 13), L_8 = Param(float, 14), L_9 = Param(float, 15),
  X   = Unknown(thallo_float, {W, H}, 16),
  D_i = Array(thallo_float, {W, H}, 17),
  Im  = Array(thallo_float, {W, H}, 18),
  edge_row    = Array(uint8, {W, H}, 19),
  edge_column = Array(uint8, {W, H}, 20),
}
UsePreconditioner(true)

local x, y = W(), H()
local function known(i, j) return greater(D_i(x + i, y + j), 0) end

local function p(i, j)
  local d = X(x + i, y + j)
  return Vector(((x + i):asvalue() - u_x) / f_x * d, ((y + j):asvalue() - u_y) / f_y * d, d)
end

-- From the depth of the pixel, its left and its upper neighbor; not yet of unit length.
local function normal()
  local d, left, up = X(x, y), X(x - 1, y), X(x, y - 1)
  local n_x = up * (d - left) / f_y
  local n_y = left * (d - up) / f_x
  local n_z = n_x * (u_x - x:asvalue()) / f_x + n_y * (u_y - y:asvalue()) / f_y
              - left * up / (f_x * f_y)
  local n = Vector(n_x, n_y, n_z)
  local length2 = dot(n, n)
  return n * Select(greater(length2, 0), 1 / sqrt(length2), 1)
end

local n = normal()
local a, b, c = n(0), n(1), n(2)
local lighting = L_1 + L_2 * b + L_3 * c + L_4 * a + L_5 * a * b + L_6 * b * c
                 + L_7 * (3 * c * c - 1) + L_8 * c * a + L_9 * (a * a - b * b)
local image = 0.5 * Im(x, y) + 0.25 * (Im(x - 1, y) + Im(x, y - 1))
B_I = Select(And(known(0, 0), known(-1, 0), known(0, -1)), lighting - image, 0)

local smooth = And(known(0, 0), known(-1, 0), known(0, -1), known(1, 0), known(0, 1))
for i, j in Stencil {{1, 0}, {-1, 0}, {0, 1}, {0, -1}} do
  smooth = And(smooth, less(abs(X(x, y) - X(x + i, y + j)), 0.01))
end
valid = smooth

local inside = InBoundsExpanded(x, y, 1)
local shading = B_I:get(x, y)

Residuals {
  fit = Select(known(0, 0), sqrt(w_p) * (X(x, y) - D_i(x, y)), 0),
  reg = Select(And(inside, eq(valid:get(x, y), 1)),
               sqrt(w_s) * (4 * p(0, 0) - p(-1, 0) - p(0, -1) - p(1, 0) - p(0, 1)), 0),
  shading_h = Select(inside, sqrt(w_g) * (shading - B_I:get(x + 1, y)) * edge_row(x, y), 0),
  shading_v = Select(inside, sqrt(w_g) * (shading - B_I:get(x, y + 1)) * edge_column(x, y), 0),
}
