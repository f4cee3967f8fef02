#include "core/cli/reproduce/methods.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "core/base/assets.h"
#include "core/cli/auto_target.h"
#include "core/cli/reproduce/distribution.h"
#include "core/cli/reproduce/left_out_prediction.h"
#include "core/cli/reproduce/search_modes.h"
#include "core/cli/reproduce/switched_search.h"
#include "core/cli/reproduce/timed_problem.h"
#include "core/cli/require.h"
#include "core/cli/run/wanted_program.h"
#include "core/cost/autoschedule/autoschedule.h"
#include "core/problem/run_totals.h"
#include "core/schedule/named_schedules.h"

namespace thallo::cli {
namespace {

bool is_schedule_name(std::string_view name) {
  return name == "auto" || name == "file" ||
         std::ranges::find(NamedSchedules, name) != std::end(NamedSchedules);
}

RunOptions run_options(const CaseToMeasure& its) {
  RunOptions options;
  options.problem.name = its.one.problem;
  options.backend = its.run.backend;
  options.device = its.run.device;
  options.num_threads = its.run.num_threads;
  for (const auto& [name, value] : PublishedSteps)
    options.settings.push_back(fmt::format("{}={}", name, value));
  for (const auto& [name, value] : its.input.settings)
    options.settings.push_back(name + "=" + value);
  return options;
}

MeasuredCase iteration_time(const CaseToMeasure& its) {
  const RunOptions options = run_options(its);
  const TimedProblem timed(its.run.session, options, its.input.options);
  const ExploredProblem& problem = timed.problem();
  const int num_solves = its.run.is_tiny ? 1 : 3;
  MeasuredCase measured;
  for (const Quantity& quantity : its.item.quantities) {
    const bool is_of_case = quantity.key == "time" || quantity.passes;
    const std::string& which = is_of_case ? its.one.schedule : quantity.key;
    if (!is_of_case && !is_schedule_name(which)) continue;
    const Schedule schedule =
        require(is_schedule_name(which)
                    ? choose_schedule(which, problem.file, *problem.constructs, &timed.target())
                    : problem.read(which));
    const auto executable =
        timed.compile(schedule, quantity.passes.value_or(problem.program.passes));
    measured.values[quantity.key] = 1e3 * timed.time(*executable, num_solves);
  }
  measured.conditions = timed.title() + ". " + timed.conditions(num_solves);
  return measured;
}

Run solved(const CaseToMeasure& its, const Options& options, std::optional<Precision> precision,
           const std::string& schedule) {
  RunRequest request = run_options(its).request(its.run.session);
  request.options = options;
  request.schedule = schedule;
  const auto backend = its.run.session.backend(its.run.backend, its.run.device);
  request.precision =
      precision.value_or(backend->name() == "cuda" ? Precision::Float : Precision::Double);
  return require(solve_problem(its.run.session.problem(its.one.problem), request, *backend));
}

MeasuredCase throughput(const CaseToMeasure& its) {
  MeasuredCase measured;
  for (const Quantity& quantity : its.item.quantities) {
    if (!is_schedule_name(quantity.key)) continue;
    const Run done = solved(its, its.input.options, {}, quantity.key);
    const RunTotals totals = totals_of(done.solution);
    // The solves of a pyramid have fewer.
    const std::int64_t num_unknowns =
        std::ranges::max(done.solution.solves, {}, &SolverSummary::num_unknowns).num_unknowns;
    measured.values[quantity.key] = static_cast<double>(num_unknowns) /
                                    its.one.unknowns_per_element / totals.seconds.total / 1e3;
    measured.conditions =
        fmt::format("{}: {} unknowns, {} nonlinear and {} linear iterations in {}.",
                    done.instance.title, num_unknowns, totals.iterations, totals.linear_iterations,
                    to_string(done.solution.precision));
  }
  return measured;
}

MeasuredCase digits(const CaseToMeasure& its) {
  MeasuredCase measured;
  for (const int start : {1, 2}) {
    Options from_start = its.input.options;
    from_start.set("start", start);
    const Run done = solved(its, from_start, Precision::Double, "");
    for (const Metric& metric : done.report.metrics)
      if (metric.name == "correct digits")
        measured.values[fmt::format("digits_{}", start)] = metric.value;
  }
  measured.conditions = "In double.";
  return measured;
}

// The mean is over observations, which have two residuals each.
MeasuredCase error_over_time(const CaseToMeasure& its) {
  const Run done = solved(its, its.input.options, {}, "auto");
  const SolverSummary& summary = done.solution.solves.back();
  const double num_observations = static_cast<double>(summary.num_residuals) / 2;
  const auto mse = [&](double cost) { return 2 * cost / num_observations; };
  MeasuredCase measured;
  measured.values["mse"] = mse(summary.final_cost);
  measured.values["seconds"] = summary.seconds.total;
  const auto reached = [&](const std::string& key, double margin) {
    for (const IterationRecord& record : summary.iterations) {
      if (!record.accepted || record.cost > summary.final_cost * (1 + margin)) continue;
      measured.values[key] = record.total_seconds;
      return;
    }
  };
  reached("seconds_1", 0.01);
  reached("seconds_01", 0.001);
  for (const IterationRecord& record : summary.iterations)
    if (record.accepted)
      measured.curve.emplace_back(record.total_seconds, mse(record.cost) / mse(summary.final_cost));
  measured.conditions = fmt::format(
      "{}: {} unknowns, {} residuals, {} nonlinear and {} linear iterations in {}.",
      done.instance.title, summary.num_unknowns, summary.num_residuals, summary.num_iterations,
      summary.num_linear_iterations, to_string(done.solution.precision));
  return measured;
}

// Times of a problem, predicted for the device of a spec.
class PredictedProblem {
 public:
  PredictedProblem(Session& session, const RunOptions& run, const Options& options)
      : session_(session),
        run_(run),
        request_(run_.request(session)),
        problem_(session.problem(run_.problem.name)),
        options_(require(complete_options(problem_.options(), options))),
        written_(require(problem_.energy(options_))),
        file_(with_sites(written_, request_.sites)),
        instance_(require(problem_.instantiate(file_.energy.as_written(), options_))),
        wanted_(file_, instance_, request_, {session, run_, run_.backend, Precision::Float}),
        target_(wanted_.auto_target()),
        device_(require(target_.device())),
        pricer_(plan_pricer(file_.energy, target_, device_)) {}

