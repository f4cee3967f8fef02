-- Poisson image editing: continue one picture with the details of another, without a seam.
--
--   E(X) = 1/2 sum_p sum_q |(X(p) - X(q)) - (T(p) - T(q))|^2
--
-- p runs over the edited pixels, q over the 4 neighbors of p in the picture. X is the result, T the
-- picture whose differences between neighbors are wanted. Pixels that are not edited keep their
-- values, so those along the region's border say what X is, and T only how it changes.

local W, H = Dims("W", "H")

Inputs {
  X = Unknown(thallo_float4, {W, H}, 0),  -- red, green, blue, alpha
  T = Array(thallo_float4, {W, H}, 1),
  M = Array(uint8, {W, H}, 2),            -- 0 where the picture is edited
}
UsePreconditioner(false)

local x, y = W(), H()
X:Exclude(neq(M(x, y), 0))

-- The difference along the edge from p = (x, y) to q = (x + dx, y + dy).
local function gradient(dx, dy)
  local difference = (X(x, y) - X(x + dx, y + dy)) - (T(x, y) - T(x + dx, y + dy))
  return Select(And(InBounds(x + dx, y + dy), eq(M(x, y), 0)), difference, 0)
end

Residuals {
  reg_right = gradient( 1,  0),
  reg_left  = gradient(-1,  0),
  reg_down  = gradient( 0,  1),
  reg_up    = gradient( 0, -1),
}
