local W, H = Dims("W", "H")
Inputs {
  X = Unknown(thallo_float, {W, H}, 0),
  A = Array(thallo_float, {W, H}, 1),
  Mask = Array(int, {W, H}, 2),
  w = Param(float, 3),
}
local x, y = W(), H()
local masked = eq(Mask(x, y), 1)
local function active(e) return Select(masked, 0, e) end
L = X(x - 1, y) + X(x + 1, y) - 2 * X(x, y)
Residuals {
  a = active(w * (X(x, y) - A(x, y))),
  b = active(Select(InBounds(x + 1, y), X(x, y) - X(x + 1, y), 0)),
  c = active(Select(InBounds(x, y + 2), X(x, y) - X(x, y + 2), 0)),
  d = active(Select(InBounds(x - 1, y, x + 1, y + 1), L:get(x, y + 1) - L:get(x, y), 0)),
  e = active(X(x, y) - X(x, y - 1)),
}
X:Exclude(masked)
