#include "core/cli/exploration_run.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/cli/exploration_output.h"
#include "core/cli/interrupt.h"
#include "core/cli/progress_bar.h"
#include "core/cli/require.h"
#include "core/explore/fitting_schedules.h"
#include "core/explore/named_proposals.h"
#include "core/explore/search.h"
#include "core/explore/store.h"
#include "core/explore/work/explored_problem.h"

namespace thallo::cli {
namespace {

class ExplorationRun {
 public:
  ExplorationRun(Session& session, const ExplorationRequest& request)
      : request_(request),
        explorer_(open(request)),
        problem_(require(ExploredProblem::open(session, explorer_.target()))),
        fitting_(problem_, explorer_.target().memory_limit, explorer_.device_memory()),
        full_(problem_.file.energy, *problem_.constructs, problem_.precision, &fitting_.limit()) {
    add_searches(searches_);
    explorer_.on_progress([this](const ExplorerProgress& p) { show(p); });
  }

  ExitCode run() {
    const Search& search = *require(searches_.lookup(request_.search));
    find_named();
    SearchSpace space{.energy = problem_.file.energy,
                      .constructs = *problem_.constructs,
                      .full = full_,
                      .indexed = request_.space,
                      .samples = request_.samples,
                      .seed = request_.seed,
                      .seconds =
                          [this](const std::string& hash) {
                            // While steps are measured alone, nothing is known of costs.
                            return request_.measure == MeasureBy::Solves
                                       ? explorer_.seconds(hash)
                                       : explorer_.iteration_seconds(hash);
                          },
                      .fits = [this](const Proposal& proposal) { return fitting_.fits(proposal); },
                      .is_over = [this] { return explorer_.is_over(); }};
    if (request_.space != nullptr) {
      space.first = request_.first.value_or(0);
      space.end = request_.end.value_or(request_.space->size());
    }
    for (const NamedProposal& named : named_) space.start.push_back(named.proposal);
    const auto search_run = require(search.start(space));
    require(explorer_.explore(space.start));
    while (!explorer_.is_over()) {
      const std::vector<Proposal> batch = search_run->next();
      if (batch.empty()) break;
      require(explorer_.explore(batch));
    }
    if (request_.measure == MeasureBy::Steps) solve_best();
    bar_.reset();
    if (!has_measured()) {
      throw UserError(
          "the budget was used up before one schedule was looked at: allow more time "
          "with --budget");
    }
    const ExplorationOutcome outcome{explorer_, fitting_, marked(),
                                     request_.space ? request_.space->id() : "full",
                                     other_devices()};
    (request_.json ? print_exploration_json : print_exploration)(outcome);
    return ExitCode::Ok;
  }

 private:
  static Explorer open(const ExplorationRequest& request) {
    const auto num_cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    ExplorerOptions options{.workshop = {.store = request.store,
                                         .worker_command = {"/proc/self/exe", "worker"},
                                         .jobs = request.jobs > 0 ? request.jobs : num_cores,
                                         .budget = request.budget,
                                         .is_cancelled = &interrupt().is_interrupted()},
                            .measure = request.measure,
                            .objective = request.objective};
    if (request.space != nullptr)
      options.space = SpaceRecord{request.space->id(), request.space_name};
    return require(Explorer::open(request.target, options));
  }
  static InterruptWatch& interrupt() {
    static InterruptWatch watch;
    return watch;
  }

  // The schedules that every report marks, with their numbers.
  void find_named() {
    named_ = named_proposals(problem_, explorer_.device_spec());
    if (request_.space == nullptr) return;
    for (NamedProposal& named : named_) {
      if (const auto number = request_.space->index_of(named.proposal.schedule))
        named.proposal.index = index_text(request_.space->id(), *number);
    }
  }
  std::vector<MarkedSchedule> marked() const {
    std::vector<MarkedSchedule> result;
    for (const NamedProposal& named : named_) result.push_back({named.name, named.proposal.hash});
    return result;
  }

  std::vector<std::string> other_devices() const {
    const auto store =
        require(MeasurementStore::open(request_.store, MeasurementStore::Access::Read));
    std::vector<std::string> others;
    for (const DeviceRecord& device : require(store.list<DeviceRecord>())) {
      if (device.signature == explorer_.device().signature) continue;
      const StoreSelection its{explorer_.problem().signature, device.signature};
      if (!require(store.list<ScheduleResult>(its)).empty()) others.push_back(device.name);
    }
    return others;
  }

  // Runs the named schedules, a random sample and the best end to end: what is reported beside the
  // sums. One that turns out to fail makes room for the next best.
  void solve_best() {
    require(explorer_.solve(composed_ones()));
    while (!explorer_.is_over()) {
      const std::vector<std::string> best = best_unsolved();
      if (best.empty()) return;
      require(explorer_.solve(best));
    }
  }

  // The named schedules and a random sample, as far as they have a time.
  std::vector<std::string> composed_ones() const {
    std::vector<std::string> composed;
    for (const Candidate& candidate : explorer_.candidates())
      if (candidate.composed && candidate.composed->is_ok()) composed.push_back(candidate.hash);
    std::set<std::string> chosen;
    for (const NamedProposal& named : named_) {
      if (std::ranges::find(composed, named.proposal.hash) != composed.end())
        chosen.insert(named.proposal.hash);
    }
    Random random(request_.seed);
    for (int i = 0; i < request_.num_random && !composed.empty(); ++i)
      chosen.insert(composed[random.below(composed.size())]);
    return {chosen.begin(), chosen.end()};
  }

  // Those of the best that were not run, one for each program.
  std::vector<std::string> best_unsolved() const {
    std::vector<std::pair<double, Candidate>> sorted;
    for (Candidate& candidate : explorer_.candidates()) {
      const auto seconds = explorer_.iteration_seconds(candidate.hash);
      if (seconds && std::isfinite(*seconds)) sorted.emplace_back(*seconds, std::move(candidate));
    }
    std::ranges::stable_sort(sorted, {}, &std::pair<double, Candidate>::first);
    std::set<std::string> programs;
    std::vector<std::string> unsolved;
    for (const auto& [seconds, candidate] : sorted) {
      if (programs.size() == static_cast<std::size_t>(request_.num_best)) break;
      if (programs.insert(candidate.program).second && !candidate.end_to_end)
        unsolved.push_back(candidate.hash);
    }
    return unsolved;
  }

  bool has_measured() const {
    return std::ranges::any_of(explorer_.candidates(), [this](const Candidate& candidate) {
      return explorer_.iteration_seconds(candidate.hash).has_value();
    });
  }

  void show(const ExplorerProgress& progress) {
    if (!bar_ || stage_ != progress.stage) {
      stage_ = progress.stage;
      constexpr const char* Labels[] = {"compiling schedules", "timing steps", "running schedules"};
      bar_.emplace(Labels[static_cast<std::size_t>(stage_)], progress.total);
    }
    bar_->update(progress.done);
  }

  const ExplorationRequest& request_;
  Explorer explorer_;
  ExploredProblem problem_;
  FittingSchedules fitting_;
  ScheduleSpace full_;
  SearchRegistry searches_{"search"};
  std::vector<NamedProposal> named_;
  std::optional<ProgressBar> bar_;
  ExplorerProgress::Stage stage_ = ExplorerProgress::Stage::Prepare;
};

}  // namespace

ExitCode run_exploration(Session& session, const ExplorationRequest& request) {
  return ExplorationRun(session, request).run();
}

}  // namespace thallo::cli
