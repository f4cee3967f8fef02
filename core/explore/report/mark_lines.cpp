#include "core/explore/report/mark_lines.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/quantity_text.h"

namespace thallo {
namespace {

std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t Most = 3;
  if (names.size() <= Most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, {} and {} more", names[0], names[1], names.size() - 2);
}

}  // namespace

std::string off_the_best(double factor) {
  return factor < 11 ? fmt::format("+{:.3g} %", 100 * (factor - 1))
                     : fmt::format("{:.3g} ×", factor);
}

std::vector<MarkLine> mark_lines(std::span<const Mark> marks) {
  std::vector<MarkLine> lines;
  for (const Mark& mark : marks) {
    if (!mark.seconds) continue;
    auto line = std::ranges::find(lines, *mark.seconds, &MarkLine::seconds);
    if (line == lines.end()) line = lines.insert(line, {.seconds = *mark.seconds});
    line->names.insert(mark.name == "best" ? line->names.begin() : line->names.end(), mark.name);
    if (!mark.hash.empty()) line->hash = mark.hash;
  }
  const auto best = std::ranges::find_if(lines, &MarkLine::is_best);
  for (MarkLine& line : lines) {
    line.text = fmt::format("{} {}", names_text(line.names),
                            best == lines.end() || line.is_best()
                                ? quantity_text(line.seconds, "s")
                                : off_the_best(line.seconds / best->seconds));
  }
  return lines;
}

}  // namespace thallo
