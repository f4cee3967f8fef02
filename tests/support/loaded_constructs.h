// The scheduling constructs as the program finds them: loaded from their modules in the build tree.
// A test that uses them has thallo_plugins as a dependency.
#pragma once

#include "core/schedule/construct.h"

namespace thallo::test {

// Loaded on first use; a failure to load fails the test.
const ConstructRegistry& loaded_constructs();

}  // namespace thallo::test
