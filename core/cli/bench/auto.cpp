#include "core/cli/bench/auto.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/seconds_since.h"
#include "core/cli/output/progress_bar.h"
#include "core/cli/require.h"
#include "core/cli/run/supposed_target.h"
#include "core/cli/run/wanted_program.h"
#include "core/cost/autoschedule/autoschedule.h"
#include "core/explore/measure/statistics.h"
#include "core/schedule/named_schedules.h"
#include "core/search/schedule_space.h"

namespace thallo::cli {
namespace {

constexpr int NumChoices = 100;
// Targets in seconds: a choice takes at most ChoiceOfFewNodes if its energy has fewer than FewNodes
// nodes, and at most AllIn if the energy is newly loaded.
constexpr std::size_t FewNodes = 200;
constexpr double ChoiceOfFewNodes = 1e-3;
constexpr double AllIn = 20e-3;
// Plans are priced in a search: of the problems the median should reach this number a second.
constexpr double PlansPerSecond = 1000;
constexpr std::uint64_t NumPlans = 1000;

using Clock = std::chrono::steady_clock;

struct Choosing {
  std::size_t num_nodes = 0;
  std::vector<double> all_in;  // seconds, each for a newly loaded energy
  std::vector<double> again;   // with the facts that the previous choice found
  std::set<std::string> schedules;
  double of_auto = 0, of_default = 0, of_opt = 0;  // predicted seconds per nonlinear iteration
  double plans_per_second = 0;                     // priced, drawn at random

  bool is_in_time() const {
    return median(all_in) <= AllIn && (num_nodes >= FewNodes || median(again) <= ChoiceOfFewNodes);
  }
};

class ProblemChoices {
 public:
  ProblemChoices(Session& session, const RunOptions& run, const Problem& problem)
      : session_(session),
        problem_(problem),
        request_(run.request(session)),
        supposed_(supposed_target(run, request_)),
        options_(require(complete_options(problem_.options(), {}))),
        file_(require(problem_.energy(options_))),
        instance_(require(problem_.instantiate(file_.energy.as_written(), options_))),
        wanted_(file_, instance_, request_, {session, run, run.backend, supposed_.precision}),
        target_(wanted_.auto_target()),
        device_(require(target_.device())),
        // Statistics of the maps as they are bound, used by all runs.
        statistics_(map_statistics(file_.energy, instance_.binding)) {}

  Choosing run() {
    Choosing choosing{.num_nodes = file_.energy.graph().size()};
    for (int i = 0; i < NumChoices; ++i) choose(choosing);
    predict_others(choosing);
    price_plans(choosing);
    return choosing;
  }
  const DeviceSpec& device() const { return device_; }

 private:
  PlanPricer pricer_of(const Energy& energy) const {
    return plan_pricer(energy, target_, device_, statistics_);
  }

  // Loads the energy anew, because an energy caches what was found out about it.
  void choose(Choosing& choosing) {
    const EnergyFile loaded = require(problem_.energy(options_));
    const auto start = Clock::now();
    const EnergyFile file = with_sites(loaded, request_.sites);
    PlanPricer pricer = pricer_of(file.energy);
    const AutoSchedule chosen =
        require(autoschedule(file.energy, session_.constructs(), pricer, target_.memory_limit));
    choosing.all_in.push_back(seconds_since(start));
    choosing.of_auto = chosen.seconds;
    choosing.schedules.insert(chosen.schedule.text(session_.constructs()));
    const auto again = Clock::now();
    const AutoSchedule same =
        require(autoschedule(file.energy, session_.constructs(), pricer, target_.memory_limit));
    choosing.again.push_back(seconds_since(again));
    choosing.schedules.insert(same.schedule.text(session_.constructs()));
  }

  void predict_others(Choosing& choosing) const {
    const EnergyFile file = with_sites(file_, request_.sites);
    PlanPricer pricer = pricer_of(file.energy);
    const auto predicted = [&](const char* name) {
      const Schedule schedule = require(named_schedule(name, file.energy, session_.constructs()));
      const Plan plan = require(make_plan(file.energy, schedule, session_.constructs()));
      return pricer.seconds(plan);
    };
    choosing.of_default = predicted("default");
    choosing.of_opt = predicted("opt");
  }

