-- The image step of a splitting method for deconvolution: the image that, blurred, looks like b1
-- and whose differences look like b2 and b3.
--
--   E(X) = 1/2 sum_p l1 (M (K * X) - b1)^2 + l2 (X - X_left - b2)^2 + l2 (X - X_above - b3)^2
--
-- K * X is the convolution with one kernel; M is 1 where the blurred image is known, else 0. At a
-- border there is no neighbor, and the difference counts as 0.

local W, H, K = Dims("W", "H", "K")

Inputs {
  sqrt_lambda1 = Param(float, 0),  -- square roots of the weights
  sqrt_lambda2 = Param(float, 1),
  X  = Unknown(thallo_float, {W, H}, 2),
  M  = Array(thallo_float, {W, H}, 3),
  b1 = Array(thallo_float, {W, H}, 4),
  b2 = Array(thallo_float, {W, H}, 5),
  b3 = Array(thallo_float, {W, H}, 6),
  kernel = Array(thallo_float, {K, K}, 7),
}

local x, y, k, l = W(), H(), K(), K()
local center = 7  -- of the kernel, here 15 x 15
blurred = Sum({k, l}, kernel(k, l) * X(x - k + center, y - l + center))

local function difference(dx, dy)
  return Select(InBounds(x - dx, y - dy), X(x, y) - X(x - dx, y - dy), 0)
end

Residuals {
  conv = sqrt_lambda1 * (M(x, y) * blurred - b1(x, y)),
  dx = sqrt_lambda2 * (difference(1, 0) - b2(x, y)),
  dy = sqrt_lambda2 * (difference(0, 1) - b3(x, y)),
}
