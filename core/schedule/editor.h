#pragma once

// What a person is shown who decides at a site, and what stands behind it: data, from which choices
// are made. Whoever shows schedules draws a widget for each kind of editor and so for every
// construct, also for those of plugins that it has never heard of.
//
//   const Editor editor = construct.editor(energy, plan, site);
//   const auto& ordering = std::get<Ordering>(editor);
//   std::vector<std::string> order = *ordering.order(choice);   // what is shown
//   std::swap(order[0], order[1]);                              // what is dragged
//   Expected<void> legal = construct.check(energy, plan, site, Ordering::choice(order));
//
// Every alternative of the site can be shown (check_editor() in construct.h looks), and every
// choice that is made is an alternative, legal or not. A construct makes its alternatives with the
// same functions.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/schedule/directive.h"

namespace thallo {

// Any of the alternatives, side by side.
struct OneOf {};

// The two alternatives as a switch.
struct Toggle {
  bool is_on_by_default = false;

  // Of alternatives: the first is the default.
  std::size_t position(bool is_on) const { return is_on == is_on_by_default ? 0 : 1; }
  bool is_on(std::size_t chosen) const { return position(true) == chosen; }
};

// All orders of some items. A choice has no args; its label has the items, "y, x".
struct Ordering {
  std::vector<std::string> items;  // in the default order, all different, without commas

  static Choice choice(const std::vector<std::string>& order);
  // None when the choice is no order of the items.
  std::optional<std::vector<std::string>> order(const Choice& choice) const;
};

// Whole numbers by name, each one of several. The args of a choice are the numbers that it sets,
// its label has them in the order of `numbers`, "threads=128, rows=4". Which combinations are
// legal, their alternatives say.
struct Numbers {
  struct Number {
    std::string name;
    std::string meaning;  // what is counted, in what: "threads of a block"
    std::vector<std::int64_t> values;
    bool may_be_unset = false;
  };
  std::vector<Number> numbers;
  std::string unset = {};  // the label of the choice that sets none, if all may be unset

  Choice choice(Properties set) const;
  const Number* find(std::string_view name) const;  // null when there is none
};

// The site is an item, called as the site is, that goes into a group of items of earlier sites or
// into a group of its own. All sites of the construct together form the groups
// (core/explore/groups.h).
struct Placement {
  struct Place {
    Choice choice;
    std::vector<std::string> with;  // items of earlier sites in the group; none: its own group
  };
  std::vector<Place> places;  // one for each alternative

  const Place* find(const Choice& choice) const;  // null when there is none
};

using Editor = std::variant<OneOf, Toggle, Ordering, Numbers, Placement>;

// "one_of", "toggle", "ordering", "numbers", "placement".
std::string_view kind_of(const Editor& editor);

}  // namespace thallo
