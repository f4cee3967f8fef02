#include "core/explore/search/run_recorder.h"

#include <random>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/explore/measure/candidate_table.h"

namespace thallo {
namespace {

constexpr std::chrono::seconds TellInterval{1};

std::string make_run_id() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace

SearchRequest search_request(const ExplorationRequest& request, const ProblemRecord& problem,
                             const DeviceRecord& device, const ConstructRegistry& constructs) {
  SearchRequest asked{.problem = problem.signature,
                      .device = device.signature,
                      .search = request.search,
                      .space = request.space != nullptr ? request.space->id() : request.space_name,
                      .seed = request.seed,
                      .kind = request.measurer.measure};
  for (const std::string& name : request.search_options.names())
    asked.options[name] = to_string(*request.search_options.find_value(name));
  const ExplorationTarget& target = request.target;
  asked.settings["model"] = target.model;
  asked.settings["memory_limit"] = fmt::to_string(target.memory_limit);
  if (!target.device_spec.empty()) asked.settings["device_spec"] = target.device_spec;
  if (!request.pins.empty())
    asked.settings["pins"] = fmt::to_string(fmt::join(request.pins.texts(constructs), "; "));
  if (request.samples) asked.settings["samples"] = fmt::to_string(*request.samples);
  if (request.first) asked.settings["first"] = request.first->str();
  if (request.end) asked.settings["end"] = request.end->str();
  if (request.shard)
    asked.settings["shard"] = fmt::format("{}/{}", request.shard->number, request.shard->count);
  if (request.samples && request.fresh_since)
    asked.settings["fresh_since"] = fmt::to_string(*request.fresh_since);
  return asked;
}

Expected<RunRecorder> RunRecorder::begin(MeasurementStore& store, const ExplorationRequest& request,
                                         const ProblemRecord& problem, const DeviceRecord& device,
                                         const ConstructRegistry& constructs) {
  const MeasurementOptions& resources = request.measurer.resources;
  SearchRunRecord asked{.id = make_run_id(),
                        .request = search_request(request, problem, device, constructs),
                        .origin = origin_now()};
  if (resources.budget) asked.budget = std::chrono::duration<double>(*resources.budget).count();
  THALLO_TRY(auto begun, store.begin_run(asked, resources.existing));
  return RunRecorder(store, std::move(begun));
}

RunRecorder::RunRecorder(MeasurementStore& store, SearchRunRecord run)
    : store_(&store), run_(std::move(run)), figures_(run_.state.figures) {
  for (const SearchEvent& event : run_.events) found_.insert(event.schedule);
}

double RunRecorder::seconds() const {
  return run_.state.seconds + std::chrono::duration<double>(Clock::now() - start_).count();
}

void RunRecorder::add(const TimedSchedule& timed) {
  if (!found_.insert(timed.hash).second) return;
  const SearchEvent event{seconds(), timed.hash, timed.seconds, timed.was_known};
  write({&event, 1}, SearchEnding::Open);
}

void RunRecorder::tell(const SearchFigures& figures) {
  figures_ = figures;
  if (Clock::now() - written_ >= TellInterval) write({}, SearchEnding::Open);
}

Expected<void> RunRecorder::end(SearchEnding ending, const SearchFigures& figures) {
  if (!figures.empty()) figures_ = figures;
  write({}, ending);
  if (fault_) return fail(*fault_);
  return {};
}

void RunRecorder::write(std::span<const SearchEvent> events, SearchEnding ending) {
  if (fault_) return;
  if (auto written = store_->extend_run(run_.id, events, {seconds(), ending, figures_}); !written)
    fault_ = written.error();
  written_ = Clock::now();
}

}  // namespace thallo
