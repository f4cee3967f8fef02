-- The image step of a splitting method for deconvolution: blurred it looks like b1, its differences
-- look like b2 and b3.
--
--   conv(x, y) = l1 (M(x, y) (K * X)(x, y) - b1(x, y))
--   dx(x, y)   = l2 ([x - 1 inside] (X(x, y) - X(x - 1, y)) - b2(x, y)),    dy likewise

local W, H, K = Dims("W", "H", "K")

Inputs {
  sqrt_lambda1 = Param(float, 0),
  sqrt_lambda2 = Param(float, 1),
  X  = Unknown(thallo_float, {W, H}, 2),
  M  = Array(thallo_float, {W, H}, 3),
  b1 = Array(thallo_float, {W, H}, 4),
  b2 = Array(thallo_float, {W, H}, 5),
  b3 = Array(thallo_float, {W, H}, 6),
  kernel = Array(thallo_float, {K, K}, 7),
}

local x, y, k0, k1 = W(), H(), K(), K()
local blurred = Sum({k0, k1}, kernel(k0, k1) * X(x - k0 + 1, y - k1 + 1))

local function difference(dx, dy)
  return Select(InBounds(x - dx, y - dy), X(x, y) - X(x - dx, y - dy), 0)
end

Residuals {
  conv = sqrt_lambda1 * (M(x, y) * blurred - b1(x, y)),
  dx = sqrt_lambda2 * (difference(1, 0) - b2(x, y)),
  dy = sqrt_lambda2 * (difference(0, 1) - b3(x, y)),
}
