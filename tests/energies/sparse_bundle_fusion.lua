-- Camera poses from sparse feature matches alone: both points of a match are one point in space.
--
--   sparse(c) = sqrt(w) (T_i p_i - T_j p_j)

local W, H, T, C = Dims("W", "H", "T", "C")

Inputs {
  Translation   = Unknown(thallo_float3, {T}, 0),
  Rotation      = Unknown(thallo_float3, {T}, 1),
  frame_i       = Sparse({C}, {T}, 2),
  frame_j       = Sparse({C}, {T}, 3),
  point_i       = Array(thallo_float3, {C}, 4),
  point_j       = Array(thallo_float3, {C}, 5),
  weight_sparse = Param(float, 6),
}
UsePreconditioner(false)

local c, t = C(), T()
pose = PoseToMatrix(Rotation(t), Translation(t))

Residuals {
  sparse = sqrt(weight_sparse) * (rigid_trans(pose:get(frame_i(c)), point_i(c))
                                  - rigid_trans(pose:get(frame_j(c)), point_j(c))),
}
