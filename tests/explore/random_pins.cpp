#include "tests/explore/random_pins.h"

#include <vector>

#include "core/base/random.h"
#include "core/frontend/schedule_text.h"
#include "core/search/schedule_space.h"
#include "tests/support/loaded_constructs.h"

namespace thallo::test {

Pins random_pins(const Energy& energy, std::uint64_t seed, std::size_t count, bool low_level) {
  const ScheduleSpace space(energy, loaded_constructs());
  Random random(seed);
  std::vector<Directive> decided;
  ScheduleSpace::Node node = space.root();
  while (const auto fork = space.next_fork(node, low_level)) {
    const auto& offer = fork->offers[random.below(fork->offers.size())];
    decided.push_back({std::string(fork->construct->name()), fork->site, offer.choice});
    node = space.taken(node, *fork, offer);
  }
  std::vector<Directive> pinned;
  for (; pinned.size() < count && !decided.empty();) {
    const auto drawn = decided.begin() + static_cast<std::ptrdiff_t>(random.below(decided.size()));
    pinned.push_back(*drawn);
    decided.erase(drawn);
  }
  return with_needed({}, pinned, Schedule(node.decisions.directives), energy, loaded_constructs())
      .value();
}

Pins pins_from(const Energy& energy, const std::string& text) {
  return read_pins(energy, load_schedule_text(text, "pins.sched").value(), loaded_constructs(),
                   "pins.sched")
      .value();
}

}  // namespace thallo::test
