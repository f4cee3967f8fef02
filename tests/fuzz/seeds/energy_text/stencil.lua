local W, H = Dims("W", "H")
Inputs { X = Unknown(float2, {W, H}, 0), A = Array(float2, {W, H}, 1), w = Param(float, 2) }
local x, y = W(), H()
local near = InBounds(x + 1, y)
Residuals { fit = X(x, y) - A(x, y), reg = Select(near, w * (X(x, y) - X(x + 1, y)), 0) }