  // What `auto` takes by the default cost model, or a schedule with a name where that is less.
  double best_seconds() {
    double best =
        require(autoschedule(file_.energy, session_.constructs(), pricer_, target_.memory_limit))
            .seconds;
    for (const std::string_view name : NamedSchedules)
      best = std::min(best,
                      seconds(require(named_schedule(name, file_.energy, session_.constructs()))));
    return best;
  }

  // What the schedule takes that another cost model chooses.
  double seconds_of_choice_by(const CostModel& model) {
    AutoTarget other = target_;
    other.model = &model;
    PlanPricer pricer = plan_pricer(file_.energy, other, device_);
    return seconds(
        require(autoschedule(file_.energy, session_.constructs(), pricer, target_.memory_limit))
            .schedule);
  }

  const std::string& device() const { return device_.name; }

 private:
  double seconds(const Schedule& schedule) {
    return pricer_.seconds(require(make_plan(file_.energy, schedule, session_.constructs())));
  }

  Session& session_;
  RunOptions run_;
  RunRequest request_;
  const Problem& problem_;
  Options options_;
  EnergyFile written_;
  EnergyFile file_;
  Instance instance_;
  WantedProgram wanted_;
  AutoTarget target_;
  DeviceSpec device_;
  PlanPricer pricer_;
};

MeasuredCase off_optimum(const CaseToMeasure& its) {
  const CostModel& paper_model = *require(its.run.session.cost_models().lookup("roofline"));
  MeasuredCase measured;
  for (const Quantity& quantity : its.item.quantities) {
    if (!find_asset(fmt::format("devices/{}.toml", quantity.key))) continue;
    RunOptions options = run_options(its);
    options.backend = "cuda";
    options.device_spec = quantity.key;
    PredictedProblem predicted(its.run.session, options, its.input.options);
    const double best = predicted.best_seconds();
    const double chosen = predicted.seconds_of_choice_by(paper_model);
    measured.values[quantity.key] = 100 * (std::max(chosen / best, 1.0) - 1);
  }
  measured.conditions = "Predicted by the cost model analytic.";
  return measured;
}

// Those that take longer come later: an exploration takes minutes.
constexpr std::array<Method, 9> Methods = {
    {{.name = "iteration_time", .measure = iteration_time},
     {.name = "throughput", .measure = throughput},
     {.name = "digits", .measure = digits},
     {.name = "error_over_time",
      .measure = error_over_time,
      .marks = Method::Marks::Line,
      .curve_x = "seconds",
      .curve_y = "error over the least"},
     {.name = "off_optimum", .measure = off_optimum, .runs = false},
     {.name = "left_out_prediction",
      .measure = left_out_prediction,
      .runs = false,
      .marks = Method::Marks::Scatter,
      .curve_x = "predicted, ms",
      .curve_y = "measured, ms"},
     {.name = "search_modes", .measure = search_modes, .has_parts = true},
     {.name = "switched_search", .measure = switched_search, .runs = false, .has_parts = true},
     {.name = "distribution",
      .measure = measure_distribution,
      .marks = Method::Marks::Line,
      .curve_x = "share of the schedules",
      .curve_y = "ms of a nonlinear iteration, at most"}}};

}  // namespace

const Method* find_method(std::string_view name) {
  const auto found = std::ranges::find(Methods, name, &Method::name);
  return found == Methods.end() ? nullptr : &*found;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& method : Methods) names.emplace_back(method.name);
  return names;
}

std::size_t order_of(const Method& method) {
  return static_cast<std::size_t>(&method - Methods.data());
}

}  // namespace thallo::cli
