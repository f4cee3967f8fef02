#include "core/language/prelude.h"

namespace thallo::language {

const char* const Prelude = R"lua(
local host = host
local expected, num_entries, next = host.__expected, host.__num_entries, host.next

-- A faulty value has no entries and answers everything with itself, so that one fault is reported
-- once. Parentheses around a returned call keep the name of the caller for messages.

-- v as a vector with n entries.
local function sized(n, v)
  if num_entries(v) ~= n then return (expected("a vector of " .. n, v)) end
  return (Vector(v))
end

-- Matrices are square vectors, row by row.
local function side(m)
  local n = math.floor(math.sqrt(num_entries(m)) + 0.5)
  if n * n ~= num_entries(m) then return 0, (expected("a square matrix, row by row", m)) end
  return n, (Vector(m))
end

-- Lua ----------------------------------------------------------------------------------------

unpack = table.unpack

-- Lua repeats even the empty text one by one.
local rep = string.rep
function string.rep(s, n, separator)
  if s == "" and (separator or "") == "" then return "" end
  return (rep(s, n, separator))
end

-- Nothing stops Lua's matcher, so what could take too long is refused before.
local check_pattern = host.__check_pattern
local function bounded(match)
  return function(text, pattern, ...)
    local fault = check_pattern(text, pattern)
    if fault ~= nil then return fault end
    return match(text, pattern, ...)
  end
end
for _, name in ipairs {"gmatch", "gsub", "match"} do string[name] = bounded(string[name]) end
local find = string.find
function string.find(text, pattern, init, is_literal)
  local fault = check_pattern(text, pattern, is_literal)
  if fault ~= nil then return fault end
  return find(text, pattern, init, is_literal)
end

local condition, sort = host.condition, table.sort
function assert(value, message, ...)
  condition("assert", value)
  if not value then error(message or "assertion failed!", 2) end
  return value, message, ...
end
function table.sort(t, before)
  if type(before) ~= "function" then return (sort(t, before)) end
  sort(t, function(a, b) return condition("table.sort", before(a, b)) end)
end

-- Keys in a fixed order: numbers, then texts, each ascending.
local function before(a, b)
  local type_a, type_b = type(a), type(b)
  if type_a ~= type_b then return type_a < type_b end
  return (type_a == "number" or type_a == "string") and a < b
end
function pairs(t)
  if type(t) ~= "table" then return (expected("a table", t)) end
  local keys = {}
  for key in next, t do keys[#keys + 1] = key end
  sort(keys, before)
  local i = 0
  return function()
    i = i + 1
    if keys[i] ~= nil then return keys[i], t[keys[i]] end
  end
end

-- for dx, dy in Stencil {{1, 0}, {-1, 0}} do ... end
function Stencil(offsets)
  if type(offsets) ~= "table" then
    return (expected("a table of offsets, {{1, 0}, ...}", offsets))
  end
  for _, offset in ipairs(offsets) do
    if type(offset) ~= "table" then
      return (expected("offsets in braces, {{1, 0}, ...}", offset))
    end
  end
  local i = 0
  return function()
    i = i + 1
    if offsets[i] then return unpack(offsets[i]) end
  end
end

-- Vectors --------------------------------------------------------------------------------------

function dot(a, b) return (Vector(a) * Vector(b)):sum() end
function normalize(v) return Vector(v) / sqrt(dot(v, v)) end
function length(a, b)
  local difference = b == nil and Vector(a) or a - b
  return sqrt(dot(difference, difference))
end
function cross(a, b)
  a, b = sized(3, a), sized(3, b)
  return Vector(a(1) * b(2) - a(2) * b(1), a(2) * b(0) - a(0) * b(2), a(0) * b(1) - a(1) * b(0))
end
local function map(v, f)
  local result = {}
  for i = 0, num_entries(v) - 1 do result[i + 1] = f(v(i)) end
  return Vector(result)
end
for _, kind in ipairs {"expression", "vector"} do
  host[kind].dot = dot
  host[kind].map = map
end
function Vec3(v) return Vector(v):slice(0, 3) end
function Vec4(a, b, c, d) return Vector(a, b, c, d) end

-- Channels first ... last - 1 of a field, as a field, of which some or all can be excluded.
local setmetatable = host.setmetatable
function Slice(field, first, last)
  local function exclude(_, condition, ...)
    local channels = {...}
    if #channels == 0 then
      for c = 0, last - first - 1 do channels[c + 1] = c end
    end
    for i, c in ipairs(channels) do channels[i] = first + c end
    return field:Exclude(condition, unpack(channels))
  end
  return setmetatable({Exclude = exclude},
                      {__call = function(_, ...) return field(...):slice(first, last) end})
end

-- Norms. L_p is the residual of |v|^p by iterative reweighting: its weight is frozen.
function L_1_norm(v) return Vector(abs(v)):sum() end
function L_2_norm(v) return sqrt(dot(v, v)) end
-- With the loop variables of v given, the weight is a stored intermediate over them.
local function frozen_weight(weight, domains)
  weight = Constant(weight)
  if domains == nil then return weight end
  return weight:get(domains)
end
function L_p(v, p, domains)
  if type(p) == "number" and p == 2 then return v end
  return frozen_weight(sqrt(pow(L_2_norm(v) + 1e-7, p - 2)), domains) * v
end
function L_1(v, domains)
  v = Vector(v)
  local entries = {}
  for i = 0, num_entries(v) - 1 do entries[i + 1] = L_p(v(i), 1, domains) end
  return Vector(entries)
end

-- A loss may be a function of s, the squared norm of the residuals of a point.
local parts = host["schedule name"]
local loss, own_loss, squared_norm = parts.loss, host.__own_loss, host.__squared_norm
function parts.loss(part, rho, ...)
  if type(rho) == "function" then rho = own_loss((rho(squared_norm()))) end
  return (loss(part, rho, ...))
end

function SelectOnAll(conditions, value, otherwise)
  return Select(All(conditions), value, otherwise)
end

-- Matrices -------------------------------------------------------------------------------------

-- M v, with as many rows as fit.
function gemv(m, v)
  m, v = Vector(m), Vector(v)
  local columns = num_entries(v)
  if columns == 0 then return v end
  if num_entries(m) == 0 then return m end
  local rows = num_entries(m) // columns
  if rows * columns ~= num_entries(m) then
    return (expected("a matrix with " .. columns .. " columns", m))
  end
  local result = {}
  for i = 0, rows - 1 do result[i + 1] = dot(m:slice(i * columns, (i + 1) * columns), v) end
  return Vector(result)
end
function transpose(m)
  local n, m = side(m)
  local result = {}
  for i = 0, n - 1 do
    for j = 0, n - 1 do result[#result + 1] = m(j * n + i) end
  end
  return Vector(n > 0 and result or m)
end
function matmul(a, b)
  local n, a = side(a)
  if n == 0 then return a end
  local b = sized(n * n, b)
  local result = {}
  for i = 0, n - 1 do
    for j = 0, n - 1 do
      local entry = 0
      for k = 0, n - 1 do entry = entry + a(i * n + k) * b(k * n + j) end
      result[#result + 1] = entry
    end
  end
  return Vector(result)
end
function Matrix4(...) return (sized(16, {...})) end

-- Inverse by cofactors, expanded over the 2x2 minors of the upper and lower two rows.
function InverseMatrix4(m)
  m = sized(16, m)
  local function minor(row, i, j)
    return m(4 * row + i) * m(4 * row + 4 + j) - m(4 * row + j) * m(4 * row + 4 + i)
  end
  local s, c = {}, {}
  for i = 0, 2 do
    for j = i + 1, 3 do
      s[#s + 1], c[#c + 1] = minor(0, i, j), minor(2, i, j)
    end
  end
  local determinant = s[1] * c[6] - s[2] * c[5] + s[3] * c[4]
                      + s[4] * c[3] - s[5] * c[2] + s[6] * c[1]
  return Vector(
     m(5) * c[6] - m(6) * c[5] + m(7) * c[4], -m(1) * c[6] + m(2) * c[5] - m(3) * c[4],
     m(13) * s[6] - m(14) * s[5] + m(15) * s[4], -m(9) * s[6] + m(10) * s[5] - m(11) * s[4],
    -m(4) * c[6] + m(6) * c[3] - m(7) * c[2],  m(0) * c[6] - m(2) * c[3] + m(3) * c[2],
    -m(12) * s[6] + m(14) * s[3] - m(15) * s[2],  m(8) * s[6] - m(10) * s[3] + m(11) * s[2],
     m(4) * c[5] - m(5) * c[3] + m(7) * c[1], -m(0) * c[5] + m(1) * c[3] - m(3) * c[1],
     m(12) * s[5] - m(13) * s[3] + m(15) * s[1], -m(8) * s[5] + m(9) * s[3] - m(11) * s[1],
    -m(4) * c[4] + m(5) * c[2] - m(6) * c[1],  m(0) * c[4] - m(1) * c[2] + m(2) * c[1],
    -m(12) * s[4] + m(13) * s[2] - m(14) * s[1],  m(8) * s[4] - m(9) * s[2] + m(10) * s[1]
  ) / determinant
end

-- Rotations ------------------------------------------------------------------------------------

function Rotate2D(angle, v)
  v = sized(2, v)
  local c, s = cos(angle), sin(angle)
  return Vector(c * v(0) - s * v(1), s * v(0) + c * v(1))
end

-- R v with R = Rz(gamma) Ry(beta) Rx(alpha), angles = (alpha, beta, gamma).
function Rotate3D(angles, v)
  angles, v = sized(3, angles), sized(3, v)
  local ca, cb, cg = cos(angles(0)), cos(angles(1)), cos(angles(2))
  local sa, sb, sg = sin(angles(0)), sin(angles(1)), sin(angles(2))
  local R = Vector(cg * cb, -sg * ca + cg * sb * sa,  sg * sa + cg * sb * ca,
                   sg * cb,  cg * ca + sg * sb * sa, -cg * sa + sg * sb * ca,
                   -sb,      cb * sa,                 cb * ca)
  return (gemv(R, v))
end

-- Rodrigues' formula, cos(theta) p + A w x p + B w w^T p: its coefficients depend on the axis alone,
-- and the point is in no division, so that derivatives are short. Near 0, where the axis is not
-- defined, they are 1, 1 and 1/2: other terms are below the rounding of double.
function AngleAxisRotatePoint(angle_axis, point)
  local w, p = sized(3, angle_axis), sized(3, point)
  local theta2 = dot(w, w)
  local theta = sqrt(theta2)
  local far = greater(theta2, 1e-16)
  local C = Select(far, cos(theta), 1)
  local A = Select(far, sin(theta) / theta, 1)
  local B = Select(far, (1 - cos(theta)) / theta2, 1 / 2)
  return p * C + A * cross(w, p) + w * (B * dot(w, p))
end

-- I + A [w]x + B [w]x^2
function RodriguesSO3Exp(w, A, B)
  w = sized(3, w)
  local x, y, z = w(0), w(1), w(2)
  return Vector(1 - B * (y * y + z * z), B * x * y - A * z,        B * x * z + A * y,
                B * x * y + A * z,       1 - B * (x * x + z * z),  B * y * z - A * x,
                B * x * z - A * y,       B * y * z + A * x,        1 - B * (x * x + y * y))
end

-- Poses: 4x4 matrices and their upper three rows (rigid transforms, 12 entries) ----------------

function RotationMatrixAndTranslationToMat4(rotation, translation)
  local r, t = sized(9, rotation), sized(3, translation)
  return Vector(r:slice(0, 3), t(0), r:slice(3, 6), t(1), r:slice(6, 9), t(2), 0, 0, 0, 1)
end
function Mat4ToRigidTransform(m) return sized(16, m):slice(0, 12) end
function RigidTransformToMat4(m) return Vector(sized(12, m), 0, 0, 0, 1) end
function rotationFromMat4(m)
  m = sized(16, m)
  return Vector(m:slice(0, 3), m:slice(4, 7), m:slice(8, 11))
end
function translationFromMat4(m)
  m = sized(16, m)
  return Vector(m(3), m(7), m(11))
end
function InvertRigidTransform(m)
  local inverse = transpose(rotationFromMat4(m))
  local translation = -gemv(inverse, translationFromMat4(m))
  return (RotationMatrixAndTranslationToMat4(inverse, translation))
end
-- Of a 4x4 matrix, or of a rigid transform.
function rigid_trans(m, v)
  if num_entries(m) ~= 12 then m = sized(16, m) end
  return gemv(Vector(m):slice(0, 12), Vector(sized(3, v), 1))
end

-- The exponential of se(3): R = I + A [w]x + B [w]x^2, t = V u, V = I + B [w]x + C [w]x^2 with
-- A = sin(theta) / theta, B = (1 - cos(theta)) / theta^2, C = (1 - A) / theta^2, and their Taylor
-- series near 0.
function PoseToMatrix(rotation, translation)
  local w, u = sized(3, rotation), sized(3, translation)
  local theta2 = dot(w, w)
  local theta = sqrt(theta2)
  local far = greater(theta2, 1e-6)
  local A = Select(far, sin(theta) / theta, 1 - theta2 / 6 + theta2 ^ 2 / 120)
  local B = Select(far, (1 - cos(theta)) / theta2, 1 / 2 - theta2 / 24 + theta2 ^ 2 / 720)
  local C = Select(far, (1 - sin(theta) / theta) / theta2, 1 / 6 - theta2 / 120 + theta2 ^ 2 / 5040)
  local R, V = RodriguesSO3Exp(w, A, B), RodriguesSO3Exp(w, B, C)
  return (RotationMatrixAndTranslationToMat4(R, gemv(V, u)))
end

-- Pinhole projection of a point in camera space.
function CameraToDepth(fx, fy, cx, cy, point)
  local p = sized(3, point)
  return Vector(fx * p(0) / p(2) + cx, fy * p(1) / p(2) + cy)
end
)lua";

}  // namespace thallo::language
