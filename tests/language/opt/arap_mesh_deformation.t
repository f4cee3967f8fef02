-- Mesh deformation: the surface follows the vertices that are pulled as rigidly as possible.
local N = Dim("N", 0)
local w_fitSqrt = Param("w_fitSqrt", float, 0)
local w_regSqrt = Param("w_regSqrt", float, 1)
local Position = Unknown("Position", opt_float3, {N}, 2)
local Angle = Unknown("Angle", opt_float3, {N}, 3)
local UrShape = Image("UrShape", opt_float3, {N}, 4)
local Constraints = Image("Constraints", opt_float3, {N}, 5)
local G = Graph("G", 6, "v0", {N}, 7, "v1", {N}, 8)
UsePreconditioner(true)

local pull = Position(0) - Constraints(0)
Energy(Select(greatereq(Constraints(0)(0), -999999.9), w_fitSqrt * pull, 0))

local edge = Position(G.v0) - Position(G.v1)
local ur_edge = UrShape(G.v0) - UrShape(G.v1)
Energy(w_regSqrt * (edge - Rotate3D(Angle(G.v0), ur_edge)))
