#include "core/explore/schedule_space.h"

#include <utility>

#include "core/base/random.h"

namespace thallo {

ScheduleSpace::ScheduleSpace(const Energy& energy, const ConstructRegistry& constructs,
                             bool double_precision)
    : energy_(energy), double_precision_(double_precision), all_(in_stage_order(constructs)) {
  for (const Construct* construct : all_) {
    if (construct->stage() != Stage::LowLevel) walked_.push_back(construct);
  }
}

ScheduleSpace::Decisions ScheduleSpace::start() const {
  Decisions decisions{default_plan(energy_), {}};
  decisions.plan.double_precision = double_precision_;
  return decisions;
}

void ScheduleSpace::decide(const Energy& energy, const Construct& construct, const Site& site,
                           const std::vector<Choice>& choices, std::size_t choice,
                           Decisions& decisions) {
  if (choice == 0) return;  // the default is what the plan has already
  construct.apply(energy, decisions.plan, site, choices[choice]);
  decisions.directives.push_back({std::string(construct.name()), site, choices[choice]});
}

bool ScheduleSpace::visit(const Visitor& visitor) const {
  Decisions decisions = start();
  return visit(decisions, 0, 0, visitor);
}

bool ScheduleSpace::visit(Decisions& decisions, std::size_t construct, std::size_t site,
                          const Visitor& visitor) const {
  if (construct == walked_.size()) return visitor(Schedule(decisions.directives), decisions.plan);
  const Construct& current = *walked_[construct];
  const std::vector<Site> sites = current.sites(energy_, decisions.plan);
  if (site >= sites.size()) return visit(decisions, construct + 1, 0, visitor);
  const std::vector<Choice> choices = current.choices(energy_, decisions.plan, sites[site]);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    Decisions next = decisions;
    decide(energy_, current, sites[site], choices, i, next);
    if (!visit(next, construct, site + 1, visitor)) return false;
  }
  return true;
}

std::int64_t ScheduleSpace::count(std::int64_t limit) const {
  std::int64_t count = 0;
  visit([&](const Schedule&, const Plan&) { return ++count < limit; });
  return count;
}

ScheduleSpace::Sample ScheduleSpace::sample(std::uint64_t seed) const {
  Random random(seed);
  Decisions decisions = start();
  for (const Construct* construct : all_) {
    for (std::size_t site = 0;; ++site) {
      const std::vector<Site> sites = construct->sites(energy_, decisions.plan);
      if (site >= sites.size()) break;
      const std::vector<Choice> choices = construct->choices(energy_, decisions.plan, sites[site]);
      decide(energy_, *construct, sites[site], choices, random.below(choices.size()), decisions);
    }
  }
  return {Schedule(std::move(decisions.directives)), std::move(decisions.plan)};
}

}  // namespace thallo
