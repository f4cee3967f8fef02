-- Seamless cloning: inside the mask the image takes over the differences of another one.
--
--   reg_d(x, y) = (X - X_d) - (T - T_d)      where M(x, y) = 0, d in the 4 neighbors
--
-- Pixels outside the mask stay as they are.

local W, H = Dims("W", "H")

Inputs {
  X = Unknown(thallo_float4, {W, H}, 0),
  T = Array(thallo_float4, {W, H}, 1),
  M = Array(uint8, {W, H}, 2),  -- 0 inside
}
UsePreconditioner(false)

local x, y = W(), H()
X:Exclude(neq(M(x, y), 0))

local function difference(dx, dy)
  local inside = And(InBounds(x + dx, y + dy), eq(M(x, y), 0))
  return Select(inside, (X(x, y) - X(x + dx, y + dy)) - (T(x, y) - T(x + dx, y + dy)), 0)
end

Residuals {
  reg_right = difference(1, 0),
  reg_left  = difference(-1, 0),
  reg_down  = difference(0, 1),
  reg_up    = difference(0, -1),
}
