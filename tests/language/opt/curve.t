-- A curve y = a cos(b x) + b sin(a x) through points, over a graph alone, whose edges join the one
-- curve with the points.
local U, P = Dim("U", 0), Dim("P", 1)
local params = Unknown("params", opt_float2, {U}, 0)
local data = Array("data", opt_float2, {P}, 1)
local G = Graph("G", 2, "curve", {U}, 3, "point", {P}, 4)
UsePreconditioner(true)
local a, b = params(G.curve, 0), params(G.curve, 1)
local x, y = data(G.point, 0), data(G.point, 1)
Energy(y - (a * ad.cos(b * x) + b * ad.sin(a * x)))
