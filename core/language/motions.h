#pragma once

// Operations of rotations and poses in texts: compose(a, b), R * p, exp(v, SE3). The formulas are
// those of core/energy/manifold.h.

#include <optional>

#include "core/language/call.h"

namespace thallo::language {

void add_motions(lua_State* state);  // act, between, compose, inverse, minus, plus

// SE3(v): v as a point of the type.
int make_point(Call& call);
// a * b of a rotation or pose a and another one or a point; none if these are other values.
std::optional<Elements> product_of_motions(Call& call);
// exp(v, SE3) and log(R); none of other values.
std::optional<Elements> exponential_of_step(Call& call);
std::optional<Elements> logarithm_of_motion(Call& call);

}  // namespace thallo::language
