// "Did you mean ...?" for names that users type: registries, options, fields, dims.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace thallo {

// The edit distance in which an insertion, a deletion, a substitution and a swap of two adjacent
// letters count 1 each.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate closest to `name`, without regard to case; absent when every candidate differs from
// it in more than a third of the longer name's letters. The first of equally near candidates wins.
std::optional<std::string> find_similar(std::string_view name,
                                        std::span<const std::string> candidates);

// "; did you mean 'bar'?", or "" when nothing is near: to be appended to a message.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace thallo
