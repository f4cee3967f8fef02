-- Mesh deformation with an affine map for each vertex that is kept near a rotation.
local N = Dim("N", 0)
local w_fitSqrt, w_regSqrt = Param("w_fitSqrt", float, 0), Param("w_regSqrt", float, 1)
local w_rotSqrt = Param("w_rotSqrt", float, 2)
local Position = Unknown("Position", opt_float3, {N}, 3)
local Matrix = Unknown("Matrix", opt_float9, {N}, 4)
local UrShape = Array("UrShape", opt_float3, {N}, 5)
local Constraints = Array("Constraints", opt_float3, {N}, 6)
local G = Graph("G", 7, "head", {N}, 8, "tail", {N}, 9)
UsePreconditioner(true)

local pull = Position(0) - Constraints(0)
Energy(Select(greatereq(Constraints(0, 0), -999999.9), w_fitSqrt * pull, 0))

local turned = Matrix3x3Mul(Matrix(G.head), UrShape(G.tail) - UrShape(G.head))
Energy(w_regSqrt * ((Position(G.tail) - Position(G.head)) - turned))

local rows = {Slice(Matrix, 0, 3)(0), Slice(Matrix, 3, 6)(0), Slice(Matrix, 6, 9)(0)}
local function column(k) return Vector(rows[1](k), rows[2](k), rows[3](k)) end
local a, b, c = column(0), column(1), column(2)
Energy(w_rotSqrt * Vector(Dot3(a, b), Dot3(a, c), Dot3(b, c),
                          Dot3(a, a) - 1, Dot3(b, b) - 1, Dot3(c, c) - 1))
