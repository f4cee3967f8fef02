-- Mesh smoothing with cotangent weights, which know the angles of the mesh as it moves.
--
--   E(X) = 1/2 sum_v      w_fit |X_v - A_v|^2
--        + 1/2 sum_(v,u)  w_reg max(cot alpha + cot beta, 0)/2 |X_u - X_v|^2
--
-- v runs over the vertices, (v, u) over both directions of every edge; A_v is where vertex v was,
-- alpha and beta are the angles of the two triangles on the edge that lie opposite to it. At a
-- border there is one triangle, and one angle.

local N, E = Dims("N", "E")

Inputs {
  X  = Unknown(thallo_float3, {N}, 0),
  A  = Array(thallo_float3, {N}, 1),
  V0 = Sparse({E}, {N}, 2),                     -- v of edge (v, u)
  V1 = Sparse({E}, {N}, 3),                     -- u
  V2 = Sparse({E}, {N}, 4, {optional = true}),  -- the neighbor of v before u
  V3 = Sparse({E}, {N}, 5, {optional = true}),  -- the neighbor of v after u
  w_fitSqrt = Param(float, 6),                  -- square roots of the weights
  w_regSqrt = Param(float, 7),
}
UsePreconditioner(true)

local n, e = N(), E()
local v, u = V0(e), V1(e)

-- Of the angle between two directions; a small positive number stands in for a sine of 0.
local function cot(p, q)
  local sine2 = dot(p, p) * dot(q, q) - dot(p, q) ^ 2
  return dot(p, q) / sqrt(Select(greater(sine2, 0), sine2, 1e-4))
end

-- Of the angle that the edge is seen under from vertex w; 0 where there is none.
local function cot_opposite(w)
  return Select(InBounds(w), cot(normalize(X(v) - X(w)), normalize(X(u) - X(w))), 0)
end

local h = (cot_opposite(V2(e)) + cot_opposite(V3(e))) / 2
local weight = sqrt(Select(greater(h, 0), h, 1e-4))

Residuals {
  fit = w_fitSqrt * (X(n) - A(n)),
  reg = w_regSqrt * weight * (X(u) - X(v)),
}
