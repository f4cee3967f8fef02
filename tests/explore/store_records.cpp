#include "tests/explore/store_records.h"

#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "core/base/hash.h"

namespace thallo::test {

std::string key_of(int step) { return hash_text(fmt::format("step {}", step)).hex(); }
std::string hash_of(int schedule) { return hash_text(fmt::format("schedule {}", schedule)).hex(); }

StepRecord step_of(int step) {
  return {.problem = SampleProblem.signature,
          .key = key_of(step),
          .label = fmt::format("apply_jtjp [part {}]", step),
          .features = R"({"points": 4096})",
          .kernel = key_of(step)};
}

ScheduleRecord schedule_of(int schedule) {
  return {.problem = SampleProblem.signature,
          .hash = hash_of(schedule),
          .text = "r.fit:strategy(\"[JtJ]p\")\nr.fit.JtJ:storage(\"csr\")\n",
          .bytes = 1'000'000 + schedule,
          .places = {{SampleSpace.id, fmt::format("{}", schedule)}},
          .predictions = {{SampleDevice.signature, "analytic", 0.25, 0.025},
                          {SampleDevice.signature, "roofline", 0.125, 0.0125}},
          .decisions = {{"strategy", "fit", "[JtJ]p"}, {"storage", "fit.JtJ", "csr"}}};
}

StepSamples samples_of(int step, CacheState cache, std::vector<double> seconds) {
  return {.slot = {SampleProblem.signature, SampleDevice.signature, key_of(step), cache},
          .seconds = std::move(seconds),
          .origin = {"0123abc", 1'800'000'000}};
}

ScheduleResult result_of(int schedule, ResultKind kind) {
  return {.slot = {SampleProblem.signature, SampleDevice.signature, hash_of(schedule), kind},
          .nonlinear_seconds = 0.5,
          .linear_seconds = 0.04,
          .linear_iterations = 9.5,
          .samples = {0.5, 0.49, 0.51},
          .trace = {{0, 100}, {0.5, 10}, {1, 9}},
          .verification_error = 1e-6,
          .small_error = 2e-7,
          .origin = {"0123abc", 1'800'000'001}};
}

SearchRunRecord run_of(const std::string& id) {
  return {.id = id,
          .request = {.problem = SampleProblem.signature,
                      .device = SampleDevice.signature,
                      .search = "beam",
                      .space = SampleSpace.id,
                      .options = {{"width", "8"}, {"freezing", "true"}},
                      .settings = {{"model", "analytic"}},
                      .seed = ~std::uint64_t{0}},
          .budget = 60,
          .origin = {"0123abc", 1'800'000'003},
          .state = {.seconds = 2.5,
                    .figures = {{"states priced", 1203, SearchFigure::Unit::Count},
                                {"best", std::numeric_limits<double>::infinity(),
                                 SearchFigure::Unit::Seconds}}},
          .events = {{1, hash_of(0), 0.5, false}, {2, hash_of(1), 0.25, true}}};
}

std::vector<StoreRecord> all_records() {
  const KernelRecord kernel = {key_of(0), "NVRTC 12.8 sm_90", "apply_jtjp", 40, 8, 1024, 1.5};
  const KernelRecord failed = {.key = key_of(1),
                               .compiler = "NVRTC 12.8 sm_90",
                               .role = "update",
                               .reason = "error: \"x\"\n"};
  StepSamples failure = samples_of(1, CacheState::Hot, {});
  failure.reason = "CUDA_ERROR_ILLEGAL_ADDRESS (700)";
  ScheduleRecord with_steps = schedule_of(0);
  with_steps.steps = {{SampleDevice.signature, key_of(0), 10, 1e-3}};
  ScheduleRecord too_large = schedule_of(1);
  too_large.places = {{SampleSpace.id, std::nullopt}};
  too_large.predictions = {
      {SampleDevice.signature, "roofline", std::numeric_limits<double>::infinity(), 0.5}};
  ScheduleResult refused = {.slot = result_of(1, ResultKind::EndToEnd).slot,
                            .status = ResultStatus::OutOfMemory,
                            .reason = "9 GiB are more than 8 GiB",
                            .origin = {"0123abc", 1'800'000'002}};
  return {SampleDevice,
          SampleProblem,
          SampleSpace,
          kernel,
          failed,
          step_of(0),
          step_of(1),
          samples_of(0, CacheState::Hot, {1e-3, 1.1e-3, 0.9e-3}),
          samples_of(0, CacheState::Evicted, {2e-3, 2.1e-3}),
          failure,
          with_steps,
          too_large,
          result_of(0, ResultKind::Composed),
          result_of(0, ResultKind::EndToEnd),
          refused,
          run_of("0011223344556677")};
}

MeasurementStore open_store(const std::filesystem::path& path, MeasurementStore::Access access) {
  auto store = MeasurementStore::open(path, access);
  if (!store) throw std::runtime_error(store.error().message());
  return *std::move(store);
}

MeasurementStore make_store(const std::filesystem::path& path, int num_steps) {
  MeasurementStore store = open_store(path);
  std::vector<StoreRecord> records = {SampleDevice, SampleProblem, SampleSpace};
  for (int i = 0; i < num_steps; ++i) records.emplace_back(step_of(i));
  if (auto added = store.add(records, Existing::Keep); !added)
    throw std::runtime_error(added.error().message());
  return store;
}

}  // namespace thallo::test
