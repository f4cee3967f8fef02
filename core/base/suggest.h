// "Did you mean ...?" for names that users type: registries, options, fields, dims.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

// Returns the edit distance, in which an insertion, a deletion, a substitution and a swap of two
// adjacent letters count 1 each.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns the candidate closest to `name`, ignoring case; absent if every candidate differs in more
// than a third of the longer name's letters. The first of equally close candidates wins.
std::optional<std::string> find_similar(std::string_view name,
                                        std::span<const std::string> candidates);

// Returns "; did you mean 'bar'?", to be appended to a message, or "" if no candidate is close.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

// Returns the error "no option 'baz'; did you mean 'bar'? (legal: foo, bar)"; `what` is
// "no option".
Diagnostic unknown_name(std::string_view what, std::string_view name,
                        std::vector<std::string> legal, SourceLocation where = {});

// Returns the names of elements, by a member or a function.
template <class Range, class Name>
std::vector<std::string> names_of(const Range& range, const Name& name) {
  std::vector<std::string> names;
  for (const auto& each : range) names.emplace_back(std::invoke(name, each));
  return names;
}

}  // namespace thallo
