-- A graph whose vertices are pixels, vertices of a mesh, and others of another one: hyper-edges
-- between spaces. The rest says what no other text does.
local W, H, N = opt.Dim("W", 0), opt.Dim("H", 1), opt.Dim("N", 2)
local X = opt.Unknown("X", opt_float3, {W, H}, 0)
local Y = opt.Unknown("Y", opt_float2, {N}, 1)
local A = opt.Array("A", opt_float3, {W, H}, 2)
local B = opt.Array("B", float2, {N}, 3)
local w = opt.Param("w", opt_float, 4)
local G = opt.Graph("G", 5, "pixel", {W, H}, 6, "vertex", {N}, 7, "next", {N}, 8)
local K = opt.Graph("K", 9, "first", {N}, 10, "second", {N}, 11)

local far = Or(less(A(0, 0, 0), 0.1), lesseq(A(0, 0, 1), 0.2))
local near = And(Not(far), eq(A(0, 0, 2), A(0, 0, 2)))
local v = ad.Vector(X(0, 0, 0), X(0, 0, 1), X(0, 0, 2))
Energy(Select(near, w * ad.exp(0.1 * X(0, 0)), ad.log(2 + X(0, 0) * X(0, 0))),
       Sqrt(1 + X(0, 0, 1) ^ 2), ad.pow(2 + ad.sin(X(0, 0, 0)), 3), length(v, A(0, 0)))
Energy(Select(InBoundsExpanded(1, 0, 1), normalize(v + 3) * L_2_norm(A(0, 0) + 2), 0))
Energy(Select(InBounds(0, 1), Index(0) * X(0, 0, 0) - Index(1) * X(0, 1, 0), 0))
Energy(0.5 * (ad.abs(Y(0)) - B(0)))

local pixel, vertex = X(G.pixel), Y(G.vertex)
Energy(Slice(X, 0, 2)(G.pixel) - vertex, X(G.pixel, 2) - Y(G.next, 0) * Y(G.next, 1))
Energy(Rotate2D(0.3, Y(K.first)) - Y(K.second))
