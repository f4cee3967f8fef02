#include "core/cli/reproduce/distribution.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/base/stop_scope.h"
#include "core/cli/interrupt.h"
#include "core/cli/require.h"
#include "core/explore/measure/statistics.h"
#include "core/explore/search/exploration.h"

namespace thallo::cli {
namespace {

constexpr const char* Space = "published";

// What an exploration needs while it runs.
struct SpaceOfCase {
  Options options;
  EnergyFile file;
  Instance instance;
  std::unique_ptr<ExploredSpace> space;

  SpaceOfCase(Session& session, const PaperCase& one, const CaseInput& input)
      : options(require(complete_options(session.problem(one.problem).options(), input.options))),
        file(
            with_sites(require(session.problem(one.problem).energy(options)), FoundSites::Default)),
        instance(
            require(session.problem(one.problem).instantiate(file.energy.as_written(), options))),
        space(require(ExploredSpace::make(file, instance.binding, instance.precision,
                                          session.constructs(),
                                          require(read_published_profile(Space)), {}))) {}
};

ExplorationRequest request_of(const CaseToMeasure& its, const SpaceOfCase& of,
                              const std::filesystem::path& store) {
  const ReproduceRun& run = its.run;
  const CaseInput& input = its.input;
  const bool is_sampled = input.samples > 0 && of.space->indexed()->size() > input.samples;
  ExplorationRequest request{
      .target = {.problem = its.one.problem,
                 .options = input.options,
                 .backend = run.backend,
                 .device = run.device,
                 .solver_options = input.settings,
                 .num_threads = run.num_threads,
                 .plugin_path = run.session.plugin_path()},
      .search = is_sampled ? "random" : "exhaustive",
      .space = of.space->indexed(),
      .space_name = Space,
      .measurer = {.resources = {.store = store, .worker_command = {"/proc/self/exe", "worker"}}},
      .num_best = 0};
  if (is_sampled) request.samples = input.samples;
  if (const auto left = its.budget.seconds_left())
    request.measurer.resources.budget =
        std::chrono::milliseconds(std::llround(1e3 * std::max(0.1, *left)));
  return request;
}

MeasuredCase summary_of(const Exploration& exploration, const PaperItem& item,
                        const SpaceOfCase& of) {
  const Measurer& measurer = exploration.measurer();
  std::vector<double> times;  // milliseconds, of schedules of the space
  for (const Candidate& candidate : measurer.candidates()) {
    const auto seconds = measurer.iteration_seconds(candidate.hash);
    if (candidate.index && seconds && std::isfinite(*seconds)) times.push_back(1e3 * *seconds);
  }
  std::ranges::sort(times);
  MeasuredCase measured;
  const ExplorationEnd::Why why = exploration.end().why;
  measured.is_complete = why == ExplorationEnd::Why::Finished || why == ExplorationEnd::Why::NoMore;
  measured.conditions = fmt::format(
      "{}: {} of the {} schedules of the space `published` have a time, each the sum of its steps, "
      "which are timed one by one.",
      of.instance.title, times.size(), of.space->indexed()->size().str());
  if (times.empty() && measured.is_complete) throw UserError("no schedule of it could be timed");
  if (times.empty()) return measured;
  for (const NamedProposal& named : exploration.named()) {
    const auto seconds = measurer.iteration_seconds(named.proposal.hash);
    const bool is_wanted = std::ranges::any_of(
        item.quantities, [&](const Quantity& quantity) { return quantity.key == named.name; });
    if (!seconds || !std::isfinite(*seconds)) continue;
    if (is_wanted) measured.values[named.name] = 1e3 * *seconds;
    if (named.name == "auto")
      measured.values["auto_off"] = 100 * (1e3 * *seconds / times.front() - 1);
  }
  measured.values["best"] = times.front();
  measured.values["median"] = median(times);
  measured.values["schedules"] = static_cast<double>(times.size());
  measured.values["of"] = of.space->indexed()->size().convert_to<double>();
  for (std::size_t i = 0; i < times.size(); ++i)
    measured.curve.emplace_back(static_cast<double>(i + 1) / static_cast<double>(times.size()),
                                times[i]);
  return measured;
}

}  // namespace

MeasuredCase measure_distribution(const CaseToMeasure& its) {
  const ScratchFolder scratch = require(ScratchFolder::make());
  const std::filesystem::path store =
      its.run.measurements.value_or(scratch.path() / "measured.store");
  const SpaceOfCase of(its.run.session, its.one, its.input);
  InterruptWatch interrupt;
  const StopScope scope(interrupt.stop());
  ExplorationRequest request = request_of(its, of, store);
  request.measurer.resources.is_cancelled = &interrupt.is_interrupted();
  const auto exploration = require(Exploration::open(its.run.session, std::move(request)));
  interrupt.keep();
  require(exploration->run());
  return summary_of(*exploration, its.item, of);
}

}  // namespace thallo::cli
