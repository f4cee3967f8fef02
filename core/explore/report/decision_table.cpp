#include "core/explore/report/decision_table.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/explore/space/choice_sites.h"
#include "core/schedule/plan_names.h"

namespace thallo {

std::uint32_t DecisionTable::number_of(const Decision& decision) {
  const auto [its, is_new] =
      numbers_.emplace(decision, static_cast<std::uint32_t>(different.size()));
  if (is_new) different.push_back(decision);
  return its->second;
}

DecisionReader::DecisionReader(const ExploredProblem& problem) : problem_(problem) {
  for (const Construct* construct : in_stage_order(*problem.constructs))
    if (construct->stage() == Stage::LowLevel) low_level_.emplace(construct->name());
}

DecisionTable DecisionReader::read(const std::vector<const ScheduleRecord*>& schedules) {
  std::vector<DecisionTable::Schedule> read;
  for (const ScheduleRecord* schedule : schedules) {
    const std::optional<Numbers>& said = said_by(*schedule);
    if (said) {
      const Common& common = common_of(*schedule, *said);
      read.push_back({*said, common.sites, common.facts});
    } else {
      read.push_back({.is_known = false});
    }
  }
  DecisionTable table = table_;
  table.schedules = std::move(read);
  return table;
}

const std::optional<DecisionReader::Numbers>& DecisionReader::said_by(
    const ScheduleRecord& schedule) {
  const auto [its, is_new] = said_.try_emplace(schedule.hash);
  if (!is_new) return its->second;
  std::vector<Decision> decisions = schedule.decisions;
  if (decisions.empty() && !schedule.text.empty()) {
    const auto read = problem_.read(schedule.text);
    if (!read) return its->second;
    decisions = decisions_of(*read);
  }
  Numbers& said = its->second.emplace();
  for (const Decision& decision : decisions) said.push_back(table_.number_of(decision));
  return its->second;
}

const DecisionReader::Common& DecisionReader::common_of(const ScheduleRecord& schedule,
                                                        const Numbers& said) {
  Numbers before;
  std::ranges::copy_if(said, std::back_inserter(before), [&](std::uint32_t number) {
    return !low_level_.contains(table_.different[number].construct);
  });
  const auto [its, is_new] = common_.try_emplace(std::move(before));
  if (!is_new) return its->second;
  const std::optional<Schedule> legal = deciding(schedule.text);
  const std::optional<Numbers> defaults = legal ? defaults_of(*legal) : std::nullopt;
  if (!defaults) return its->second;
  const auto known = std::ranges::find(table_.site_sets, *defaults);
  its->second.sites = static_cast<std::size_t>(known - table_.site_sets.begin());
  if (known == table_.site_sets.end()) table_.site_sets.push_back(*defaults);
  its->second.facts = facts_of(*legal);
  return its->second;
}

std::optional<Schedule> DecisionReader::deciding(const std::string& text) const {
  const auto schedule = problem_.read(text);
  if (!schedule) return {};
  std::vector<Directive> directives;
  std::ranges::copy_if(
      schedule->directives(), std::back_inserter(directives),
      [&](const Directive& directive) { return !low_level_.contains(directive.construct); });
  return Schedule(std::move(directives));
}

std::optional<DecisionReader::Numbers> DecisionReader::defaults_of(const Schedule& schedule) {
  const auto sites = list_choices(problem_.file.energy, schedule, *problem_.constructs,
                                  problem_.program.precision);
  if (!sites) return {};
  Numbers defaults;
  for (const ChoiceSite& at : *sites) {
    defaults.push_back(table_.number_of(
        {std::string(at.construct->name()), at.site.name, at.alternatives.front().choice.label}));
  }
  return defaults;
}

DecisionReader::Numbers DecisionReader::facts_of(const Schedule& schedule) {
  const Energy& energy = problem_.file.energy;
  const auto plan = make_plan(energy, schedule, *problem_.constructs);
  if (!plan) return {};
  Numbers facts = {table_.number_of({"number", "parts", fmt::to_string(plan->parts.size())})};
  for (const Part& part : plan->parts) {
    for (const ResidualRef residual : part.residuals) {
      facts.push_back(table_.number_of({"strategy", "residual " + residual_name(energy, residual),
                                        std::string(to_string(part.strategy))}));
    }
  }
  return facts;
}

}  // namespace thallo
