local W, H, N, E, F = Dims("W", "H", "N", "E", "F")
Inputs {
  X = Unknown(thallo_float3, {W, H}, 0),
  Y = Unknown(thallo_float2, {N}, 1),
  A = Array(thallo_float3, {W, H}, 2),
  B = Array(float2, {N}, 3),
  w = Param(float, 4),
  pixel = Sparse({E}, {W, H}, 6),
  vertex = Sparse({E}, {N}, 7),
  next_vertex = Sparse({E}, {N}, 8),
  first = Sparse({F}, {N}, 10),
  second = Sparse({F}, {N}, 11),
}
local x, y, n, e, f = W(), H(), N(), E(), F()
local a, v = A(x, y), X(x, y)
local near = not_(or_(less(a(0), 0.1), lesseq(a(1), 0.2)))
local wide = And(InBounds(x, y - 1), InBounds(x + 2, y + 1))
Residuals {
  a = Select(near, w * exp(0.1 * v), log(2 + v * v)),
  b = {sqrt(1 + v(1) ^ 2), (2 + sin(v(0))) ^ 3, sqrt(dot(v - a, v - a))},
  c = Select(wide, (v + 3) / sqrt(dot(v + 3, v + 3)) * sqrt(dot(a + 2, a + 2)), 0),
  d = Select(InBounds(x, y + 1), x:asvalue() * v(0) - y:asvalue() * X(x, y + 1, 0), 0),
  e = 0.5 * (abs(Y(n)) - B(n)),
  f = {X(pixel(e), 0) - Y(vertex(e), 0), X(pixel(e), 1) - Y(vertex(e), 1)},
  g = X(pixel(e), 2) - Y(next_vertex(e), 0) * Y(next_vertex(e), 1),
  h = Vector(math.cos(0.3) * Y(first(f), 0) - math.sin(0.3) * Y(first(f), 1),
             math.sin(0.3) * Y(first(f), 0) + math.cos(0.3) * Y(first(f), 1)) - Y(second(f)),
}
