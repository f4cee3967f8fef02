// Finds under which conditions each item of a scope is needed. The condition of a value is what the
// conditions of all its uses have in common. A masked product needs its number only where its atoms
// hold; a statement runs only where its atoms hold. A load whose bounds are among the conditions
// loses its own test. A condition that would guard too little work for a branch stays a selection.
// (scope.h says what an atom is.) Private to code generation.
#pragma once

#include <set>
#include <span>

#include "core/kernel/codegen/body_items.h"

namespace thallo {

// Sets `condition` and `live` of all items, gives loads their remaining tests as an operand, and
// replaces selections whose number is computed exactly where they choose it. `active`: atoms known
// to hold around the scope. `results`: values used after its last statement.
void find_conditions(BodyItems& items, const std::set<ValueId>& active,
                     std::span<const ValueId> results);

}  // namespace thallo
