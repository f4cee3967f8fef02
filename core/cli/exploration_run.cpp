#include "core/cli/exploration_run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/cli/interrupt.h"
#include "core/cli/progress_bar.h"
#include "core/cli/require.h"
#include "core/cli/table.h"
#include "core/cost/spec_file.h"
#include "core/explore/search.h"
#include "core/explore/work/explored_problem.h"
#include "core/problem/choose_schedule.h"
#include "core/schedule/named_schedules.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

struct NamedProposal {
  std::string name;
  Proposal proposal;
};

std::string microseconds(std::optional<double> seconds) {
  return seconds && std::isfinite(*seconds) ? fmt::format("{:.2f}", 1e6 * *seconds) : "-";
}
Json number(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

class ExplorationRun {
 public:
  ExplorationRun(Session& session, const ExplorationRequest& request)
      : request_(request),
        explorer_(open(request)),
        problem_(require(ExploredProblem::open(session, explorer_.target()))),
        full_(problem_.file.energy, *problem_.constructs, problem_.precision) {
    add_searches(searches_);
    explorer_.on_progress([this](const ExplorerProgress& p) { show(p); });
  }

  ExitCode run() {
    const Search& search = *require(searches_.lookup(request_.search));
    find_named();
    SearchSpace space{
        .energy = problem_.file.energy,
        .constructs = *problem_.constructs,
        .full = full_,
        .indexed = request_.space,
        .samples = request_.samples,
        .seed = request_.seed,
        .seconds = [this](const std::string& hash) { return explorer_.seconds(hash); }};
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
    if (request_.measure == MeasureBy::Steps) require(explorer_.solve(worth_solving()));
    bar_.reset();
    if (!has_measured()) {
      throw UserError(
          "the budget was used up before one schedule was looked at: allow more time "
          "with --budget");
    }
    request_.json ? print_json() : print_text();
    return ExitCode::Ok;
  }

 private:
  static Explorer open(const ExplorationRequest& request) {
    ExplorerOptions options{.store = request.store,
                            .worker_command = {"/proc/self/exe", "worker"},
                            .measure = request.measure,
                            .budget = request.budget};
    options.jobs = request.jobs > 0
                       ? request.jobs
                       : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    options.is_cancelled = &interrupt().is_interrupted();
    return require(Explorer::open(request.target, options));
  }
  static InterruptWatch& interrupt() {
    static InterruptWatch watch;
    return watch;
  }

  // The schedules that every report marks.
  void find_named() {
    std::vector<std::string> names(std::begin(NamedSchedules), std::end(NamedSchedules));
    if (!problem_.file.schedule.empty()) names.emplace_back("file");
    for (const std::string& name : names) {
      auto schedule = choose_schedule(name, problem_.file, *problem_.constructs);
      if (!schedule || !problem_.plan_of(*schedule)) continue;
      named_.push_back({name, Proposal::of(*std::move(schedule), *problem_.constructs)});
    }
  }

  // The best, the named ones and a random sample: what is run end to end beside the sums.
  std::vector<std::string> worth_solving() const {
    std::vector<std::pair<double, std::string>> ok;
    for (const Candidate& candidate : explorer_.candidates()) {
      if (candidate.composed && candidate.composed->is_ok())
        ok.emplace_back(candidate.composed->nonlinear_seconds, candidate.hash);
    }
    std::ranges::sort(ok);
    std::vector<std::string> hashes;
    std::set<std::string> seen;
    const auto add = [&](const std::string& hash) {
      if (seen.insert(hash).second) hashes.push_back(hash);
    };
    for (std::size_t i = 0; i < std::min(ok.size(), static_cast<std::size_t>(request_.num_best));
         ++i)
      add(ok[i].second);
    for (const NamedProposal& named : named_) {
      if (std::ranges::find(ok, named.proposal.hash, &std::pair<double, std::string>::second) !=
          ok.end())
        add(named.proposal.hash);
    }
    Random random(request_.seed);
    for (int i = 0; i < request_.num_random && !ok.empty(); ++i)
      add(ok[random.below(ok.size())].second);
    return hashes;
  }

  bool has_measured() const {
    return std::ranges::any_of(explorer_.candidates(), [this](const Candidate& candidate) {
      return explorer_.seconds(candidate.hash).has_value();
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

  std::string name_of(const std::string& hash) const {
    std::string names;
    for (const NamedProposal& named : named_)
      if (named.proposal.hash == hash) names += (names.empty() ? "" : ", ") + named.name;
    return names;
  }

  void print_text() const {
    const std::vector<Candidate> candidates = explorer_.candidates();
    std::vector<const Candidate*> sorted;
    std::map<std::string, int> failures;
    for (const Candidate& candidate : candidates) {
      const auto seconds = explorer_.seconds(candidate.hash);
      if (seconds && std::isfinite(*seconds)) {
        sorted.push_back(&candidate);
      } else if (const auto& result = result_of(candidate)) {
        ++failures[fmt::format("{}: {}", to_string(result->status), result->reason)];
      }
    }
    std::ranges::stable_sort(sorted, {}, [this](const Candidate* candidate) {
      return *explorer_.seconds(candidate->hash);
    });
    fmt::print("{}, {}, on {}\n", explorer_.problem().name, explorer_.problem().title,
               explorer_.device().name);
    fmt::print("{} schedules of {} different steps; {} steps were measured now\n\n",
               candidates.size(), explorer_.num_steps(), explorer_.num_measured());
    Table table({{"schedule", Table::Align::Left},
                 {"composed us"},
                 {"end to end us"},
                 {"analytic us"},
                 {"roofline us"},
                 {"", Table::Align::Left}});
    std::size_t shown = 0;
    for (const Candidate* candidate : sorted) {
      const std::string names = name_of(candidate->hash);
      if (shown >= 10 && names.empty()) continue;
      ++shown;
      table.add({candidate->index.value_or(candidate->hash.substr(0, 12)),
                 microseconds(of(candidate->composed)), microseconds(of(candidate->end_to_end)),
                 microseconds(predicted(*candidate, "analytic")),
                 microseconds(predicted(*candidate, "roofline")), names});
    }
    fmt::print("{}", table.text(2));
    if (!sorted.empty()) fmt::print("\nthe fastest:\n{}", indented(sorted.front()->text));
    for (const auto& [why, count] : failures) fmt::print("\n{} not measured: {}\n", count, why);
  }

  static std::string indented(const std::string& text) {
    if (text.empty()) return "  the default schedule: no directive\n";
    std::string result = "  ";
    for (const char c : text.substr(0, text.size() - 1)) {
      result += c;
      if (c == '\n') result += "  ";
    }
    return result + "\n";
  }

  static std::optional<double> of(const std::optional<ScheduleResult>& result) {
    if (!result || !result->is_ok()) return {};
    return result->nonlinear_seconds;
  }
  static std::optional<double> predicted(const Candidate& candidate, const std::string& model) {
    const auto found = candidate.predictions.find(model);
    if (found == candidate.predictions.end()) return {};
    return found->second.nonlinear_seconds;
  }
  static const std::optional<ScheduleResult>& result_of(const Candidate& candidate) {
    return candidate.end_to_end ? candidate.end_to_end : candidate.composed;
  }

  void print_json() const {
    Json json = {{"problem", explorer_.problem().name},
                 {"signature", explorer_.problem().signature},
                 {"title", explorer_.problem().title},
                 {"space", request_.space ? Json(request_.space->id()) : Json("full")},
                 {"device", explorer_.device().name},
                 {"steps", explorer_.num_steps()},
                 {"measured", explorer_.num_measured()},
                 {"marks", Json::object()},
                 {"candidates", Json::array()}};
    for (const NamedProposal& named : named_) json["marks"][named.name] = named.proposal.hash;
    for (const Candidate& candidate : explorer_.candidates()) {
      const auto& result = result_of(candidate);
      Json models = Json::object();
      for (const auto& [model, prediction] : candidate.predictions)
        models[model] = number(prediction.nonlinear_seconds);
      json["candidates"].push_back({{"index", candidate.index ? Json(*candidate.index) : Json()},
                                    {"hash", candidate.hash},
                                    {"seconds", number(explorer_.seconds(candidate.hash))},
                                    {"composed", number(of(candidate.composed))},
                                    {"end_to_end", number(of(candidate.end_to_end))},
                                    {"predicted", models},
                                    {"status", result ? Json(to_string(result->status)) : Json()},
                                    {"reason", result ? result->reason : ""},
                                    {"schedule", candidate.text}});
    }
    fmt::print("{}\n", json.dump(2));
  }

  const ExplorationRequest& request_;
  Explorer explorer_;
  ExploredProblem problem_;
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
