-- The declarations as printed: arrays with bare dims, of which X is the unknown, a graph with bare
-- dims and numbers of its own, and a computed array without a name.
W, H = Dim("W", 0), Dim("H", 1)
N = Dim("N", 2)
X = Array2D("X", float, W, H, 0)
A = Array2D("A", float, W, H, 1)
Q = Array1D("Q", opt.float3, N, 2)
lens = Param("lens", float2, 3)
G = Graph("Edges", 0, "vertex0", N, 0, "vertex1", N, 1, "pixel", {W, H}, 2)
local w_fit, w_reg = .1, .9
lighting = ComputedArray(W, H, A(0, 0) * X(0, 0) ^ 2)
Energy(w_fit * (X(0, 0) - A(0, 0)), w_reg * (lighting(0, 0) - lighting(1, 0)),
       w_reg * (X(0, 0) - X(0, 1)))
Energy(Q(G.vertex0) * X(G.pixel) - Q(G.vertex1), lens(0) * X(G.pixel) - lens[1])
local row = ComputedArray("row", N, Q(0, 0) + Q(0, 0, 1) * Q(1, 0, 2))
Energy(row(G.vertex0) * X(G.pixel))