  // By a new pricer. Drawing the plans is not in the time.
  void price_plans(Choosing& choosing) const {
    const EnergyFile file = with_sites(file_, request_.sites);
    const ScheduleSpace space(file.energy, session_.constructs(), target_.program.precision);
    std::vector<Plan> plans;
    for (std::uint64_t seed = 1; seed <= NumPlans; ++seed) {
      Plan plan = space.sample(seed).plan;
      if (check_program(plan, target_.program)) plans.push_back(std::move(plan));
    }
    PlanPricer pricer = pricer_of(file.energy);
    double seconds = 0;
    const auto start = Clock::now();
    for (const Plan& plan : plans) seconds += pricer.seconds(plan);
    THALLO_ASSERT(seconds > 0);
    choosing.plans_per_second = static_cast<double>(plans.size()) / seconds_since(start);
  }

  Session& session_;
  const Problem& problem_;
  RunRequest request_;
  SupposedTarget supposed_;
  Options options_;
  EnergyFile file_;
  Instance instance_;
  WantedProgram wanted_;
  AutoTarget target_;
  DeviceSpec device_;
  std::map<MapId, MapStatistics> statistics_;
};

std::string late_text(const std::vector<std::string>& late) {
  if (late.empty()) return "All problems are in time.";
  std::string text = "Not in time: ";
  for (const std::string& name : late) text += (name == late.front() ? "" : ", ") + name;
  return text + ".";
}

}  // namespace

DataTable bench_auto(Session& session, std::span<const Problem* const> problems,
                     const RunOptions& run) {
  DataTable table("auto", "Choosing the schedule auto",
                  {{"problem", "problem"},
                   {"nodes", "nodes"},
                   {"facts_ms", "ms, facts of a new energy", "{:.2f}"},
                   {"choice_ms", "ms, choice", "{:.2f}"},
                   {"all_in_ms", "ms, all in", "{:.2f}"},
                   {"schedules", "schedules"},
                   {"predicted_us", "µs, predicted", "{:.1f}"},
                   {"default_over_auto", "default / auto", "{:.2f}"},
                   {"opt_over_auto", "opt / auto", "{:.2f}"},
                   {"plans_per_second", "plans/s", "{:.0f}"}});
  ProgressBar bar("auto", static_cast<std::int64_t>(problems.size()));
  std::int64_t num_done = 0;
  std::vector<std::string> late;
  std::vector<double> plans_per_second;
  std::string device;
  for (const Problem* problem : problems) {
    const std::string& name = problem->info().name;
    bar.update(num_done++, name);
    ProblemChoices choices(session, run, *problem);
    const Choosing c = choices.run();
    device = choices.device().name;
    if (!c.is_in_time()) late.push_back(name);
    const double all_in = median(c.all_in);
    const double again = median(c.again);
    table.add({name, static_cast<std::int64_t>(c.num_nodes), 1e3 * (all_in - again), 1e3 * again,
               1e3 * all_in, static_cast<std::int64_t>(c.schedules.size()), 1e6 * c.of_auto,
               c.of_default / c.of_auto, c.of_opt / c.of_auto, c.plans_per_second});
    plans_per_second.push_back(c.plans_per_second);
  }
  table.note(fmt::format(
      "For {}. Medians of {} choices, each of an energy loaded anew, and each taken again with the "
      "facts and prices known; the column schedules says how many different ones they were. "
      "Statistics of maps are not in the times. A choice should take {:.0f} ms for fewer than {} "
      "nodes, and {:.0f} ms "
      "all in. Times of a nonlinear iteration are predicted.",
      device, NumChoices, 1e3 * ChoiceOfFewNodes, FewNodes, 1e3 * AllIn));
  table.note(late_text(late));
  table.note(
      fmt::format("The last column: how many of {} plans, drawn at random, are priced in a "
                  "second. The median is {:.0f} and should be {:.0f}.",
                  NumPlans, median(plans_per_second), PlansPerSecond));
  return table;
}

}  // namespace thallo::cli
