#include "core/base/suggest.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

namespace thallo {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table; row i holds the distances of a's first i letters to prefixes of
  // b.
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

std::optional<std::string> find_similar(std::string_view name,
                                        std::span<const std::string> candidates) {
  const std::string wanted = lower(name);
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    if (3 * distance > std::max(name.size(), candidate.size())) continue;
    if (!best || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const auto similar = find_similar(name, candidates);
  return similar ? fmt::format("; did you mean '{}'?", *similar) : "";
}

Diagnostic unknown_name(std::string_view what, std::string_view name,
                        std::vector<std::string> legal, SourceLocation where) {
  return {fmt::format("{} '{}'{}", what, name, did_you_mean(name, legal)), std::move(where),
          std::move(legal)};
}

}  // namespace thallo
