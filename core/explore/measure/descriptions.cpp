#include "core/explore/measure/descriptions.h"

#include <map>
#include <optional>
#include <utility>

namespace thallo {

ScheduleRecord Descriptions::schedule(const std::string& hash, const std::string& text,
                                      const PreparedSchedule& prepared) const {
  ScheduleRecord schedule{.problem = problem_,
                          .hash = hash,
                          .text = text,
                          .bytes = static_cast<std::int64_t>(prepared.bytes),
                          .loop_bytes = prepared.loop_bytes};
  schedule.predictions = prepared.predictions;
  for (SchedulePrediction& prediction : schedule.predictions) prediction.device = device_;
  return schedule;
}

std::vector<StoreRecord> Descriptions::of(const Proposal& proposal,
                                          const PreparedSchedule& prepared) {
  std::vector<StoreRecord> records;
  for (const KernelRecord& kernel : prepared.kernels) {
    if (!kernels_.insert(kernel.key).second) continue;
    records.emplace_back(kernel);
    std::get<KernelRecord>(records.back()).compiler = device_;
  }
  for (const PreparedStep& step : prepared.steps) {
    if (steps_.insert(step.key).second)
      records.emplace_back(StepRecord{problem_, step.key, step.label, step.features, step.kernel});
  }
  ScheduleRecord described = schedule(proposal.hash, proposal.text, prepared);
  described.decisions = decisions_of(proposal.schedule);
  if (proposal.index) {
    const std::size_t colon = proposal.index->find(':');
    described.places.push_back(
        {proposal.index->substr(0, colon), proposal.index->substr(colon + 1)});
  }
  records.emplace_back(std::move(described));
  return records;
}

ScheduleRecord Descriptions::with_steps(const Candidate& candidate,
                                        const PreparedSchedule& prepared, const StepTable& table,
                                        const std::string& model) const {
  ScheduleRecord described = schedule(candidate.hash, candidate.text, prepared);
  std::map<std::string, StepUse> uses;
  for (const PreparedStep& step : prepared.steps) {
    const double runs = table.runs(step.phase);
    if (runs == 0) continue;
    StepUse& use = uses[step.key];
    use.device = device_;
    use.key = step.key;
    use.runs += runs;
    if (const auto predicted = step.predicted.find(model); predicted != step.predicted.end())
      use.predicted_seconds = predicted->second;
  }
  for (auto& [key, use] : uses) described.steps.push_back(std::move(use));
  return described;
}

}  // namespace thallo
