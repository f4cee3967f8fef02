#include "core/explore/report/decision_table.h"

#include <algorithm>
#include <iterator>

#include "core/explore/space/choice_sites.h"

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
      read.push_back({*said, sites_of(*schedule, *said)});
    } else {
      read.push_back({.said = {}, .is_known = false});
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

std::optional<std::size_t> DecisionReader::sites_of(const ScheduleRecord& schedule,
                                                    const Numbers& said) {
  Numbers deciding;
  std::ranges::copy_if(said, std::back_inserter(deciding), [&](std::uint32_t number) {
    return !low_level_.contains(table_.different[number].construct);
  });
  const auto [its, is_new] = sites_.try_emplace(std::move(deciding));
  if (!is_new) return its->second;
  const std::optional<Numbers> defaults = defaults_of(schedule.text);
  if (!defaults) return its->second;
  const auto known = std::ranges::find(table_.site_sets, *defaults);
  its->second = static_cast<std::size_t>(known - table_.site_sets.begin());
  if (known == table_.site_sets.end()) table_.site_sets.push_back(*defaults);
  return its->second;
}

std::optional<DecisionReader::Numbers> DecisionReader::defaults_of(const std::string& text) {
  const auto schedule = problem_.read(text);
  if (!schedule) return {};
  std::vector<Directive> deciding;
  std::ranges::copy_if(
      schedule->directives(), std::back_inserter(deciding),
      [&](const Directive& directive) { return !low_level_.contains(directive.construct); });
  const auto sites = list_choices(problem_.file.energy, Schedule(std::move(deciding)),
                                  *problem_.constructs, problem_.precision);
  if (!sites) return {};
  Numbers defaults;
  for (const ChoiceSite& at : *sites) {
    defaults.push_back(table_.number_of(
        {std::string(at.construct->name()), at.site.name, at.alternatives.front().choice.label}));
  }
  return defaults;
}

}  // namespace thallo
