-- Shape from shading: find the details of a depth map in the brightness of its picture.
--
--   E(X) = 1/2 sum_p  w_p (X(p) - D(p))^2
--        + 1/2 sum_p  w_s |4 P(p) - P(left) - P(up) - P(right) - P(down)|^2
--        + 1/2 sum_p  w_g ((B - I)(p) - (B - I)(q))^2                 q: right, and down
--
-- X is the depth, D the measured one. P(p) is the point in space that pixel p shows, B the light
-- that its surface reflects, a polynomial in its normal; I the picture's brightness. Light and
-- brightness are compared in differences between neighbors, but not across edges of the depth.
-- Depths that are not positive are missing; terms that read one are left out.

local W, H = Dims("W", "H")

Inputs {
  X         = Unknown(thallo_float, {W, H}, 0),  -- in meters
  D         = Array(thallo_float, {W, H}, 1),
  Im        = Array(thallo_float, {W, H}, 2),    -- brightness, 0 to 1
  edgeMaskR = Array(uint8, {W, H}, 3),           -- 1 where p and the pixel to the right compare
  edgeMaskC = Array(uint8, {W, H}, 4),           -- 1 where p and the pixel below compare
  w_p = Param(float, 5),
  w_s = Param(float, 6),
  w_g = Param(float, 7),
  f_x = Param(float, 8),                         -- focal lengths and principal point, in pixels
  f_y = Param(float, 9),
  u_x = Param(float, 10),
  u_y = Param(float, 11),
  L1 = Param(float, 12), L2 = Param(float, 13), L3 = Param(float, 14),  -- the light, in
  L4 = Param(float, 15), L5 = Param(float, 16), L6 = Param(float, 17),  -- spherical harmonics
  L7 = Param(float, 18), L8 = Param(float, 19), L9 = Param(float, 20),
}
UsePreconditioner(true)

local x, y = W(), H()

local function measured(i, j) return greater(D(i, j), 0) end

local function point(i, j)
  local depth = X(i, j)
  return Vector((i:asvalue() - u_x) / f_x * depth, (j:asvalue() - u_y) / f_y * depth, depth)
end

-- Toward the camera: the cross product of the ways to the left and the upper neighbor, divided by
-- what its entries have in common.
local function normal(i, j)
  local depth, left, up = X(i, j), X(i - 1, j), X(i, j - 1)
  local n_x = up * (depth - left) / f_y
  local n_y = left * (depth - up) / f_x
  local n_z = (u_x - i:asvalue()) / f_x * n_x + (u_y - j:asvalue()) / f_y * n_y
              - left * up / (f_x * f_y)
  local squared = n_x * n_x + n_y * n_y + n_z * n_z
  return Vector(n_x, n_y, n_z) * Select(greater(squared, 0), 1 / sqrt(squared), 1)
end

local function light(n)
  local n_x, n_y, n_z = n(0), n(1), n(2)
  return L1 + L2 * n_y + L3 * n_z + L4 * n_x
         + L5 * n_x * n_y + L6 * n_y * n_z + L8 * n_z * n_x
         + L7 * (2 * n_z * n_z - n_x * n_x - n_y * n_y) + L9 * (n_x * n_x - n_y * n_y)
end

-- The three pixels of a normal, averaged as their depths are.
local brightness = 0.5 * Im(x, y) + 0.25 * (Im(x - 1, y) + Im(x, y - 1))

B_I = Select(And(measured(x, y), measured(x - 1, y), measured(x, y - 1)),
             light(normal(x, y)) - brightness, 0)

local neighbors = {{-1, 0}, {0, -1}, {1, 0}, {0, 1}}
local smooth, bend = greater(X(x, y), 0), 4 * point(x, y)
for dx, dy in Stencil(neighbors) do
  local i, j = x + dx, y + dy
  smooth = And(smooth, measured(i, j), less(abs(X(x, y) - X(i, j)), 0.01))
  bend = bend - point(i, j)
end
is_smooth = And(measured(x, y), smooth)

local function shading(dx, dy, mask)
  local change = B_I:get(x, y) - B_I:get(x + dx, y + dy)
  return Select(And(InBoundsExpanded(x, y, 1), neq(mask(x, y), 0)), sqrt(w_g) * change, 0)
end

Residuals {
  fit       = Select(measured(x, y), sqrt(w_p) * (X(x, y) - D(x, y)), 0),
  reg       = Select(is_smooth:get(x, y), sqrt(w_s) * bend, 0),
  shading_h = shading(1, 0, edgeMaskR),
  shading_v = shading(0, 1, edgeMaskC),
}
