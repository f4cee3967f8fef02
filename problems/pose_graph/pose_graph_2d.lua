-- Pose graph in the plane: where was the robot, given what it measured from place to place?
--
--   E(X) = 1/2 sum_(i,j)  e^T I e,   e = Z_ij^-1 (X_i^-1 X_j)  as  (x, y, angle)
--
-- X_i = (x, y, angle) are the poses, Z_ij the measurement of pose j in the frame of pose i, I its
-- information matrix. Poses move on SE(2): a step shifts along the pose's own axes and turns it.

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

-- A^-1 B
local function between(A, B)
  local shift = Rotate2D(-A(2), B:slice(0, 2) - A:slice(0, 2))
  return Vector(shift, B(2) - A(2))
end

local d = between(Measured(e), between(Pose(From(e)), Pose(To(e))))
local angle = atan2(sin(d(2)), cos(d(2)))  -- within -pi ... pi

Residuals {
  edge = gemv(Root(e), Vector(d(0), d(1), angle)),
}
