#pragma once

// Pins are decisions that are given before a search begins: the choice at each of some sites. A
// schedule keeps them if it has all of these sites and decides each of them so. All other sites are
// open.
//
//   const Expected<Pins> pins = read_pins(energy, statements, constructs);
//   const ScheduleSpace space(energy, constructs, precision, &limit, *pins);
//
// The text of pins is that of a schedule. Every statement pins the sites that it decides, also
// where it chooses the default: pose:materialize{value=false, gradient=false}. A statement about
// the partition as a whole (merge, split, full_split) pins all residuals of the parts that it
// changes. Pins must be possible by themselves, while all other sites have their defaults: a text
// that pins r.fit.J:storage("csr") pins a strategy that stores J, too.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/schedule/schedule.h"

namespace thallo {

class Pins {
 public:
  Pins() = default;
  // There must be no two directives of one construct at one site.
  explicit Pins(std::vector<Directive> directives) : directives_(std::move(directives)) {}

  const std::vector<Directive>& directives() const { return directives_; }
  bool empty() const { return directives_.empty(); }
  std::size_t size() const { return directives_.size(); }
  // Returns the choice that is pinned at the site; null if it is open.
  const Choice* find(std::string_view construct, const Site& site) const;
  // Returns how many sites of the construct are pinned.
  std::size_t count_of(std::string_view construct) const;

  // Returns the pins as a schedule writes them, one each.
  std::vector<std::string> texts(const ConstructRegistry& constructs) const;
  // True if the schedule, which must be legal, keeps the pins.
  bool are_kept_by(const Schedule& schedule, const Energy& energy,
                   const ConstructRegistry& constructs) const;

  friend bool operator==(const Pins&, const Pins&) = default;

 private:
  std::vector<Directive> directives_;
};

// Reads the text `name`; the pins are sorted by stage, construct and site, whatever the order of
// the statements. Fails as read_schedule() does, and also if statements of one method contradict
// each other that are switches or about the partition, of which the last one counts in a schedule.
// Fails if nothing is pinned.
Expected<Pins> read_pins(const Energy& energy, const std::vector<ScheduleStatement>& statements,
                         const ConstructRegistry& constructs, std::string_view name);

// Returns the pins together with `added`, whose sites must not be pinned yet, and with what else
// they need to be possible by themselves: as few decisions of the schedule as possible. The
// schedule must be legal, keep the pins and decide as `added` says.
Expected<Pins> with_needed(const Pins& pins, const std::vector<Directive>& added,
                           const Schedule& schedule, const Energy& energy,
                           const ConstructRegistry& constructs);
// Returns the pins without those at the sites of `removed`, and without what is not possible then.
Pins without(const Pins& pins, const std::vector<Directive>& removed, const Energy& energy,
             const ConstructRegistry& constructs);

}  // namespace thallo
