#pragma once

// Schedule statements, r.fit.JtF:compute_at_output(true): a name (r, r.fit, r.fit.JtF, and in
// schedule files pose) and a method of it with arguments. Which methods exist depends on the loaded
// constructs, so any method is accepted here and recorded.

#include "core/language/call.h"

namespace thallo::language {

// Adds the operators of schedule names and methods, and the methods that the language itself has
// for them: loss, merge, split, assume_schedule ...
void add_schedule_methods(lua_State* state);

// Records a statement about an intermediate by the name of the method, v:materialize(...): methods
// of expressions, of vectors and, because ComputedArray gives one, of fields.
int record_for_intermediate(Call& call);
// One about a Sum, v:parallelize(...).
int parallelize(Call& call);

// V0:set_coherent(b), a method of sparse maps.
int set_coherent(Call& call);

}  // namespace thallo::language
