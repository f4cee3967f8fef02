// thallo verify PROBLEM: compiles schedules of a problem and compares their results with the
// energy's definition.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/base/json_fields.h"
#include "core/base/parse_number.h"
#include "core/cli/commands/command.h"
#include "core/cli/flags/problem_options.h"
#include "core/cli/flags/run_options.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/progress_bar.h"
#include "core/cli/require.h"
#include "core/cli/run/wanted_program.h"
#include "core/diff/displacement.h"
#include "core/explore/verify/verification.h"
#include "core/problem/non_finite.h"
#include "core/search/schedule_space.h"

namespace thallo::cli {
namespace {

using json_fields::Json;

// Larger spaces are not enumerated.
constexpr std::int64_t MaxWalked = 100'000;
// By default, all schedules are verified. If there are more than DefaultSample, that many are
// drawn, and none is begun after DefaultSeconds.
constexpr std::int64_t DefaultSample = 20;
constexpr double DefaultSeconds = 10;
constexpr std::size_t MaxShown = 5;

struct VerifyFlags {
  RunOptions run;
  std::unique_ptr<ProblemOptions> problem_options;
  bool all = false;
  bool full = false;
  std::optional<std::int64_t> sample;
  std::uint64_t seed = 1;
  std::int64_t jobs = 0;
  std::optional<double> time_limit;
  bool json = false;
};

struct Failure {
  std::string schedule;
  std::string errors;
};
THALLO_FIELDS(Failure, schedule, errors)

// The results of all schedules together. Most schedules must meet one tolerance; those that store
// products in a lower precision declare a larger tolerance for JtJp.
struct Outcome {
  std::int64_t verified = 0;
  std::int64_t verified_throughout = 0;  // of these, those whose JtJp meets the one tolerance too
  std::int64_t mismatched = 0;
  std::int64_t out_of_range = 0;  // the energy's own value overflows a stored half
  std::string why_out_of_range;   // for the first of them
  std::int64_t not_run = 0;       // their data do not fit into memory
  std::string why_not;            // for the first of them
  double worst = 0;               // the largest error checked against the one tolerance
  double worst_of_products = 0;   // the largest error of JtJp against a declared tolerance
  double of_products = 0;         // the largest declared tolerance
  std::vector<Failure> shown;
};

Outcome outcome_of(const std::vector<VerifiedSchedule>& results, double tolerance,
                   const ConstructRegistry& constructs) {
  Outcome all;
  for (const VerifiedSchedule& result : results) {
    if (result.verdict == Verdict::NotRun) {
      if (all.not_run++ == 0) all.why_not = result.why;
      continue;
    }
    if (result.verdict == Verdict::OutOfRange) {
      if (all.out_of_range++ == 0) all.why_out_of_range = result.why;
      continue;
    }
    const bool declares_more = result.product_tolerance > tolerance;
    double& worst_of_products = declares_more ? all.worst_of_products : all.worst;
    all.worst = std::max(all.worst, result.errors.worst_of_working());
    worst_of_products = std::max(worst_of_products, result.errors.worst_of_products());
    if (declares_more) all.of_products = std::max(all.of_products, result.product_tolerance);
    if (result.verdict == Verdict::Verified) {
      ++all.verified;
      if (!declares_more) ++all.verified_throughout;
      continue;
    }
    ++all.mismatched;
    if (all.shown.size() < MaxShown) {
      all.shown.push_back({result.schedule.text(constructs), result.errors.text()});
    }
  }
  return all;
}

struct Shown {
  std::string_view backend;
  std::string small;  // options of the small instance; empty: the user's own
  std::string space;  // says which schedules
  std::int64_t num_near_switches = 0;
  double tolerance = 0;
  double seconds = 0;
};

void show_json(const VerifyFlags& flags, const Shown& shown, const Outcome& outcome,
               const VerificationSpeed& speed) {
  print_json(Json{{"problem", flags.run.problem.name},
                  {"backend", shown.backend},
                  {"small_instance", shown.small},
                  {"space", shown.space},
                  {"verified", outcome.verified},
                  {"verified_throughout", outcome.verified_throughout},
                  {"mismatched", outcome.mismatched},
                  {"out_of_range", outcome.out_of_range},
                  {"why_out_of_range", outcome.why_out_of_range},
                  {"not_run", outcome.not_run},
                  {"points_near_switches", shown.num_near_switches},
                  {"worst_error", outcome.worst},
                  {"tolerance", shown.tolerance},
                  {"worst_error_of_products", outcome.worst_of_products},
                  {"tolerance_of_products", std::max(shown.tolerance, outcome.of_products)},
                  {"seconds", shown.seconds},
                  {"kernels",
                   {{"all", speed.num_kernels},
                    {"distinct", speed.num_distinct},
                    {"compiled", speed.num_compiled},
                    {"warned", speed.num_warned}}},
                  {"thread_seconds",
                   {{"lower", speed.lower_seconds},
                    {"compile", speed.compile_seconds},
                    {"run", speed.run_seconds}}},
                  {"mismatches", json_fields::plain(outcome.shown)}});
}

void show_text(const VerifyFlags& flags, const Shown& shown, const Outcome& outcome,
               const VerificationSpeed& speed) {
  fmt::print("{} on {}, {}{}\nverified {}, mismatched {}, out of range {}, ",
             flags.run.problem.name, shown.backend,
             shown.small.empty() ? "" : fmt::format("its small instance ({}), ", shown.small),
             shown.space, outcome.verified, outcome.mismatched, outcome.out_of_range);
  fmt::print("worst error {:.2e} (allowed {:.0e})\n", outcome.worst, shown.tolerance);
  if (outcome.of_products > 0) {
    fmt::print(
        "of the verified {} are within {:.0e} throughout, {} with JtJp within what they declare: "
        "worst error {:.2e} (allowed {:.0e})\n",
        outcome.verified_throughout, shown.tolerance,
        outcome.verified - outcome.verified_throughout, outcome.worst_of_products,
        outcome.of_products);
  } else if (outcome.verified > 0) {
    fmt::print("all verified are within {:.0e} throughout\n", shown.tolerance);
  }
  if (outcome.out_of_range > 0) fmt::print("out of range: {}\n", outcome.why_out_of_range);
  if (shown.num_near_switches > 0) {
    fmt::print("at {} points a comparison is within {:g} of where it switches\n",
               shown.num_near_switches, SwitchMargin);
  }
  if (outcome.not_run > 0) fmt::print("not run {}: {}\n", outcome.not_run, outcome.why_not);
  fmt::print("{:.1f} s", shown.seconds);
  if (speed.num_distinct > 0) {  // the interpreter compiles none
    fmt::print("; {} kernels, {} distinct, {} compiled, {} with warnings", speed.num_kernels,
               speed.num_distinct, speed.num_compiled, speed.num_warned);
  }
  fmt::print("\n");
  for (const Failure& mismatch : outcome.shown) {
    fmt::print("\n{}{}\n", mismatch.schedule.empty() ? "-- default\n" : mismatch.schedule,
               mismatch.errors);
  }
}

// The schedules to verify, with a description of them.
struct Selection {
  std::string what;
  std::int64_t count = 0;
  std::function<ScheduleToVerify(std::int64_t)> schedule;  // by number
};

// Returns the seed of one schedule. The schedules of a run have different seeds, and runs with
// another `seed` share none of them, for up to a million schedules.
std::uint64_t seed_of(std::int64_t schedule, std::uint64_t seed) {
  return seed * 1'000'003 + static_cast<std::uint64_t>(schedule);
}

ScheduleToVerify to_verify(ScheduleSpace::Sample sample, std::uint64_t seed) {
  return {std::move(sample.schedule), std::move(sample.plan), seed};
}

Selection select_sample(const ScheduleSpace& space, std::int64_t count, std::uint64_t seed) {
  return {fmt::format("a sample of {} schedules, seed {}", count, seed), count,
          [&space, seed](std::int64_t i) {
            return to_verify(space.sample(seed_of(i, seed)), seed_of(i, seed));
          }};
}

// Returns nothing if there are more than `most` schedules.
std::optional<Selection> select_all(const ScheduleSpace& space, std::uint64_t seed,
                                    std::int64_t most) {
  std::vector<ScheduleSpace::Sample> walked;
  space.visit([&](const Schedule& schedule, const Plan& plan) {
    walked.push_back({schedule, plan});
    return static_cast<std::int64_t>(walked.size()) <= most;
  });
  const auto count = static_cast<std::int64_t>(walked.size());
  if (count > most) return std::nullopt;
  return Selection{fmt::format("all {} schedules, low-level stage drawn, seed {}", count, seed),
                   count, [&space, seed, walked = std::move(walked)](std::int64_t i) {
                     const auto& [schedule, plan] = walked[static_cast<std::size_t>(i)];
                     return to_verify(space.complete(schedule, plan, seed_of(i, seed)),
                                      seed_of(i, seed));
                   }};
}

Selection select_one(const EnergyFile& sited, const RunRequest& request, const AutoTarget& target,
                     std::uint64_t seed) {
  const ScheduleToVerify schedule{
      require(choose_schedule(request.schedule, sited, *request.constructs, &target)),
      require(plan_of(sited, request, &target)), seed};
  return {"schedule " + request.schedule, 1, [schedule](std::int64_t) { return schedule; }};
}

// The completed options of the problem. They select its small instance, unless the user set one of
// the options that make it small.
struct ChosenInstance {
  Options options;
  std::string small;  // see Shown
};

ChosenInstance choose_instance(const Problem& problem, const Options& given, bool full) {
  Options complete = require(complete_options(problem.options(), given));
  const Options small = problem.small_options(complete);
  const std::vector<std::string> names = small.names();
  const bool is_chosen = std::ranges::any_of(names, [&](const std::string& name) {
    const PropertyValue* wanted = given.find_value(name);
    return wanted != nullptr && *wanted != *small.find_value(name);
  });
  if (full || is_chosen || names.empty()) return {std::move(complete), ""};
  Options shown;
  for (const std::string& name : names) {
    const PropertyValue& value = *small.find_value(name);
    complete.set(name, value);
    if (!to_string(value).empty()) shown.set(name, value);
  }
  return {std::move(complete), shown.text()};
}

Selection select(const VerifyFlags& flags, const ScheduleSpace& space, std::uint64_t seed) {
  if (flags.sample) return select_sample(space, *flags.sample, seed);
  if (auto all = select_all(space, seed, flags.all ? MaxWalked : DefaultSample))
    return *std::move(all);
  if (flags.all) {
    throw UserError(fmt::format("'{}' has more than {} schedules: verify a --sample of them",
                                flags.run.problem.name, MaxWalked));
  }
  return select_sample(space, DefaultSample, seed);
}

// Returns 0 if there is no limit.
double time_limit_of(const VerifyFlags& flags) {
  const bool chooses = flags.all || flags.sample || !flags.run.schedule.empty();
  return flags.time_limit.value_or(chooses ? 0 : DefaultSeconds);
}

void check_selection(const VerifyFlags& flags) {
  std::vector<std::string_view> given;
  if (!flags.run.schedule.empty()) given.emplace_back("--schedule");
  if (flags.all) given.emplace_back("--all");
  if (flags.sample) given.emplace_back("--sample");
  if (given.size() > 1)
    throw UserError(fmt::format("{} exclude each other", fmt::join(given, " and ")));
}

ExitCode run_verify(Session& session, const VerifyFlags& flags) {
  check_selection(flags);
  const auto start = std::chrono::steady_clock::now();
  const Problem& problem = flags.run.problem.open(session);
  const auto [options, small] =
      choose_instance(problem, flags.problem_options->values(), flags.full);
  const EnergyFile file = require(problem.energy(options));
  const Instance instance = require(problem.instantiate(file.energy, options));
  require(instance.binding.validate(file.energy));
  const RunRequest request = flags.run.request(session);
  CompileOptions compile = request.compile;
  compile.precision = request.precision.value_or(Precision::Double);
  if (const auto cause = find_non_finite(file.energy, instance.binding, compile.precision, {})) {
    throw UserError(fmt::format(
        "nothing can be compared at the start, since a residual is not finite there: {}", *cause));
  }

  const std::uint64_t seed = drawing_seed(options, flags.seed);
  const auto backend = session.backend(flags.run.backend, flags.run.device);
  require(check_precision(*backend, request.precision));
  const bool in_double = compile.precision == Precision::Double || !backend->has_float();
  // Displaces the unknowns, because the start is a special point: for example, a difference of 0
  // under a p-norm has an unbounded weight. Also, near the switching point of a comparison, float
  // may decide differently than double.
  ProgressBar preparing("the energy's own values", 0);
  preparing.update(0);
  const OffSwitches displaced = displaced_off_switches(file.energy, instance.binding, seed);
  const EnergyFile sited = with_sites(file, request.sites);
  const double tolerance = in_double ? DoubleTolerance : FloatTolerance;
  Verification verification(sited.energy, displaced.binding, *backend, compile, tolerance,
                            request.passes);
  preparing.clear();

  const ScheduleSpace space(sited.energy, session.constructs(), compile.precision);
  const Selection selection = [&] {
    if (!request.schedule.empty()) {
      const WantedProgram wanted(sited, instance, request,
                                 {session, flags.run, flags.run.backend, compile.precision});
      return select_one(sited, request, wanted.auto_target(), seed);
    }
    return select(flags, space, seed);
  }();

  ProgressBar bar("verify", selection.count);
  const auto results =
      verification.run(selection.count, static_cast<int>(flags.jobs), time_limit_of(flags),
                       selection.schedule, [&](std::int64_t done) { bar.update(done); });
  bar.clear();
  std::string what = selection.what;
  if (const auto done = static_cast<std::int64_t>(results.size()); done < selection.count)
    what += fmt::format(", {} of them before time was up", done);
  const Outcome outcome = outcome_of(results, tolerance, session.constructs());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const Shown shown{backend->name(), small, what, displaced.num_near, tolerance, elapsed.count()};
  (flags.json ? show_json : show_text)(flags, shown, outcome, verification.speed());
  return outcome.mismatched == 0 && outcome.verified > 0 ? ExitCode::Ok : ExitCode::GoalMissed;
}

}  // namespace

Command add_verify_command(CLI::App& app, Session& session, const Problem* problem) {
  auto flags = std::make_shared<VerifyFlags>();
  CLI::App* command =
      app.add_subcommand("verify", "compare what schedules compute with the energy's definition");
  flags->run.add_schedule_flags_to(*command);
  command->get_option("--schedule")
      ->description(
          "this one alone: default, opt, published-default, auto, file (the energy text's own) or\n"
          "the path of a .sched file [some or all schedules, see --sample]");
  flags->problem_options = std::make_unique<ProblemOptions>(*command, problem);
  const std::string group = "Which schedules";
  command
      ->add_flag(
          "--all", flags->all,
          "each once, its low-level stage drawn at random [this, where there are at most 20]")
      ->group(group);
  add_count(*command, "--sample", flags->sample,
            "so many, drawn at random from all stages [20, where there are more]", Unlimited, 1)
      ->group(group);
  const std::string seeded = "the schedules drawn, the point and p where they are compared";
  // If the problem draws its input, it has the option --seed itself.
  if (CLI::Option* of_problem = command->get_option_no_throw("--seed")) {
    of_problem->description(fmt::format("{}\nAlso of {}.", of_problem->get_description(), seeded));
  } else {
    add_count(*command, "--seed", flags->seed, fmt::format("of {} [1]", seeded))->group(group);
  }
  add_count(*command, "--jobs", flags->jobs, "schedules at a time; 0 = as many as cores [0]");
  add_value(*command, "--time-limit", flags->time_limit, "SECONDS",
            "seconds after which no more schedules are begun; 0 = none [0; 10 where the\n"
            "schedules are not chosen]")
      ->check([](const std::string& text) -> std::string {
        const auto seconds = parse_number<double>(text);
        if (seconds && *seconds >= 0) return "";
        return fmt::format("'{}' is no number of seconds, at least 0", text);
      });
  command->add_flag("--full", flags->full,
                    "the problem's own instance, where otherwise a small one is taken unless an\n"
                    "option of its size or its files is given");
  command->add_flag("--json", flags->json, "one JSON object on stdout instead of text");
  command->footer(R"(Examples:
  thallo verify curve_fit
  thallo verify image_warping --sample 200 --backend interpreter
  thallo verify image_warping --size 48 --schedule opt --backend cuda --float

In double unless --float is given. An entry of JtF, d, JtJp or the blocks of JtJ is compared relative
to the magnitude of all that is rounded on the way to it: at most 1e-14 in double, 2e-6 in float. JtJp
may be off by more where a schedule keeps stored products in less: 1e-6 with precision("single"), 1e-5
where these are vectors, 4e-3 with "half", beside what halves lose of numbers below 6e-5. One schedule
drawn in four may do so. A schedule is out of range where it keeps in halves what is beyond 65504: that
is no mismatch, and a solve with it says so.
Exit code: 0, or 1 when a schedule computes something else or none was verified.)");
  return {command, [&session, flags] { return run_verify(session, *flags); }};
}

}  // namespace thallo::cli
