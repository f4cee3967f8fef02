-- Shape from shading: the details of a depth map, from the brightness of its picture.
local W, H = opt.Dim("W", 0), opt.Dim("H", 1)
local X = Unknown("X", opt_float, {W, H}, 0)
local D = Array("D", opt_float, {W, H}, 1)
local Im = Array("Im", opt_float, {W, H}, 2)
local edgeMaskR = Array("edgeMaskR", uint8, {W, H}, 3)
local edgeMaskC = Array("edgeMaskC", uint8, {W, H}, 4)
local w_p, w_s, w_g = Param("w_p", float, 5), Param("w_s", float, 6), Param("w_g", float, 7)
local f_x, f_y = Param("f_x", float, 8), Param("f_y", float, 9)
local u_x, u_y = Param("u_x", float, 10), Param("u_y", float, 11)
local L = {}
for k = 1, 9 do L[k] = Param("L" .. k, float, 11 + k) end
UsePreconditioner(true)

local column, row = Index(0), Index(1)

local function measured(i, j) return greater(D(i, j), 0) end

local function point(i, j)
  local depth = X(i, j)
  return Vector((column + i - u_x) / f_x * depth, (row + j - u_y) / f_y * depth, depth)
end

local depth, left, up = X(0, 0), X(-1, 0), X(0, -1)
local a = up * (depth - left) / f_y
local b = left * (depth - up) / f_x
local c = (u_x - column) / f_x * a + (u_y - row) / f_y * b - left * up / (f_x * f_y)
local squared = a * a + b * b + c * c
local n = Vector(a, b, c) * Select(greater(squared, 0), 1 / ad.sqrt(squared), 1)
local x, y, z = n(0), n(1), n(2)
local light = L[1] + L[2] * y + L[3] * z + L[4] * x + L[5] * x * y + L[6] * y * z + L[8] * z * x
              + L[7] * (2 * z * z - x * x - y * y) + L[9] * (x * x - y * y)
local brightness = 0.5 * Im(0, 0) + 0.25 * (Im(-1, 0) + Im(0, -1))
local all_measured = measured(0, 0) * measured(-1, 0) * measured(0, -1)
local B_I = ComputedArray("B_I", {W, H}, Select(all_measured, light - brightness, 0))

local smooth, bend = greater(depth, 0), 4 * point(0, 0)
for i, j in Stencil {{-1, 0}, {0, -1}, {1, 0}, {0, 1}} do
  smooth = smooth * measured(i, j) * less(abs(depth - X(i, j)), 0.01)
  bend = bend - point(i, j)
end
local is_smooth = ComputedArray("is_smooth", {W, H}, measured(0, 0) * smooth)

Energy(Select(measured(0, 0), sqrt(w_p) * (depth - D(0, 0)), 0),
       Select(eq(is_smooth(0, 0), 1), sqrt(w_s) * bend, 0))
local function shading(i, j, mask)
  local is_inside = InBoundsExpanded(0, 0, 1) * Not(eq(mask(0, 0), 0))
  return Select(is_inside, sqrt(w_g) * (B_I(0, 0) - B_I(i, j)), 0)
end
Energy(shading(1, 0, edgeMaskR))
Energy(shading(0, 1, edgeMaskC))
