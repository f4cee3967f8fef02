// What an energy declares, as thallo.h lists it: its dims, then its inputs in the order of the
// text, then its sparse maps.
#pragma once

#include <cstddef>

#include "core/base/diagnostic.h"
#include "core/c/thallo.h"
#include "core/energy/energy.h"

namespace thallo::c_api {

std::size_t count_declarations(const Energy& energy);
// Names live as long as the energy. Fail if there is no such declaration, or no such dim of it.
Expected<thallo_declaration> find_declaration(const Energy& energy, std::size_t number);
Expected<const char*> find_declared_dim(const Energy& energy, std::size_t number, std::size_t dim);

}  // namespace thallo::c_api
