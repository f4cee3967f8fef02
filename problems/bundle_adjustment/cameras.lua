-- Bundle adjustment with lenses of several models, those of COLMAP: cameras that share a lens, lenses
-- or poses that are known.
--
--   E = 1/2 sum_o |f d(u) - obs(o)|^2,   u = P.xy / P.z,   P = R(w) X + t
--
-- An image has a pose (w, t): the axis of its rotation times the angle, and its translation. A lens
-- has focal lengths in pixels, then its distortion; obs is counted from the principal point, which
-- is known. BUNDLER is the camera of bundle_adjustment.lua, which looks along -z.

local models = { "SIMPLE_RADIAL" }  -- the problem says here what its scene has
local free_poses = true
local free_lenses = true
local loss = nil

-- Of a direction u.
local function radial(u, k1, k2)
  local r2 = dot(u, u)
  return (1 + r2 * (k1 + k2 * r2)) * u
end

local seen_through = {
  BUNDLER        = function(l, u) return l(0) * radial(-u, l(1), l(2)) end,
  SIMPLE_PINHOLE = function(l, u) return l * u end,
  PINHOLE        = function(l, u) return Vector(l(0) * u(0), l(1) * u(1)) end,
  SIMPLE_RADIAL  = function(l, u) return l(0) * radial(u, l(1), 0) end,
  RADIAL         = function(l, u) return l(0) * radial(u, l(1), l(2)) end,
  OPENCV         = function(l, u)
    local x, y, r2 = u(0), u(1), dot(u, u)
    local d = radial(u, l(2), l(3))
    return Vector(l(0) * (d(0) + 2 * l(4) * x * y + l(5) * (r2 + 2 * x * x)),
                  l(1) * (d(1) + 2 * l(5) * x * y + l(4) * (r2 + 2 * y * y)))
  end,
  OPENCV_FISHEYE = function(l, u)
    local r = sqrt(dot(u, u) + 1e-20)  -- so that it has a derivative in the middle
    local a = atan(r)
    local a2 = a * a
    local scale = a / r * (1 + a2 * (l(2) + a2 * (l(3) + a2 * (l(4) + a2 * l(5)))))
    return Vector(l(0) * scale * u(0), l(1) * scale * u(1))
  end,
}
local lens_type = {
  BUNDLER = thallo_float3, SIMPLE_PINHOLE = thallo_float, PINHOLE = thallo_float2,
  SIMPLE_RADIAL = thallo_float2, RADIAL = thallo_float3, OPENCV = thallo_float6,
  OPENCV_FISHEYE = thallo_float6,
}

local I, P = Dims("I", "P")
local Pose = free_poses and Unknown or Array
local Lens = free_lenses and Unknown or Array

Inputs {
  poses  = Pose(thallo_float6, {I}),
  points = Unknown(thallo_float3, {P}),
}
UsePreconditioner(true)

local terms = {}
for _, model in ipairs(models) do
  local L, O = Dims("L_" .. model, "O_" .. model)
  local function name(of) return of .. "_" .. model end
  Inputs {
    [name("lenses")]       = Lens(lens_type[model], {L}),
    [name("observations")] = Array(thallo_float2, {O}),  -- in pixels
    [name("image_of")]     = Sparse({O}, {I}),           -- the image of an observation
    [name("lens_of")]      = Sparse({O}, {L}),           -- its lens
    [name("point_of")]     = Sparse({O}, {P}),           -- its point
  }
  local input = function(of) return _ENV[name(of)] end
  local o = O()
  local pose = poses(input("image_of")(o))
  local in_camera = AngleAxisRotatePoint(pose:slice(0, 3), points(input("point_of")(o))) +
                    pose:slice(3, 6)
  local u = in_camera:slice(0, 2) / in_camera(2)
  local lens = input("lenses")(input("lens_of")(o))
  terms[name("reprojection")] = seen_through[model](lens, u) - input("observations")(o)
end

local r = Residuals(terms)
if loss ~= nil then
  for _, model in ipairs(models) do r["reprojection_" .. model]:loss(loss) end
end
