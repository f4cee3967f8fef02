#include "core/explore/search/exploration.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/explore/learn/stored_training_set.h"
#include "core/explore/search/search_input.h"

namespace thallo {
namespace {

// The share of the budget for the search; the rest is for whole solves of the best schedules.
constexpr double SearchShare = 0.85;

const std::string& hash_of(const NamedProposal& named) { return named.proposal.hash; }

}  // namespace

Expected<std::unique_ptr<Exploration>> Exploration::open(Session& session,
                                                         ExplorationRequest request) {
  THALLO_TRY(const auto search, complete_search(session.searches(), request));
  if (request.space != nullptr)
    request.measurer.space = SpaceRecord{request.space->id(), request.space_name};
  THALLO_TRY(auto measurer, Measurer::open(request.target, request.measurer));
  THALLO_TRY(auto problem, ExploredProblem::open(session, measurer->target()));
  std::unique_ptr<Exploration> exploration(
      new Exploration(std::move(request), *search, std::move(measurer), std::move(problem)));
  THALLO_CHECK(check_pins(exploration->full_));
  return exploration;
}

Exploration::Exploration(ExplorationRequest request, const Search& search,
                         std::unique_ptr<Measurer> measurer, ExploredProblem problem)
    : request_(std::move(request)),
      search_(search),
      measurer_(std::move(measurer)),
      problem_(std::move(problem)),
      fitting_(problem_, measurer_->target().memory_limit, measurer_->device_spec().memory),
      full_(problem_.file.energy, *problem_.constructs, problem_.program.precision,
            &fitting_.limit(), request_.pins) {}

Expected<void> Exploration::run() {
  find_named();
  const bool solves_best = request_.measurer.measure == ResultKind::Composed;
  if (solves_best) measurer_->limit_to(SearchShare);
  if (auto searched = search(); !searched || !solves_best) return searched;
  measurer_->limit_to(1);
  return solve_best();
}

void Exploration::find_named() {
  named_ = named_proposals(problem_, measurer_->device_spec());
  place_in(request_.space, full_, named_);
}

SearchSpace Exploration::search_space() {
  SearchSubject subject{request_, problem_, full_, measurer_->device_spec(), fitting_};
  if (request_.measurer.measure == ResultKind::Composed) {
    subject.measured_steps = [this](std::span<const std::string> hashes) {
      return read_training_set(measurer_->store(), measurer_->problem().signature,
                               measurer_->device(), hashes);
    };
  }
  SearchSpace space = search_input(subject, named_);
  space.timed = [this] { return timed_proposals(); };
  space.seconds = [this](const std::string& hash) {
    // Costs are unknown while only steps are measured.
    return request_.measurer.measure == ResultKind::EndToEnd ? measurer_->seconds(hash)
                                                             : measurer_->iteration_seconds(hash);
  };
  space.may_draw = [this](const Proposal& drawn) { return may_draw(drawn.hash); };
  space.is_over = [this] { return measurer_->is_over(); };
  space.tell = [this](const SearchFigures& figures) { tell(figures); };
  return space;
}

bool Exploration::may_draw(const std::string& hash) {
  const auto& since = request_.fresh_since;
  if (!since || !measurer_->stored_results().had(hash, *since)) return true;
  passed_over_.insert(hash);
  return false;
}

// Returns the stored schedules that are still legal for this problem; constructs may have changed
// since.
Expected<std::vector<Proposal>> Exploration::timed_proposals() const {
  THALLO_TRY(const auto texts, timed_schedules(measurer_->store(), measurer_->problem().signature));
  return proposals_of(texts, problem_, request_.space, full_);
}

Expected<void> Exploration::search() {
  const SearchSpace space = search_space();
  THALLO_TRY(const auto search_run, search_.start(space));
  THALLO_TRY(auto recorder, RunRecorder::begin(measurer_->store(), request_, measurer_->problem(),
                                               measurer_->device(), *problem_.constructs));
  recorder_.emplace(std::move(recorder));
  measurer_->on_timed([this](const TimedSchedule& timed) {
    if (keeps_pins(timed.hash)) recorder_->add(timed);
  });
  auto explored = explore_all(*search_run, space);
  measurer_->on_timed({});
  hear(*search_run);
  search_seconds_ = recorder_->seconds();
  const auto ended = recorder_->end(ending(), figures_);
  return explored ? ended : explored;
}

Expected<void> Exploration::explore_all(SearchRun& search_run, const SearchSpace& space) {
  THALLO_CHECK(measurer_->explore(first_proposals(named_, space)));
  if (search_.goes_by_predictions()) measurer_->leave_out_spilling();
  const std::uint64_t num_shards = request_.shard ? request_.shard->count : 1;
  measurer_->expect(search_run.most().value_or(0) / static_cast<std::int64_t>(num_shards));
  const auto more = [&] { return propose(search_run); };
  if (search_.can_be_divided()) return measurer_->explore(more);
  while (!measurer_->is_over()) {
    const std::vector<Proposal> batch = more();
    if (batch.empty()) break;
    THALLO_CHECK(measurer_->explore(batch));
  }
  return {};
}

// How the search has ended; a fault cancels it.
SearchEnding Exploration::ending() const {
  if (has_ended_ && !measurer_->is_over()) return SearchEnding::Finished;
  return request_.measurer.resources.was_cancelled() || !measurer_->is_over()
             ? SearchEnding::Cancelled
             : SearchEnding::OutOfTime;
}

// Returns the next proposals of the search that belong to the shard; none if it has ended.
std::vector<Proposal> Exploration::propose(SearchRun& search_run) {
  std::vector<Proposal> batch;
  while (batch.empty() && !has_ended_ && !measurer_->is_over()) {
    batch = next_proposals(search_run, [this] { return measurer_->is_over(); });
    hear(search_run);
    // The search also returns nothing when the time is up.
    if (batch.empty()) has_ended_ = !measurer_->is_over();
    if (request_.shard) {
      num_of_other_shards_ += static_cast<std::int64_t>(std::erase_if(
          batch, [this](const Proposal& its) { return !request_.shard->has(its.hash); }));
    }
  }
  for (const Proposal& proposal : batch) proposed_.push_back(proposal.hash);
  return batch;
}

void Exploration::hear(const SearchRun& search_run) {
  figures_ = search_run.figures();
  remark_ = search_run.remark();
  if (!figures_.empty()) tell(figures_);
}

void Exploration::tell(const SearchFigures& figures) {
  if (recorder_) recorder_->tell(figures);
  search_told_(figures);
}

// Solves the named schedules, a random sample and the best schedules end to end, to be reported
// beside the composed times. If one of the best fails, the next best takes its place.
Expected<void> Exploration::solve_best() {
  THALLO_CHECK(measurer_->solve(composed_ones()));
  while (!measurer_->is_over()) {
    const std::vector<std::string> best = best_unsolved();
    if (best.empty()) break;
    THALLO_CHECK(measurer_->solve(best));
  }
  return {};
}

// Returns the named schedules and a random sample, restricted to schedules that have a time.
std::vector<std::string> Exploration::composed_ones() const {
  std::vector<std::string> composed;
  for (const Candidate& candidate : measurer_->candidates())
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

// Named schedules are measured in any case.
bool Exploration::keeps_pins(const std::string& hash) const {
  const auto named = std::ranges::find(named_, hash, hash_of);
  return named == named_.end() || named->keeps_pins;
}

// Returns the best schedules that were not solved yet, one for each program.
std::vector<std::string> Exploration::best_unsolved() const {
  std::vector<std::pair<double, Candidate>> sorted;
  for (Candidate& candidate : measurer_->candidates()) {
    if (!keeps_pins(candidate.hash)) continue;
    const auto seconds = measurer_->iteration_seconds(candidate.hash);
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

ExplorationEnd Exploration::end() const {
  ExplorationEnd end{.asked = request_.samples,
                     .proposed = static_cast<std::int64_t>(proposed_.size()),
                     .passed_over = static_cast<std::int64_t>(passed_over_.size()),
                     .figures = figures_,
                     .remark = remark_};
  if (request_.shard) {
    end.remark = fmt::format("shard {} of {}, counted from 0: {} of {} proposed schedules",
                             request_.shard->number, request_.shard->count, end.proposed,
                             end.proposed + num_of_other_shards_);
  }
  const std::set<std::string> proposed(proposed_.begin(), proposed_.end());
  for (const Candidate& candidate : measurer_->candidates()) {
    if (!proposed.contains(candidate.hash)) continue;
    const auto& result = candidate.result(request_.measurer.measure);
    if (!result) continue;
    if (result->is_ok())
      ++end.timed;
    else
      ++end.failed[result->status];
  }
  if (request_.measurer.resources.was_cancelled())
    end.why = ExplorationEnd::Why::Cancelled;
  else if (!has_ended_)
    end.why = ExplorationEnd::Why::OutOfTime;
  else if (end.asked && end.proposed + num_of_other_shards_ < *end.asked)
    end.why = ExplorationEnd::Why::NoMore;
  return end;
}

bool Exploration::has_measured() const {
  return std::ranges::any_of(measurer_->candidates(), [this](const Candidate& candidate) {
    return measurer_->iteration_seconds(candidate.hash).has_value();
  });
}

}  // namespace thallo
