local W, H, N, E = Dims("W", "H", "N", "E")
local input = Inputs {
  X = Unknown(float, {W, H}),
  A = Array(float, {W, H}),
  Q = Array(float3, N),
  lens = Param(float2),
  vertex0 = Sparse(E, N), vertex1 = Sparse(E, N), pixel = Sparse(E, {W, H}),
}
local x, y, n, e = W(), H(), N(), E()
local w_fit, w_reg = .1, .9
local lighting = ComputedArray("lighting", {x, y}, A(x, y) * input.X(x, y) ^ 2)
local seen = X(pixel(e))
local row = ComputedArray("row", {n}, Q(n) + Q(n, 1) * Q(n + 1, 2))
Residuals {
  e1 = w_fit * (X(x, y) - A(x, y)),
  e2 = Select(InBounds(x + 1), w_reg * (lighting(x, y) - lighting(x + 1, y)), 0),
  e3 = Select(InBounds(y + 1), w_reg * (X(x, y) - X(x, y + 1)), 0),
  e4 = Q(vertex0(e)) * seen - Q(vertex1(e)),
  e5 = lens(0) * seen - lens(1),
  e6 = row(vertex0(e)) * seen,
}
