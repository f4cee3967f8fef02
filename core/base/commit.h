// The commit that this library was built from.
#pragma once

#include <string_view>

namespace thallo {

// Returns its hash; "" if the sources were in no repository.
std::string_view built_commit();

}  // namespace thallo
