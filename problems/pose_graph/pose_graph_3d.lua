-- Pose graph in space: where was the robot, given what it measured from place to place?
--
--   E(X) = 1/2 sum_(i,j)  e^T I e,   e = (t, 2 v) of Z_ij^-1 (X_i^-1 X_j)
--        + 1/2 sum_(i,l)  e^T I e,   e = (X_i S)^-1 P_l - z_il               where points are seen
--        + 1/2 sum_i      e^T I e,   e = (t, 2 v) of Z_i^-1 (X_i S)  where poses are measured in the
--                                                                    world
--
-- X_i = (t, q) are the poses, a translation and a unit quaternion (v, w); Z_ij is the measurement
-- of pose j in the frame of pose i, I its information matrix; S is where a sensor is in the frame
-- of its pose. 2 v is the angle times the axis for small angles. Poses move on SE(3): a step shifts
-- along the pose's own axes and turns it about them.

local has_landmarks = false  -- the problem says here what its graph has
local has_priors = false
local loss = nil

local N, E = Dims("N", "E")

Inputs {
  Pose     = Unknown(SE3, {N}, 0),          -- X
  Measured = Array(SE3, {E}, 1),            -- Z
  Root     = Array(thallo_mat6f, {E}, 2),   -- W with W^T W = I
  Fixed    = Array(uint8, {N}, 3),          -- 1 where a pose stays
  From     = Sparse({E}, {N}, 4),           -- i
  To       = Sparse({E}, {N}, 5),           -- j
}
UsePreconditioner(true)

local n, e = N(), E()
Pose:Exclude(neq(Fixed(n), 0))

local function error_of(d)
  local sign = Select(less(d(6), 0), -1, 1)  -- q and -q are one rotation
  return Vector(d:slice(0, 3), 2 * sign * d:slice(3, 6))
end

local terms = {
  edge = gemv(Root(e), error_of(between(Measured(e), between(Pose(From(e)), Pose(To(e)))))),
}

if has_landmarks then
  local L, S = Dims("L", "S")
  Inputs {
    Landmark      = Unknown(thallo_float3, {L}),     -- P
    LandmarkFixed = Array(uint8, {L}),
    Seen          = Array(thallo_float3, {S}),       -- z
    SeenRoot      = Array(thallo_mat3f, {S}),
    SeenSensor    = Array(SE3, {S}),                 -- S
    SeenFrom      = Sparse({S}, {N}),                -- i
    SeenLandmark  = Sparse({S}, {L}),                -- l
  }
  local l, s = L(), S()
  Landmark:Exclude(neq(LandmarkFixed(l), 0))
  local seen = between(SeenSensor(s), between(Pose(SeenFrom(s)), Landmark(SeenLandmark(s))))
  terms.sight = gemv(SeenRoot(s), seen - Seen(s))
end

if has_priors then
  local K = Dims("K")
  Inputs {
    Prior       = Array(SE3, {K}),                   -- Z_i
    PriorRoot   = Array(thallo_mat6f, {K}),
    PriorSensor = Array(SE3, {K}),                   -- S
    PriorPose   = Sparse({K}, {N}),                  -- i
  }
  local k = K()
  terms.prior = gemv(PriorRoot(k), error_of(between(Prior(k), Pose(PriorPose(k)) * PriorSensor(k))))
end

local r = Residuals(terms)
if loss ~= nil then
  r.edge:loss(loss)
  if has_landmarks then r.sight:loss(loss) end
  if has_priors then r.prior:loss(loss) end
end
