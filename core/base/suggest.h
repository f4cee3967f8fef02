// "Did you mean ...?" for names that users type: registries, options, fields, dims.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace thallo {

// Edit distance that counts an insertion, a deletion, a substitution and a swap of neighbors as
// one.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate closest to `name`, compared without regard to case; absent when none is near (more
// than a third of the longer name differs). The first of equally near candidates wins.
std::optional<std::string> find_similar(std::string_view name,
                                        std::span<const std::string> candidates);

// "; did you mean 'bar'?", or "" when nothing is near: to be appended to a message.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace thallo
