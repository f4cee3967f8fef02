#include "core/explore/stored_results.h"

namespace thallo {

Expected<StoredResults> StoredResults::read(MeasurementStore& store,
                                            const StoreSelection& selection) {
  auto read = store.list<ScheduleResult>(selection);
  if (!read) return fail(read.error());
  StoredResults results;
  for (ScheduleResult& result : *read)
    results.results_[{result.slot.schedule, result.slot.kind}] = std::move(result);
  return results;
}

const ScheduleResult* StoredResults::find(const std::string& hash, ResultKind kind) const {
  const auto found = results_.find({hash, kind});
  return found == results_.end() ? nullptr : &found->second;
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
