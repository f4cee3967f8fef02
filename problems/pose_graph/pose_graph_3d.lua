-- Pose graph in space: where was the robot, given what it measured from place to place?
--
--   E(X) = 1/2 sum_(i,j)  e^T I e,   e = (t, 2 v) of Z_ij^-1 (X_i^-1 X_j)
--
-- X_i = (t, q) are the poses, a translation and a unit quaternion (v, w); Z_ij is the measurement
-- of pose j in the frame of pose i, I its information matrix. 2 v is the angle times the axis for
-- small angles. Poses move on SE(3): a step shifts along the pose's own axes and turns it about
-- them.

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

-- Quaternions (x, y, z, w).
local function rotate(q, p)
  local v = q:slice(0, 3)
  return p + 2 * cross(v, cross(v, p) + q(3) * p)
end
local function conjugate(q) return Vector(-q(0), -q(1), -q(2), q(3)) end
local function multiply(a, b)
  local v, u = a:slice(0, 3), b:slice(0, 3)
  return Vector(a(3) * u + b(3) * v + cross(v, u), a(3) * b(3) - dot(v, u))
end

-- A^-1 B
local function between(A, B)
  local back = conjugate(A:slice(3, 7))
  return Vector(rotate(back, B:slice(0, 3) - A:slice(0, 3)), multiply(back, B:slice(3, 7)))
end

local d = between(Measured(e), between(Pose(From(e)), Pose(To(e))))
local sign = Select(less(d(6), 0), -1, 1)  -- q and -q are one rotation

Residuals {
  edge = gemv(Root(e), Vector(d:slice(0, 3), 2 * sign * d:slice(3, 6))),
}
