// Who may include what: the layers of Thallo, and which files may know which library.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tests/lint/source_tree.h"

namespace thallo::test {

// What is wrong with this include of the file at `path`, absent when it is allowed. The text names
// both files and the rule.
std::optional<std::string> find_fault(std::string_view path, const Include& include);

}  // namespace thallo::test
