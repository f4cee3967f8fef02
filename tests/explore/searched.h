// An energy, the data that its plans are priced for, and the space of its schedules, which searches
// by predicted times go through.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/assets.h"
#include "core/cost/device/spec_file.h"
#include "core/problem/driver.h"
#include "core/search/search.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/loaded_constructs.h"

namespace thallo::test {

inline DeviceSpec shipped(const std::string& name) {
  return read_device_spec(find_asset("devices/" + name + ".toml").value()).value();
}

inline const Search& search_named(const std::string& name) {
  static const SearchRegistry registry = [] {
    SearchRegistry searches("search");
    add_searches(searches);
    return searches;
  }();
  return **registry.lookup(name);
}

class Searched {
 public:
  Searched(Energy energy, Binding binding, DeviceSpec device = shipped("h200"), Pins pins = {})
      : energy_(std::move(energy)),
        binding_(std::move(binding)),
        device_(std::move(device)),
        full_(energy_, loaded_constructs(), Precision::Float, nullptr, std::move(pins)) {}

  // What a search proposes with the given options, and what it says of itself.
  struct Found {
    std::vector<Proposal> proposals;
    std::vector<double> seconds;  // predicted, of each of them
    SearchFigures figures;
    std::string remark;

    std::vector<std::string> texts() const {
      std::vector<std::string> result;
      for (const Proposal& proposal : proposals) result.push_back(proposal.text);
      return result;
    }
    double figure(const std::string& name) const {
      return std::ranges::find(figures, name, &SearchFigure::name)->value;
    }
  };
  Found run(const std::string& name, const Options& given = {}, std::uint64_t seed = 1) const {
    const Search& search = search_named(name);
    SearchSpace space{.energy = energy_,
                      .constructs = loaded_constructs(),
                      .full = full_,
                      .seed = seed,
                      .options = complete_options(search.options(), given).value(),
                      .make_pricer = [this] { return pricer(); },
                      .fits = fits,
                      .is_over = is_over};
    const auto run = search.start(space).value();
    Found found{run->next(), {}, run->figures(), run->remark()};
    EXPECT_THAT(run->next(), testing::IsEmpty()) << "proposes once";
    for (const Proposal& proposal : found.proposals)
      found.seconds.push_back(seconds_of(proposal.schedule));
    return found;
  }

  const Energy& energy() const { return energy_; }
  const ScheduleSpace& full() const { return full_; }
  double seconds_of(const Schedule& schedule) const {
    return pricer()->estimated_seconds(make_plan(energy_, schedule, loaded_constructs()).value());
  }
  // Returns the prices of all schedules, ascending; nothing if there are more than `most`.
  std::optional<std::vector<double>> all_seconds(std::size_t most) const {
    const std::unique_ptr<PlanPricer> shared = pricer();
    std::vector<double> all;
    const bool is_complete = full_.visit([&](const Schedule&, const Plan& plan) {
      all.push_back(shared->estimated_seconds(plan));
      return all.size() <= most;
    });
    if (!is_complete) return {};
    std::ranges::sort(all);
    return all;
  }

  std::function<bool(const Proposal&)> fits = [](const Proposal&) { return true; };
  std::function<bool()> is_over = [] { return false; };

 private:
  std::unique_ptr<PlanPricer> pricer() const {
    return std::make_unique<PlanPricer>(energy_, binding_, PriceOptions(), device_);
  }

  Energy energy_;
  Binding binding_;
  DeviceSpec device_;
  ScheduleSpace full_;
};

inline Searched searched_problem(const std::string& name, const Options& options = {},
                                 Pins pins = {}) {
  Made made = make(name, options);
  return {with_found_intermediates(made.energy), std::move(made.instance.binding), shipped("h200"),
          std::move(pins)};
}

}  // namespace thallo::test
