-- Camera poses from sparse feature matches alone: both points of a match are one point in space.
--
--   E = 1/2 sum_c  w_s |T_i p_i - T_j p_j|^2

local T, C = Dims("T", "C")

Inputs {
  Translation   = Unknown(thallo_float3, {T}, 0),  -- with Rotation the twist of a pose,
  Rotation      = Unknown(thallo_float3, {T}, 1),  -- axis times angle
  frame_i       = Sparse({C}, {T}, 2),
  frame_j       = Sparse({C}, {T}, 3),
  point_i       = Array(thallo_float3, {C}, 4),
  point_j       = Array(thallo_float3, {C}, 5),
  weight_sparse = Param(float, 6),
}
UsePreconditioner(false)

local c, t = C(), T()

Translation:Exclude(eq(t:asvalue(), 0))  -- all else is relative to the first frame
Rotation:Exclude(eq(t:asvalue(), 0))

pose = PoseToMatrix(Rotation(t), Translation(t))

Residuals {
  sparse = sqrt(weight_sparse) * (rigid_trans(pose:get(frame_i(c)), point_i(c))
                                  - rigid_trans(pose:get(frame_j(c)), point_j(c))),
}

pose:materialize()
