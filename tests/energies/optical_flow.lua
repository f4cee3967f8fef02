-- Where every pixel of one image has gone in the next: brightness stays, the flow is smooth.
--
--   fit(x, y)   = w_fit (I(x, y) - J(x + u, y + v))
--   reg_d(x, y) = w_reg ((u, v)(x, y) - (u, v)_d)      d in the 4 neighbors

local W, H = Dims("W", "H")

Inputs {
  X       = Unknown(thallo_float2, {W, H}, 0),  -- (u, v), in pixels
  I       = Array(thallo_float, {W, H}, 1),
  I_hat   = Array(thallo_float, {W, H}, 2),     -- J and its derivatives
  I_hat_x = Array(thallo_float, {W, H}, 3),
  I_hat_y = Array(thallo_float, {W, H}, 4),
  w_fitSqrt = Param(float, 5),
  w_regSqrt = Param(float, 6),
}
UsePreconditioner(false)

local x, y = W(), H()
local J = SampledImage(I_hat, I_hat_x, I_hat_y)
local flow = X(x, y)

local function smooth(dx, dy)
  return Select(InBounds(x + dx, y + dy), w_regSqrt * (flow - X(x + dx, y + dy)), 0)
end

Residuals {
  fit = w_fitSqrt * (I(x, y) - J(x:asvalue() + flow(0), y:asvalue() + flow(1))),
  reg_right = smooth(1, 0),
  reg_left  = smooth(-1, 0),
  reg_down  = smooth(0, 1),
  reg_up    = smooth(0, -1),
}
