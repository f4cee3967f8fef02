local U, P, E = Dims("U", "P", "E")
Inputs {
  params = Unknown(thallo_float2, {U}, 0),
  data = Array(thallo_float2, {P}, 1),
  curve = Sparse({E}, {U}, 3),
  point = Sparse({E}, {P}, 4),
}
UsePreconditioner(true)
local e = E()
local a, b = params(curve(e), 0), params(curve(e), 1)
local x, y = data(point(e), 0), data(point(e), 1)
Residuals { fit = y - (a * cos(b * x) + b * sin(a * x)) }
