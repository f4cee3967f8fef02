#include "core/explore/search/ablation.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <variant>

#include "core/base/seconds_since.h"
#include "core/base/suggest.h"
#include "core/explore/search/prediction.h"

namespace thallo {
namespace {

Expected<void> check_switches(const Search& search, const std::vector<std::string>& switches) {
  std::vector<std::string> known;
  for (const OptionSpec& spec : search.options())
    if (std::holds_alternative<bool>(spec.default_value)) known.push_back(spec.name);
  if (switches.size() > MostSwitches) {
    return fail("{} switches are {} runs of the search: name {} at most", switches.size(),
                std::size_t{1} << std::min<std::size_t>(switches.size(), 62), MostSwitches);
  }
  for (const std::string& name : switches) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return fail(Diagnostic{fmt::format("the search {} has no switch '{}'{}", search.name(), name,
                                       did_you_mean(name, known)),
                           {},
                           known});
  }
  return {};
}

// Where an ablation looks up what the chosen schedules take.
struct Lookup {
  std::unique_ptr<ExploredProblem> problem;
  std::unique_ptr<StoredTimes> times;
};

Expected<Lookup> open_lookup(Session& session, const ExplorationRequest& request,
                             const std::optional<StoredTimesOptions>& stored) {
  if (!stored) return Lookup{};
  THALLO_TRY(auto problem, ExploredProblem::open(session, request.target));
  Lookup lookup{std::make_unique<ExploredProblem>(std::move(problem)), nullptr};
  THALLO_TRY(lookup.times,
             StoredTimes::open(request.measurer.resources.store, *lookup.problem, *stored));
  return lookup;
}

}  // namespace

double Ablation::best() const {
  double best = std::numeric_limits<double>::infinity();
  for (const AblationRow& row : rows) best = std::min(best, row.best);
  return best;
}

Expected<Ablation> ablate(Session& session, const ExplorationRequest& request,
                          const std::vector<std::string>& switches,
                          const std::optional<StoredTimesOptions>& stored,
                          const std::function<void(std::size_t run)>& told) {
  THALLO_TRY(const auto search, session.searches().lookup(request.search));
  THALLO_CHECK(check_switches(*search, switches));
  THALLO_TRY(const auto lookup, open_lookup(session, request, stored));
  const std::size_t num_runs = std::size_t{1} << switches.size();
  Ablation ablation;
  for (std::size_t run = 0; run < num_runs; ++run) {
    told(run);
    AblationRow row;
    ExplorationRequest its = request;
    for (std::size_t s = 0; s < switches.size(); ++s) {
      const bool is_on = ((run >> s) & 1) == 0;
      row.switches.emplace_back(switches[s], is_on);
      its.search_options.set(switches[s], is_on);
    }
    THALLO_TRY(const auto prediction, PredictedExploration::open(session, std::move(its)));
    const auto start = std::chrono::steady_clock::now();
    THALLO_CHECK(prediction->run());
    row.searched = seconds_since(start);
    row.figures = prediction->figures();
    row.has_ended = prediction->ending() == SearchEnding::Finished;
    if (const PredictedSchedule* chosen = prediction->chosen()) {
      row.best = chosen->seconds.at(request.target.model);
      row.chosen = chosen->proposal.hash;
      if (lookup.times) row.stored = lookup.times->seconds(chosen->proposal);
    }
    if (request.measurer.resources.was_cancelled()) break;
    ablation.rows.push_back(std::move(row));
  }
  told(num_runs);
  if (lookup.times) ablation.best_known = lookup.times->best();
  return ablation;
}

}  // namespace thallo
