-- Optical flow that bears occlusions and has sharp borders:
--
--   E(X) = 1/2 sum_p  rho(w_fit |I(p) - J(p + X(p))|^2)
--        + 1/2 sum_p  rho(w_reg |(X(right) - X(p), X(down) - X(p))|^2)
--
-- rho is Huber's loss: a square up to the lengths e_fit and e_reg, beyond them linear in the length.
-- I and J have three channels, the gray value and its derivatives, so that a change of the light is
-- no motion. Pixels that go out of the picture match anything.

local W, H = Dims("W", "H")

Inputs {
  X         = Unknown(thallo_float2, {W, H}, 0),  -- in pixels: right, down
  I         = Array(thallo_float3, {W, H}, 1),
  J_image   = Array(thallo_float3, {W, H}, 2),
  J_dx      = Array(thallo_float3, {W, H}, 3),
  J_dy      = Array(thallo_float3, {W, H}, 4),
  w_fitSqrt = Param(float, 5),                    -- square roots of the weights
  w_regSqrt = Param(float, 6),
  e_fit     = Param(float, 7),
  e_reg     = Param(float, 8),                    -- in pixels
  last_x    = Param(float, 9),                    -- W - 1, H - 1
  last_y    = Param(float, 10),
}
UsePreconditioner(true)

local x, y = W(), H()
local J = SampledImage(J_image, J_dx, J_dy)

local u, v = x:asvalue() + X(x, y, 0), y:asvalue() + X(x, y, 1)
local is_inside = And(greatereq(u, 0), lesseq(u, last_x), greatereq(v, 0), lesseq(v, last_y))

local function change(dx, dy)
  return Select(InBounds(x + dx, y + dy), X(x + dx, y + dy) - X(x, y), 0)
end

local r = Residuals {
  fit = Select(is_inside, w_fitSqrt * (I(x, y) - J(u, v)), 0),
  reg = w_regSqrt * Vector(change(1, 0), change(0, 1)),
}
r.fit:loss(huber(w_fitSqrt * e_fit))
r.reg:loss(huber(w_regSqrt * e_reg))
