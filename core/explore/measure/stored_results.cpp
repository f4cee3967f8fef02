#include "core/explore/measure/stored_results.h"

#include <algorithm>

namespace thallo {

Expected<std::vector<std::string>> timed_schedules(const MeasurementStore& store,
                                                   const std::string& problem) {
  const StoreSelection selection{.problem = problem, .device = ""};
  THALLO_TRY(const auto results, store.list<ScheduleResult>(selection));
  std::map<std::string, double> seconds;  // by hash
  for (const ScheduleResult& result : results) {
    if (!result.is_ok()) continue;
    const auto [its, is_new] = seconds.emplace(result.slot.schedule, result.nonlinear_seconds);
    if (!is_new) its->second = std::min(its->second, result.nonlinear_seconds);
  }
  THALLO_TRY(const auto schedules, store.list<ScheduleRecord>(selection));
  std::vector<std::pair<double, std::string>> timed;
  for (const ScheduleRecord& schedule : schedules)
    if (const auto its = seconds.find(schedule.hash); its != seconds.end())
      timed.emplace_back(its->second, schedule.text);
  std::ranges::sort(timed);
  std::vector<std::string> texts;
  for (auto& [its, text] : timed) texts.push_back(std::move(text));
  return texts;
}

Expected<StoredResults> StoredResults::read(const MeasurementStore& store,
                                            const StoreSelection& selection) {
  THALLO_TRY(auto read, store.list<ScheduleResult>(selection));
  StoredResults results;
  for (ScheduleResult& result : read)
    results.results_[{result.slot.schedule, result.slot.kind}] = std::move(result);
  return results;
}

const ScheduleResult* StoredResults::find(const std::string& hash, ResultKind kind) const {
  const auto found = results_.find({hash, kind});
  return found == results_.end() ? nullptr : &found->second;
}

bool StoredResults::had(const std::string& hash, std::int64_t before) const {
  return std::ranges::any_of(std::array{ResultKind::Composed, ResultKind::EndToEnd},
                             [&](ResultKind kind) {
                               const ScheduleResult* result = find(hash, kind);
                               return result != nullptr && result->origin.unix_seconds < before;
                             });
}

void StoredResults::give(Candidate& candidate) const {
  if (const auto* solved = find(candidate.hash, ResultKind::EndToEnd))
    candidate.end_to_end = *solved;
  const auto* composed = find(candidate.hash, ResultKind::Composed);
  if (composed != nullptr &&
      (composed->status == ResultStatus::Crash || composed->status == ResultStatus::Timeout))
    candidate.composed = *composed;
}

}  // namespace thallo
