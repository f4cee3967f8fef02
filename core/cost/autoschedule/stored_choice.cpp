#include "core/cost/autoschedule/stored_choice.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

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
        AutoStep& step = step_of(
            fmt::format("intermediate {}", energy_.field(energy_.intermediates()[i].field).name));
        step.compared = {{std::string(to_string(stored_.intermediates[i])), seconds_}};
        for (const Materialization choice : choices(energy_, i)) {
          StoredValues other = stored_;
          other.intermediates[i] = choice;
          has_changed =
              try_out(std::move(other), std::string(to_string(choice)), step) || has_changed;
        }
      }
      for (std::size_t s = 0; s < stored_.sums.size(); ++s) {
        StoredValues other = stored_;
        other.sums[s] = !other.sums[s];
        AutoStep& step = step_of(fmt::format("Sum {}", sums_of(energy_)[s].name));
        step.compared = {{name_of_sum(stored_.sums[s]), seconds_}};
        has_changed = try_out(other, name_of_sum(other.sums[s]), step) || has_changed;
      }
    }
  }
  void try_cut(StoredValues by_cut) {
    AutoStep& step = step_of("all intermediates");
    step.compared = {{"one by one", seconds_}};
    by_cut.sums = stored_.sums;
    try_out(std::move(by_cut), "by the minimum cut", step);
    if (step.compared.size() == 1) steps_.pop_back();
  }
  StoredChoice choice() && { return {std::move(stored_), std::move(steps_)}; }

 private:
  static std::int64_t num_stored(const StoredValues& stored) {
    std::int64_t number = std::ranges::count(stored.sums, true);
    for (const Materialization& its : stored.intermediates) number += its.value + its.gradient;
    return number;
  }
  static std::string name_of_sum(bool is_parallel) { return is_parallel ? "parallel" : "serial"; }

  // Returns the record of the subject, of which the last pass counts.
  AutoStep& step_of(std::string subject) {
    const auto found = std::ranges::find(steps_, subject, &AutoStep::subject);
    if (found != steps_.end()) return *found;
    steps_.push_back({std::move(subject), {}});
    return steps_.back();
  }
  // Takes it if it is worth while, or if it stores less and is no slower; records what was
  // compared.
  bool try_out(StoredValues other, std::string name, AutoStep& step) {
    if (other == stored_) return false;
    const double seconds = search_.best_seconds(parts_, other);
    const bool is_worth = num_stored(other) < num_stored(stored_)
                              ? seconds <= seconds_
                              : seconds < seconds_ * (1 - WorthDeciding);
    step.compared.insert(is_worth ? step.compared.begin() : step.compared.end(),
                         {std::move(name), seconds});
    if (!is_worth) return false;
    seconds_ = seconds;
    stored_ = std::move(other);
    return true;
  }

  const Energy& energy_;
  const std::vector<Part>& parts_;
  AutoSearch& search_;
  StoredValues stored_;
  double seconds_;
  std::vector<AutoStep> steps_;
};

}  // namespace

StoredChoice choose_stored(const Energy& energy, const std::vector<Part>& parts,
                           AutoSearch& search) {
  Passes passes(energy, parts, search);
  passes.run();
  passes.try_cut(stored_by_cut(energy, parts, search));
  return std::move(passes).choice();
}

}  // namespace thallo
