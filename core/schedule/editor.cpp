#include "core/schedule/editor.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/overloaded.h"

namespace thallo {
namespace {

constexpr std::string_view Between = ", ";

}  // namespace

Choice Ordering::choice(const std::vector<std::string>& order) {
  return {fmt::format("{}", fmt::join(order, Between)), {}};
}

std::optional<std::vector<std::string>> Ordering::order(const Choice& choice) const {
  std::vector<std::string> order;
  std::string_view rest = choice.label;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = rest.find(Between);
    order.emplace_back(rest.substr(0, end));
    if (end != std::string_view::npos) rest.remove_prefix(end + Between.size());
  }
  if (!std::ranges::is_permutation(order, items)) return std::nullopt;
  return order;
}

Choice Numbers::choice(Properties set) const {
  std::vector<std::string> texts;
  for (const Number& number : numbers) {
    if (const auto value = set.find<std::int64_t>(number.name))
      texts.push_back(fmt::format("{}={}", number.name, *value));
  }
  return {texts.empty() ? unset : fmt::format("{}", fmt::join(texts, Between)), std::move(set)};
}

const Numbers::Number* Numbers::find(std::string_view name) const {
  const auto found = std::ranges::find(numbers, name, &Number::name);
  return found == numbers.end() ? nullptr : &*found;
}

const Placement::Place* Placement::find(const Choice& choice) const {
  const auto found = std::ranges::find(places, choice.label,
                                       [](const Place& place) { return place.choice.label; });
  return found == places.end() ? nullptr : &*found;
}

std::string_view kind_of(const Editor& editor) {
  return std::visit(
      Overloaded{[](const OneOf&) { return "one_of"; }, [](const Toggle&) { return "toggle"; },
                 [](const Ordering&) { return "ordering"; },
                 [](const Numbers&) { return "numbers"; },
                 [](const Placement&) { return "placement"; }},
      editor);
}

}  // namespace thallo
