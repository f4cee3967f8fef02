-- Bundle adjustment: cameras and points such that every observation is where its camera sees its
-- point (the camera model of Snavely's Bundler, as in the BAL data sets).
--
--   E = 1/2 sum_o |obs(o) - f d(c) c|^2
--
--   P = R(w) X + t          the point of o in the frame of the camera of o
--   c = -(P.x, P.y) / P.z   projected; the camera looks along -z
--   d = 1 + k1 |c|^2 + k2 |c|^4   radial distortion
--
-- A camera is (w, t, f, k1, k2): the axis of its rotation times the angle, its translation, its
-- focal length in pixels and the two distortion coefficients.

local loss = nil  -- the problem says here which one it was asked for

local C, P, O = Dims("C", "P", "O")

Inputs {
  cameras      = Unknown(thallo_float9, {C}, 0),
  points       = Unknown(thallo_float3, {P}, 1),
  observations = Array(thallo_float2, {O}, 2),  -- in pixels, from the center of the image
  camera_of    = Sparse({O}, {C}, 3),           -- the camera of an observation
  point_of     = Sparse({O}, {P}, 4),           -- its point
}
UsePreconditioner(true)

local o = O()
local camera = cameras(camera_of(o))
local w, t = camera:slice(0, 3), camera:slice(3, 6)
local f, k1, k2 = camera(6), camera(7), camera(8)

local in_camera = AngleAxisRotatePoint(w, points(point_of(o))) + t
local c = -in_camera:slice(0, 2) / in_camera(2)
local r2 = dot(c, c)
local distortion = 1 + r2 * (k1 + k2 * r2)

local r = Residuals { reprojection = observations(o) - f * distortion * c }
if loss ~= nil then r.reprojection:loss(loss) end
