-- Pose graph in the plane: where was the robot, given what it measured from place to place?
--
--   E(X) = 1/2 sum_(i,j)  e^T I e,   e = Z_ij^-1 (X_i^-1 X_j)  as  (x, y, angle)
--        + 1/2 sum_(i,l)  e^T I e,   e = X_i^-1 P_l - z_il     where points are seen
--        + 1/2 sum_i      e^T I e,   e = Z_i^-1 X_i            where poses are measured in the world
--
-- X_i = (x, y, angle) are the poses, Z_ij the measurement of pose j in the frame of pose i, I its
-- information matrix. Poses move on SE(2): a step shifts along the pose's own axes and turns it.

local has_landmarks = false  -- the problem says here what its graph has
local has_priors = false
local loss = nil

local N, E = Dims("N", "E")

Inputs {
  Pose     = Unknown(SE2, {N}, 0),          -- X
  Measured = Array(SE2, {E}, 1),            -- Z
  Root     = Array(thallo_mat3f, {E}, 2),   -- W with W^T W = I
  Fixed    = Array(uint8, {N}, 3),          -- 1 where a pose stays
  From     = Sparse({E}, {N}, 4),           -- i
  To       = Sparse({E}, {N}, 5),           -- j
}
UsePreconditioner(true)

local n, e = N(), E()
Pose:Exclude(neq(Fixed(n), 0))

local function error_of(d)
  return Vector(d(0), d(1), atan2(sin(d(2)), cos(d(2))))  -- within -pi ... pi
end

local terms = {
  edge = gemv(Root(e), error_of(between(Measured(e), between(Pose(From(e)), Pose(To(e)))))),
}

if has_landmarks then
  local L, S = Dims("L", "S")
  Inputs {
    Landmark      = Unknown(thallo_float2, {L}),     -- P
    LandmarkFixed = Array(uint8, {L}),
    Seen          = Array(thallo_float2, {S}),       -- z
    SeenRoot      = Array(thallo_mat2f, {S}),
    SeenFrom      = Sparse({S}, {N}),                -- i
    SeenLandmark  = Sparse({S}, {L}),                -- l
  }
  local l, s = L(), S()
  Landmark:Exclude(neq(LandmarkFixed(l), 0))
  terms.sight = gemv(SeenRoot(s), between(Pose(SeenFrom(s)), Landmark(SeenLandmark(s))) - Seen(s))
end

if has_priors then
  local K = Dims("K")
  Inputs {
    Prior     = Array(SE2, {K}),                     -- Z_i
    PriorRoot = Array(thallo_mat3f, {K}),
    PriorPose = Sparse({K}, {N}),                    -- i
  }
  local k = K()
  terms.prior = gemv(PriorRoot(k), error_of(between(Prior(k), Pose(PriorPose(k)))))
end

local r = Residuals(terms)
if loss ~= nil then
  r.edge:loss(loss)
  if has_landmarks then r.sight:loss(loss) end
  if has_priors then r.prior:loss(loss) end
end
