-- Mesh smoothing with cotangent weights, which know the angles of the mesh as it moves.
local N = Dim("N", 0)
local w_fitSqrt, w_regSqrt = Param("w_fitSqrt", float, 0), Param("w_regSqrt", float, 1)
local X = Unknown("X", opt_float3, {N}, 2)
local A = Array("A", opt_float3, {N}, 3)
local G = Graph("G", 4, "v0", {N}, 5, "v1", {N}, 6, "v2", {N}, 7, "v3", {N}, 8)
UsePreconditioner(true)

local function cot(p, q)
  local cosine = Dot3(p, q)
  local sine2 = Dot3(p, p) * Dot3(q, q) - cosine * cosine
  return cosine / sqrt(Select(greater(sine2, 0), sine2, 1e-4))
end
local function seen_from(w)
  return cot(normalize(X(G.v0) - X(w)), normalize(X(G.v1) - X(w)))
end
local h = 0.5 * (seen_from(G.v2) + seen_from(G.v3))
local weight = sqrt(Select(greater(h, 0), h, 1e-4))

Energy(w_fitSqrt * (X(0) - A(0)))
Energy(w_regSqrt * weight * (X(G.v1) - X(G.v0)))
