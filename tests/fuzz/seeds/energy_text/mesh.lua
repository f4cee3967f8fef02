local V, E = Dims("V", "E")
Inputs { P = Unknown(float3, {V}, 0), V0 = Sparse({E}, {V}, 1), V1 = Sparse({E}, {V}, 2) }
local e = E()
Residuals { reg = P(V0(e)) - P(V1(e)) }
