#include "core/cost/autoschedule/stored_choice.h"

#include <utility>

#include "core/cost/autoschedule/stored_by_cut.h"
#include "core/schedule/energy_facts.h"

namespace thallo {
namespace {

// Passes over the intermediates, each of which may make another decision worth while.
constexpr int MaxPasses = 3;

std::vector<Materialization> choices(const Energy& energy, std::size_t intermediate) {
  std::vector<Materialization> result = {{}, {.value = true}};
  if (check_gradient(energy, intermediate)) {
    result.push_back({.gradient = true});
    result.push_back({.value = true, .gradient = true});
  }
  return result;
}

// Improves what is stored, decision by decision: intermediates that read nothing come first, Sums
// last.
class Passes {
 public:
  Passes(const Energy& energy, const std::vector<Part>& parts, AutoSearch& search)
      : energy_(energy),
        parts_(parts),
        search_(search),
        stored_(no_stored_values(energy)),
        seconds_(search.best_seconds(parts, stored_)) {}

  void run() {
    bool has_changed = true;
    for (int pass = 0; pass < MaxPasses && has_changed; ++pass) {
      has_changed = false;
      for (std::size_t i = 0; i < stored_.intermediates.size(); ++i) {
        for (const Materialization choice : choices(energy_, i)) {
          StoredValues other = stored_;
          other.intermediates[i] = choice;
          has_changed = try_out(std::move(other)) || has_changed;
        }
      }
      for (std::size_t s = 0; s < stored_.sums.size(); ++s) {
        StoredValues other = stored_;
        other.sums[s] = !other.sums[s];
        has_changed = try_out(std::move(other)) || has_changed;
      }
    }
  }
  // Takes it if it is worth while.
  bool try_out(StoredValues other) {
    if (other == stored_) return false;
    const double seconds = search_.best_seconds(parts_, other);
    if (!(seconds < seconds_ * (1 - WorthDeciding))) return false;
    seconds_ = seconds;
    stored_ = std::move(other);
    return true;
  }
  const StoredValues& stored() const { return stored_; }

 private:
  const Energy& energy_;
  const std::vector<Part>& parts_;
  AutoSearch& search_;
  StoredValues stored_;
  double seconds_;
};

}  // namespace

StoredValues choose_stored(const Energy& energy, const std::vector<Part>& parts,
                           AutoSearch& search) {
  Passes passes(energy, parts, search);
  passes.run();
  StoredValues by_cut = stored_by_cut(energy, parts, search);
  by_cut.sums = passes.stored().sums;
  passes.try_out(std::move(by_cut));
  return passes.stored();
}

}  // namespace thallo
