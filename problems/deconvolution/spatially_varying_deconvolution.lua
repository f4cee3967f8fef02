-- The image step of a splitting method for deconvolution, as in deconvolution.lua, with a kernel of
-- its own for each region of the image: a sparse map says which region a pixel is in.
--
--   (K * X)(x, y) = sum_kl K(k, l, region(x, y)) X(x - k + center, y - l + center)

local W, H, K, R = Dims("W", "H", "K", "R")

Inputs {
  sqrt_lambda1 = Param(float, 0),  -- square roots of the weights
  sqrt_lambda2 = Param(float, 1),
  X  = Unknown(thallo_float, {W, H}, 2),
  M  = Array(thallo_float, {W, H}, 3),
  b1 = Array(thallo_float, {W, H}, 4),
  b2 = Array(thallo_float, {W, H}, 5),
  b3 = Array(thallo_float, {W, H}, 6),
  kernels = Array(thallo_float, {K, K, R}, 7),
  region  = Sparse({W, H}, {R}, 8),
}

local x, y, k, l = W(), H(), K(), K()
local center = 8  -- of the kernels, here 17 x 17
blurred = Sum({k, l}, kernels(k, l, region(x, y)) * X(x - k + center, y - l + center))

local function difference(dx, dy)
  return Select(InBounds(x - dx, y - dy), X(x, y) - X(x - dx, y - dy), 0)
end

Residuals {
  conv = sqrt_lambda1 * (M(x, y) * blurred - b1(x, y)),
  dx = sqrt_lambda2 * (difference(1, 0) - b2(x, y)),
  dy = sqrt_lambda2 * (difference(0, 1) - b3(x, y)),
}
