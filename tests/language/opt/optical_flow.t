-- Optical flow: where has every pixel of a picture gone in the next one?
local W, H = Dim("W", 0), Dim("H", 1)
local X = Unknown("X", opt_float2, {W, H}, 0)
local I = Array("I", opt_float, {W, H}, 1)
local J_image = Array("J_image", opt_float, {W, H}, 2)
local J_dx, J_dy = Array("J_dx", opt_float, {W, H}, 3), Array("J_dy", opt_float, {W, H}, 4)
local w_fitSqrt, w_regSqrt = Param("w_fitSqrt", float, 5), Param("w_regSqrt", float, 6)
local J = SampledImage(J_image, J_dx, J_dy)
UsePreconditioner(false)

Energy(w_fitSqrt * (I(0, 0) - J(Index(0) + X(0, 0, 0), Index(1) + X(0, 0, 1))))
for i, j in Stencil {{1, 0}, {-1, 0}, {0, 1}, {0, -1}} do
  Energy(Select(InBounds(i, j), w_regSqrt * (X(0, 0) - X(i, j)), 0))
end
