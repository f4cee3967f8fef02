// Who may include what: the layers of Thallo, and which files may know which library.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tests/lint/source_tree.h"

namespace thallo::test {

// The layers of core from the ground up. A file includes its own layer and those before it.
std::span<const std::string_view> layers();

// What is wrong with this include of the file at `path`, absent when it is allowed. The text names
// both files and the rule.
std::optional<std::string> find_fault(std::string_view path, const Include& include);

}  // namespace thallo::test
