#include "tests/explore/explorations.h"

#include <stdexcept>

#include "core/explore/store/store.h"

namespace thallo::test {
namespace {

template <class T>
T value_of(Expected<T> value) {
  if (!value) throw std::runtime_error(value.error().message());
  return *std::move(value);
}

ExplorationTarget small_curve_fit() {
  ExplorationTarget target{.problem = "curve_fit", .backend = "cpu"};
  target.num_threads = 1;
  target.plugin_path = {THALLO_FAULTY_FOLDER};
  return target;
}

std::string status_of(const std::optional<ScheduleResult>& result) {
  return result ? std::string(to_string(result->status)) : "none";
}

}  // namespace

CurveFitExploration::CurveFitExploration()
    : target_(small_curve_fit()),
      session_(target_.plugin_path),
      problem_(value_of(ExploredProblem::open(session_, target_))) {}

MeasurerOptions CurveFitExploration::options(const std::filesystem::path& store,
                                             ResultKind measure) const {
  using std::chrono::seconds;
  return {
      .resources = {.store = store,
                    .worker_command = {THALLO_PROGRAM, "worker"},
                    .jobs = 2,
                    .lease = std::chrono::milliseconds(400)},
      .measure = measure,
      .solves = 1,
      .timeouts = {
          .prepare = seconds(2), .load = seconds(10), .step = seconds(5), .solve = seconds(10)}};
}

std::unique_ptr<Measurer> CurveFitExploration::open(const MeasurerOptions& options) const {
  return value_of(Measurer::open(target_, options));
}

std::vector<Proposal> CurveFitExploration::all() const {
  const ScheduleSpace space(problem_.file.energy, *problem_.constructs, problem_.program.precision);
  std::vector<Proposal> proposals;
  space.visit([&](const Schedule& schedule, const Plan&) {
    proposals.push_back(Proposal::of(schedule, *problem_.constructs));
    return true;
  });
  return proposals;
}

Proposal CurveFitExploration::proposal(const std::string& text) const {
  return Proposal::of(value_of(problem_.read(text)), *problem_.constructs);
}

std::map<std::string, std::string> table_of(const Measurer& measurer) {
  std::map<std::string, std::string> table;
  for (const Candidate& candidate : measurer.candidates())
    table[candidate.hash] = status_of(candidate.composed) + ", " + status_of(candidate.end_to_end);
  return table;
}

std::set<std::string> timed_steps(const std::filesystem::path& store) {
  std::set<std::string> keys;
  if (!std::filesystem::exists(store)) return keys;
  const auto opened = value_of(MeasurementStore::open(store, MeasurementStore::Access::Read));
  for (const StepSamples& samples : value_of(opened.list<StepSamples>()))
    keys.insert(samples.slot.key);
  return keys;
}

}  // namespace thallo::test
