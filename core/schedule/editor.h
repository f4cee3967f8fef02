#pragma once

// Describes, as data, what is shown to a person who decides at a site, and how choices are made
// from it. Programs that show schedules implement a widget for each kind of editor, and thus
// support every construct, including those of unknown plugins.
//
//   const Editor editor = construct.editor(energy, plan, site);
//   const auto& ordering = std::get<Ordering>(editor);
//   std::vector<std::string> order = *ordering.order(choice);   // what is shown
//   std::swap(order[0], order[1]);                              // what is dragged
//   Expected<void> legal = construct.check(energy, plan, site, Ordering::choice(order));
//
// An editor can show every alternative of the site (check_editor() in construct.h verifies this),
// and every choice that it makes is an alternative, legal or not. A construct makes its
// alternatives with the same functions.

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

  // Returns the position among the alternatives, of which the first is the default.
  std::size_t position(bool is_on) const { return is_on == is_on_by_default ? 0 : 1; }
  bool is_on(std::size_t chosen) const { return position(true) == chosen; }
};

// All orders of some items. A choice has no args; its label has the items, "y, x".
struct Ordering {
  std::vector<std::string> items;  // in the default order, all different, without commas

  static Choice choice(const std::vector<std::string>& order);
  // Returns nothing if the choice is not an order of the items.
  std::optional<std::vector<std::string>> order(const Choice& choice) const;
};

// Named whole numbers, each with several possible values. The args of a choice are the numbers that
// it sets; its label lists them in the order of `numbers`, "threads=128, rows=4". The alternatives
// say which combinations are legal.
struct Numbers {
  struct Number {
    std::string name;
    std::string meaning;  // what is counted, and of what: "threads of a block"
    std::vector<std::int64_t> values;
    bool may_be_unset = false;
  };
  std::vector<Number> numbers;
  std::string unset = {};  // label of the choice that sets none, if allowed

  Choice choice(Properties set) const;
  const Number* find(std::string_view name) const;  // null if there is none
};

// The site is an item, with the same name as the site. It joins a group of items of earlier sites
// or begins a group of its own. All sites of the construct together form the groups
// (core/explore/space/groups.h).
struct Placement {
  struct Place {
    Choice choice;
    std::vector<std::string> with;  // items of earlier sites in the group; empty: a new group
  };
  std::vector<Place> places;  // one for each alternative

  const Place* find(const Choice& choice) const;  // null if there is none
};

using Editor = std::variant<OneOf, Toggle, Ordering, Numbers, Placement>;

// Returns "one_of", "toggle", "ordering", "numbers" or "placement".
std::string_view kind_of(const Editor& editor);

}  // namespace thallo
