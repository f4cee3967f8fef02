-- Image warping: move a few pixels, and let the image follow as rigidly as possible.
--
--   E(O, a) = 1/2 sum_p  w_fit [p is constrained] |O(p) - C(p)|^2
--           + 1/2 sum_p sum_q  w_reg |(O(p) - O(q)) - R(a(p)) (U(p) - U(q))|^2
--
-- p runs over the pixels of the object, q over the 4 neighbors of p in the object. O(p) is where
-- pixel p goes, U(p) where it was, C(p) where the user wants it, R(a) the rotation by angle a.

local W, H = Dims("W", "H")

Inputs {
  Offset      = Unknown(thallo_float2, {W, H}, 0),  -- O, in pixels
  Angle       = Unknown(thallo_float, {W, H}, 1),   -- a, in radians
  UrShape     = Array(thallo_float2, {W, H}, 2),    -- U, in pixels
  Constraints = Array(thallo_float2, {W, H}, 3),    -- C, negative where there is none
  Mask        = Array(uint8, {W, H}, 4),            -- 0 inside the object
  w_fitSqrt   = Param(float, 5),                    -- square roots of the weights
  w_regSqrt   = Param(float, 6),
}
UsePreconditioner(true)

local x, y = W(), H()
local outside = neq(Mask(x, y), 0)
Offset:Exclude(outside)
Angle:Exclude(outside)

local C = Constraints(x, y)
local constrained = And(eq(Mask(x, y), 0), greatereq(C(0), 0), greatereq(C(1), 0))

-- The edge from p = (x, y) to q = (x + dx, y + dy), turned by the angle of p.
local function rigid(dx, dy)
  local edge    = Offset(x, y) - Offset(x + dx, y + dy)
  local ur_edge = UrShape(x, y) - UrShape(x + dx, y + dy)
  local inside  = And(InBounds(x + dx, y + dy), eq(Mask(x, y), 0), eq(Mask(x + dx, y + dy), 0))
  return Select(inside, w_regSqrt * (edge - Rotate2D(Angle(x, y), ur_edge)), 0)
end

Residuals {
  fit       = Select(constrained, w_fitSqrt * (Offset(x, y) - C), 0),
  reg_right = rigid( 1,  0),
  reg_left  = rigid(-1,  0),
  reg_down  = rigid( 0,  1),
  reg_up    = rigid( 0, -1),
}
