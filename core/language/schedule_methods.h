#pragma once

// Schedule statements, r.fit.JtF:compute_at_output(true): a name (r, r.fit, r.fit.JtF, and in
// schedule files pose) and a method of it with arguments. Which methods exist depends on the loaded
// constructs, so any method is accepted here and recorded.

#include "core/language/call.h"

namespace thallo::language {

// Adds the operators of schedule names and methods, and the methods that the language itself has
// for them: loss, merge, split, assume_schedule ...
void add_schedule_methods(lua_State* state);

// Statements about intermediates and Sums, v:materialize(...), v:parallelize(...): methods of
// expressions and vectors. The first five are methods of fields as well, because ComputedArray
// gives a field.
int materialize(Call& call);
int materialize_derivatives(Call& call);
int materialize_direction(Call& call);
int set_materialize(Call& call);
int set_gradient_materialize(Call& call);
int parallelize(Call& call);

// V0:set_coherent(b), a method of sparse maps.
int set_coherent(Call& call);

}  // namespace thallo::language
