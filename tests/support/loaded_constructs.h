// The scheduling constructs as the program finds them: loaded from their modules in the build tree.
// A test that uses them has thallo_plugins as a dependency.
#pragma once

#include <string>
#include <string_view>

#include "core/schedule/construct.h"

namespace thallo::test {

// Loaded on first use; a failure to load fails the test.
const ConstructRegistry& loaded_constructs();

// Lets a loaded construct write a choice of its site into a plan, unchecked.
void decide(Plan& plan, const Energy& energy, std::string_view construct, const Site& site,
            const Choice& choice);
// The two whose choices are annotations of kernels: `block` of a role ("fit.jtf"), and `aggregate`
// of a part, switched off.
void decide_block(Plan& plan, const Energy& energy, const std::string& role, Properties shape);
void add_lane_by_lane(Plan& plan, const Energy& energy, const std::string& part);

}  // namespace thallo::test
