-- Optical flow: where has every pixel of a picture gone in the next one?
--
--   E(X) = 1/2 sum_p  w_fit (I(p) - J(p + X(p)))^2  +  1/2 sum_p sum_q  w_reg |X(p) - X(q)|^2
--
-- p runs over the pixels, q over the 4 neighbors of p in the picture. I is the first picture, J the
-- second, read between its pixels and with the derivatives that it is given with. It is 0 outside.

local W, H = Dims("W", "H")

Inputs {
  X         = Unknown(thallo_float2, {W, H}, 0),  -- in pixels: right, down
  I         = Array(thallo_float, {W, H}, 1),     -- gray, 0 to 1
  J_image   = Array(thallo_float, {W, H}, 2),
  J_dx      = Array(thallo_float, {W, H}, 3),
  J_dy      = Array(thallo_float, {W, H}, 4),
  w_fitSqrt = Param(float, 5),                    -- square roots of the weights
  w_regSqrt = Param(float, 6),
}
UsePreconditioner(false)

local x, y = W(), H()
local J = SampledImage(J_image, J_dx, J_dy)

local function smooth(dx, dy)
  return Select(InBounds(x + dx, y + dy), w_regSqrt * (X(x, y) - X(x + dx, y + dy)), 0)
end

Residuals {
  fit    = w_fitSqrt * (I(x, y) - J(x:asvalue() + X(x, y, 0), y:asvalue() + X(x, y, 1))),
  reg_px = smooth( 1,  0),
  reg_nx = smooth(-1,  0),
  reg_py = smooth( 0,  1),
  reg_ny = smooth( 0, -1),
}
