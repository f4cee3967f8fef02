#include "core/search/schedule_index.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/search/indexed_space.h"

namespace thallo {
namespace {

// Splits at ':'. In a valid index, no field is empty.
std::vector<std::string_view> fields_of(std::string_view text) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t colon = text.find(':');
    fields.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return fields;
    text.remove_prefix(colon + 1);
  }
}

std::optional<BigCount> parse_count(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  const std::size_t first = text.find_first_not_of('0');  // cpp_int would read a leading 0 as octal
  return first == std::string_view::npos ? BigCount(0) : BigCount(std::string(text.substr(first)));
}

}  // namespace

BigCount draw_below(Random& random, const BigCount& count) {
  const std::size_t num_bits = boost::multiprecision::msb(count) + 1;
  for (;;) {
    BigCount drawn = 0;
    for (std::size_t bits = 0; bits < num_bits; bits += 64) drawn = (drawn << 64) + random.bits();
    drawn >>= (64 - num_bits % 64) % 64;
    if (drawn < count) return drawn;
  }
}

std::vector<BigCount> sample_indices(const BigCount& size, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::set<BigCount> drawn;
  // Floyd's algorithm: one draw for each number, even if most of the space is drawn.
  BigCount bound = size > count ? BigCount(size - count) : BigCount(0);
  for (; bound < size; ++bound) {
    const BigCount index = draw_below(random, BigCount(bound + 1));
    drawn.insert(drawn.contains(index) ? bound : index);
  }
  return {drawn.begin(), drawn.end()};
}

Expected<IndexRange> parse_index_range(std::string_view text, std::string_view space_id,
                                       const BigCount& size) {
  std::vector<std::string_view> fields = fields_of(text);
  if (fields.size() > 1 && fields.front().starts_with('s')) {
    if (fields.front() != space_id) {
      return fail(
          "index '{}' is of another space than this one, {}: an index holds for the same energy, "
          "plugins, profile, sites, memory limit and precision",
          text, space_id);
    }
    fields.erase(fields.begin());
  }
  const auto first = parse_count(fields.front());
  const auto end = fields.size() == 2 && first ? parse_count(fields[1])
                   : first                     ? std::optional<BigCount>(*first + 1)
                                               : std::nullopt;
  if (fields.size() > 2 || !first || !end) {
    return fail(
        Diagnostic{fmt::format("'{}' is no index", text),
                   {},
                   {"12", "0:10", index_text(space_id, 12), index_text(space_id, 0) + ":10"}});
  }
  if (*first >= *end || *end > size) {
    return fail("index '{}' is out of range: the space has the schedules 0 to {}", text,
                BigCount(size - 1).str());
  }
  return IndexRange{*first, *end};
}

std::string index_text(std::string_view space_id, const BigCount& index) {
  return fmt::format("{}:{}", space_id, index.str());
}

std::optional<BigCount> IndexedSpace::num_distinct(const BigCount& max_compared) const {
  if (size_ > max_compared) return std::nullopt;
  std::set<Hash128> texts;  // of normal forms
  for (BigCount index = 0; index < size_; ++index) texts.insert(schedule(index).hash(*constructs_));
  return BigCount(texts.size());
}

}  // namespace thallo
