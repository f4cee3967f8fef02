#include "core/explore/measure/candidate_table.h"

#include <chrono>
#include <utility>

namespace thallo {

Origin origin_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {THALLO_COMMIT, std::chrono::duration_cast<std::chrono::seconds>(now).count()};
}

ScheduleResult failure_of(const WorkAnswer& answer) {
  return {.status = answer.status, .reason = answer.why()};
}

CandidateTable::CandidateTable(MeasurementContext& context, std::string model)
    : context_(&context),
      model_(std::move(model)),
      steps_(context.opened().counts, context.device_spec()) {}

Expected<CandidateTable> CandidateTable::read(MeasurementContext& context, Existing existing,
                                              std::string model) {
  CandidateTable table(context, std::move(model));
  if (existing == Existing::Replace) return table;
  const StoreSelection selection{context.opened().problem.signature,
                                 context.opened().device.signature};
  THALLO_TRY(const auto samples, context.store().list<StepSamples>(selection));
  for (const StepSamples& known : samples) table.steps_.add(known);
  THALLO_TRY(table.stored_, StoredResults::read(context.store(), selection));
  return table;
}

KnownSchedule& CandidateTable::add(const Proposal& proposal, const WorkAnswer& answer,
                                   ResultKind kind) {
  const bool is_ok = answer.is_ok();
  KnownSchedule known{
      .candidate = {.hash = proposal.hash, .text = proposal.text, .index = proposal.index},
      .prepared = is_ok ? answer.as<PreparedSchedule>() : PreparedSchedule()};
  for (SchedulePrediction& prediction : known.prepared.predictions) {
    prediction.device = context_->opened().device.signature;
    known.candidate.predictions[prediction.model] = prediction;
  }
  known.candidate.bytes = static_cast<std::int64_t>(known.prepared.bytes);
  describe(proposal, known);
  if (is_ok) known.candidate.program = program_of(known.prepared);
  KnownSchedule& kept = known_[proposal.hash] = std::move(known);
  if (is_ok)
    stored_.give(kept.candidate);
  else
    finish(kept, kind, failure_of(answer));
  return kept;
}

KnownSchedule* CandidateTable::find(const std::string& hash) {
  const auto found = known_.find(hash);
  return found != known_.end() ? &found->second : nullptr;
}

const KnownSchedule* CandidateTable::find(const std::string& hash) const {
  const auto found = known_.find(hash);
  return found != known_.end() ? &found->second : nullptr;
}

void CandidateTable::finish(KnownSchedule& known, ResultKind kind, ScheduleResult result) {
  result.slot = slot_of(known, kind);
  Origin origin = origin_now();
  origin.uuid = std::move(result.origin.uuid);
  result.origin = std::move(origin);
  context_->record({result});
  if (kind == ResultKind::EndToEnd) return take_solved(known, result);
  known.candidate.composed = std::move(result);
}

void CandidateTable::take_solved(KnownSchedule& known, const ScheduleResult& result) {
  known.candidate.end_to_end = result;
  if (!known.candidate.program.empty()) solved_.emplace(known.candidate.program, result);
}

const ScheduleResult* CandidateTable::find_solved(const std::string& program) const {
  const auto found = solved_.find(program);
  return found != solved_.end() ? &found->second : nullptr;
}

ScheduleRecord CandidateTable::record_of(const KnownSchedule& known) const {
  return {.problem = context_->opened().problem.signature,
          .hash = known.candidate.hash,
          .text = known.candidate.text,
          .bytes = known.candidate.bytes,
          .loop_bytes = known.prepared.loop_bytes,
          .predictions = known.prepared.predictions};
}

void CandidateTable::describe(const Proposal& proposal, const KnownSchedule& known) {
  const std::string& problem = context_->opened().problem.signature;
  std::vector<StoreRecord> records;
  for (KernelRecord kernel : known.prepared.kernels) {
    if (!described_kernels_.insert(kernel.key).second) continue;
    kernel.compiler = context_->opened().device.signature;
    records.emplace_back(std::move(kernel));
  }
  for (const PreparedStep& step : known.prepared.steps) {
    if (described_steps_.insert(step.key).second)
      records.emplace_back(StepRecord{problem, step.key, step.label, step.features, step.kernel});
  }
  ScheduleRecord schedule = record_of(known);
  schedule.decisions = decisions_of(proposal.schedule);
  if (proposal.index) {
    const std::size_t colon = proposal.index->find(':');
    schedule.places.push_back(
        {proposal.index->substr(0, colon), proposal.index->substr(colon + 1)});
  }
  records.emplace_back(std::move(schedule));
  context_->record(records);
}

void CandidateTable::describe_steps(const KnownSchedule& known) {
  std::map<std::string, StepUse> uses;
  for (const PreparedStep& step : known.prepared.steps) {
    const double runs = steps_.runs(step.phase);
    if (runs == 0) continue;
    StepUse& use = uses[step.key];
    use.device = context_->opened().device.signature;
    use.key = step.key;
    use.runs += runs;
    if (const auto predicted = step.predicted.find(model_); predicted != step.predicted.end())
      use.predicted_seconds = predicted->second;
  }
  ScheduleRecord schedule = record_of(known);
  for (auto& [key, use] : uses) schedule.steps.push_back(std::move(use));
  context_->record({std::move(schedule)});
}

void CandidateTable::compose(KnownSchedule& known) {
  finish(known, ResultKind::Composed, steps_.compose(known.prepared));
  describe_steps(known);
}

StepSlot CandidateTable::slot_of(const std::string& step_key) const {
  return {context_->opened().problem.signature, context_->opened().device.signature, step_key};
}

ScheduleSlot CandidateTable::slot_of(const KnownSchedule& known, ResultKind kind) const {
  return {.problem = context_->opened().problem.signature,
          .device = context_->opened().device.signature,
          .schedule = known.candidate.hash,
          .kind = kind};
}

}  // namespace thallo
