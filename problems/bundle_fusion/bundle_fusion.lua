-- Camera poses of a depth video from dense depth alignment and sparse feature matches.
--
--   E = 1/2 sum_(w, h, p)  w_d max(0, 1 - Q.z / 2)^2.5 ((Q - P') . n)^2
--     + 1/2 sum_c          w_s |T_i p_i - T_j p_j|^2
--
-- A pair p aligns a source frame s with a target frame t: P' is the point of pixel (w, h) of s in
-- the space of t, Q and n are the point and the normal that t sees where P' projects to. Where that
-- is, and the poses of targets, count as constants. Far or doubtful matches do not count. A sparse
-- match c is one point in space, seen as p_i by frame i and as p_j by frame j.

local W, H, T, C, P = Dims("W", "H", "T", "C", "P")

Inputs {
  Translation      = Unknown(thallo_float3, {T}, 0),  -- with Rotation the twist of a pose,
  Rotation         = Unknown(thallo_float3, {T}, 1),  -- axis times angle
  FixedTranslation = Array(thallo_float3, {T}, 0),    -- the unknowns, as constants
  FixedRotation    = Array(thallo_float3, {T}, 1),
  Points           = Array(thallo_float3, {W, H, T}, 2),  -- in the space of their camera
  Normals          = Array(thallo_float3, {W, H, T}, 3),  -- -inf where there is none
  target           = Sparse({P}, {T}, 4),
  source           = Sparse({P}, {T}, 5),
  frame_i          = Sparse({C}, {T}, 6),
  frame_j          = Sparse({C}, {T}, 7),
  point_i          = Array(thallo_float3, {C}, 8),
  point_j          = Array(thallo_float3, {C}, 9),
  fx = Param(float, 10), fy = Param(float, 11), cx = Param(float, 12), cy = Param(float, 13),
  width = Param(float, 14), height = Param(float, 15),
  min_depth = Param(float, 16), max_depth = Param(float, 17),
  min_cosine = Param(float, 18), max_distance = Param(float, 19),
  weight_dense = Param(float, 20), weight_sparse = Param(float, 21),
}
UsePreconditioner(true)

local w, h, p, c = W("w"), H("h"), P("p"), C("c")
local t0, t1 = T(), T()

Translation:Exclude(eq(t0:asvalue(), 0))  -- all else is relative to the first frame
Rotation:Exclude(eq(t0:asvalue(), 0))

pose = PoseToMatrix(Rotation(t0), Translation(t0))
fixed_pose = PoseToMatrix(FixedRotation(t0), FixedTranslation(t0))
source_to_target = matmul(InvertRigidTransform(fixed_pose:get(t0)), pose:get(t1))

local t, s = target(p), source(p)
local M = source_to_target:get(t, s)
local source_point, source_normal = Points(w, h, s), Normals(w, h, s)
local point = rigid_trans(M, source_point)
local normal = gemv(rotationFromMat4(M), source_normal)
local screen = CameraToDepth(fx, fy, cx, cy, Constant(point))
local x, y = screen(0), screen(1)
local target_point = SampledImageArray(Points)(x, y, t)
local target_normal = SampledImageArray(Normals)(x, y, t)

local function in_range(depth) return And(greater(depth, min_depth), less(depth, max_depth)) end
local matches = And(
  in_range(source_point(2)), neq(source_normal(0), -inf),
  greatereq(x, -0.5), less(x, width + 0.5), greatereq(y, -0.5), less(y, height + 0.5),
  in_range(target_point(2)), neq(target_normal(0), -inf),
  greatereq(dot(normal, target_normal), min_cosine),
  lesseq(length(point, target_point), max_distance))
local nearness = pow(Max(0, 1 - target_point(2) / 2), 2.5)

local r = Residuals {
  dense = Select(matches,
                 sqrt(weight_dense * nearness) * dot(target_point - point, target_normal), 0),
  sparse = sqrt(weight_sparse) * (rigid_trans(pose:get(frame_i(c)), point_i(c))
                                  - rigid_trans(pose:get(frame_j(c)), point_j(c))),
}

-- As published: neighboring threads have neighboring pixels, poses are stored with their
-- derivatives, and both terms are gathered in a stored JtJ.
r.dense:reorder{w, h, p}
pose:materialize()
fixed_pose:materialize{value=true}
source_to_target:materialize()
r.dense.JtJ:materialize()
r.sparse.JtJ:materialize()
