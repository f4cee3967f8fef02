#include "core/backend/cpu/compile_groups.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <thread>
#include <tuple>
#include <utility>

namespace thallo {
namespace {

// With eight, seven eighths of what processes cost beside their texts are saved, and the progress
// of a program that has dozens of kernels is still seen.
constexpr std::size_t TextsOfGroup = 8;
// Compiling so much takes ten times as long as starting a compiler (0.03 s), so more gains nothing.
constexpr std::size_t BytesOfGroup = 32 << 10;

std::size_t quotient_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

}  // namespace

std::vector<std::vector<std::size_t>> compile_groups(std::span<const GroupedText> texts,
                                                     int num_threads) {
  const std::size_t threads = num_threads > 0 ? static_cast<std::size_t>(num_threads)
                                              : std::max(1u, std::thread::hardware_concurrency());
  // Members of a class may be in one group. The last word of its name is 0, or the text's number
  // plus 1 if the text stays alone.
  std::map<std::tuple<int, ScopeNames, std::size_t>, std::vector<std::size_t>> classes;
  std::size_t all_bytes = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const FileScope& scope = texts[i].scope;
    classes[{texts[i].level, scope.declared, scope.has_macros ? i + 1 : 0}].push_back(i);
    all_bytes += texts[i].bytes;
  }
  struct Group {
    std::vector<std::size_t> texts;
    std::size_t bytes = 0;
  };
  std::vector<Group> groups;
  for (auto& [_, members] : classes) {
    std::size_t bytes = 0;
    for (const std::size_t i : members) bytes += texts[i].bytes;
    const std::size_t share = quotient_up(threads * bytes, std::max<std::size_t>(all_bytes, 1));
    std::vector<Group> of_class(
        std::max({quotient_up(members.size(), TextsOfGroup), std::min(members.size(), share),
                  std::min(members.size(), quotient_up(bytes, BytesOfGroup))}));
    // Each text, the largest first, joins the smallest group that has room for it.
    std::ranges::stable_sort(members, std::ranges::greater{},
                             [&](std::size_t i) { return texts[i].bytes; });
    for (const std::size_t i : members) {
      Group& smallest = *std::ranges::min_element(of_class, {}, [](const Group& group) {
        return std::pair(group.texts.size() == TextsOfGroup, group.bytes);
      });
      smallest.texts.push_back(i);
      smallest.bytes += texts[i].bytes;
    }
    std::ranges::move(of_class, std::back_inserter(groups));
  }
  std::ranges::stable_sort(groups, std::ranges::greater{}, &Group::bytes);
  std::vector<std::vector<std::size_t>> result;
  for (Group& group : groups) result.push_back(std::move(group.texts));
  return result;
}

}  // namespace thallo
