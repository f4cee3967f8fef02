-- Alignment of a mesh with a scan, with a confidence for each correspondence.
local N = Dim("N", 0)
local w_fitSqrt, w_regSqrt = Param("w_fitSqrt", float, 0), Param("w_regSqrt", float, 1)
local Offset = Unknown("Offset", opt_float3, {N}, 2)
local Angle = Unknown("Angle", opt_float3, {N}, 3)
local RobustWeights = Unknown("RobustWeights", opt_float, {N}, 4)
local UrShape = Array("UrShape", opt_float3, {N}, 5)
local Constraints = Array("Constraints", opt_float3, {N}, 6)
local ConstraintNormals = Array("ConstraintNormals", opt_float3, {N}, 7)
local G = Graph("G", 8, "head", {N}, 9, "tail", {N}, 10)
UsePreconditioner(true)

local valid = greatereq(Constraints(0), -999999.9)
local q = RobustWeights(0)
local distance = Dot3(ConstraintNormals(0), Offset(0) - Constraints(0))
Energy(w_fitSqrt * Select(valid, q * distance, 0), 0.1 * Select(valid, 1 - q * q, 0))

local turned = Rotate3D(Angle(G.head), UrShape(G.head) - UrShape(G.tail))
Energy(w_regSqrt * ((Offset(G.head) - Offset(G.tail)) - turned))
