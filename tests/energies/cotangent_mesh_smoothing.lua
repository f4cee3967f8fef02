-- Mesh smoothing with cotangent weights, which are part of the energy and follow the vertices.
--
--   fit(n) = w_fit (X_n - A_n)
--   reg(e) = w_reg w (X_v1 - X_v0),   w = sqrt((cot a + cot b) / 2)
--
-- The edge e runs from v0 to v1; a and b are the angles at v2 and v3, the third vertices of its two
-- triangles. Cotangents and weights stay clear of 0.

local N, E = Dims("N", "E")

Inputs {
  X         = Unknown(thallo_float3, {N}, 0),
  A         = Array(thallo_float3, {N}, 1),
  v0        = Sparse({E}, {N}, 2),
  v1        = Sparse({E}, {N}, 3),
  v2        = Sparse({E}, {N}, 4),
  v3        = Sparse({E}, {N}, 5),
  w_fitSqrt = Param(float, 6),
  w_regSqrt = Param(float, 7),
}
UsePreconditioner(true)

local n, e = N(), E()
local x0, x1, x2, x3 = X(v0(e)), X(v1(e)), X(v2(e)), X(v3(e))

local function cot(p, q)
  local cosine = dot(p, q)
  local sine2 = dot(p, p) * dot(q, q) - cosine * cosine
  return cosine / sqrt(Select(greater(sine2, 0), sine2, 1e-4))
end
local function opposite_cot(tip) return cot(normalize(x0 - tip), normalize(x1 - tip)) end

local half = (opposite_cot(x2) + opposite_cot(x3)) / 2
local weight = sqrt(Select(greater(half, 0), half, 1e-4))

Residuals {
  fit = w_fitSqrt * (X(n) - A(n)),
  reg = w_regSqrt * weight * (x1 - x0),
}
