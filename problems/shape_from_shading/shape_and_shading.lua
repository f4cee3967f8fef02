-- Shape and shading: find the details of a depth map in the brightness of its picture, and the
-- light that the picture was taken in.
--
--   E(X, L) = 1/2 sum_p  w_p (X(p) - D(p))^2
--           + 1/2 sum_p  w_s |4 P(p) - P(left) - P(up) - P(right) - P(down)|^2
--           + 1/2 sum_p  w_g ((B - I)(p) - (B - I)(q))^2              q: right, and down
--           + 1/2 sum_p  (0.1 (B - I)(p))^2
--
-- All is as in shape_from_shading.lua, but the light has nine coefficients L that are solved for,
-- the same for every pixel; the last sum holds them where differences alone would not.

local W, H, U = Dims("W", "H", "U")

Inputs {
  w_p = Param(float, 0),
  w_s = Param(float, 1),
  w_g = Param(float, 2),
  f_x = Param(float, 3),                         -- focal lengths and principal point, in pixels
  f_y = Param(float, 4),
  u_x = Param(float, 5),
  u_y = Param(float, 6),
  X         = Unknown(thallo_float, {W, H}, 7),  -- in meters
  Light     = Unknown(thallo_float9, {U}, 8),    -- L, in spherical harmonics; U is 1
  D         = Array(thallo_float, {W, H}, 9),
  Im        = Array(thallo_float, {W, H}, 10),   -- brightness, 0 to 1
  edgeMaskR = Array(uint8, {W, H}, 11),          -- 1 where p and the pixel to the right compare
  edgeMaskC = Array(uint8, {W, H}, 12),          -- 1 where p and the pixel below compare
}
UsePreconditioner(true)

local x, y, u = W(), H(), U()

local function measured(i, j) return greater(D(x + i, y + j), 0) end

local function point(i, j)
  local depth = X(x + i, y + j)
  return Vector(((x + i):asvalue() - u_x) / f_x * depth, ((y + j):asvalue() - u_y) / f_y * depth,
                depth)
end

-- Toward the camera: the cross product of the ways to the left and the upper neighbor, divided by
-- what its entries have in common.
local depth, left, up = X(x, y), X(x - 1, y), X(x, y - 1)
local n_x = up * (depth - left) / f_y
local n_y = left * (depth - up) / f_x
local n_z = (u_x - x:asvalue()) / f_x * n_x + (u_y - y:asvalue()) / f_y * n_y
            - left * up / (f_x * f_y)
local squared = n_x * n_x + n_y * n_y + n_z * n_z
normal = Vector(n_x, n_y, n_z) * Select(greater(squared, 0), 1 / sqrt(squared), 1)

-- B - I; the brightness is that of the three pixels of a normal, averaged as their depths are.
local n = normal:get(x, y)
local a, b, c = n(0), n(1), n(2)
local harmonics = Vector(1, b, c, a, a * b, b * c, 3 * c * c - 1, c * a, a * a - b * b)
local brightness = 0.5 * Im(x, y) + 0.25 * (Im(x - 1, y) + Im(x, y - 1))
excess = Select(And(measured(0, 0), measured(-1, 0), measured(0, -1)),
                dot(Light(u), harmonics) - brightness, 0)

local smooth, bend = measured(0, 0), 4 * point(0, 0)
for i, j in Stencil {{-1, 0}, {0, -1}, {1, 0}, {0, 1}} do
  smooth = And(smooth, measured(i, j), less(abs(depth - X(x + i, y + j)), 0.01))
  bend = bend - point(i, j)
end

local inside = InBoundsExpanded(x, y, 1)
local here = excess:get(x, y, u)
local right = Select(eq(edgeMaskR(x, y), 1), here - excess:get(x + 1, y, u), 0)
local below = Select(eq(edgeMaskC(x, y), 1), here - excess:get(x, y + 1, u), 0)
local fit = Select(measured(0, 0), sqrt(w_p) * (depth - D(x, y)), 0)

Residuals {
  surface = Vector(fit, Select(And(inside, smooth), sqrt(w_s) * bend, 0)),
  shading = Vector(Select(inside, sqrt(w_g) * Vector(right, below), 0), 0.1 * here),
}
