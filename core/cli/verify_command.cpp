// thallo verify PROBLEM: compiles schedules of a problem and compares what each computes with the
// energy's definition.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/cli/command.h"
#include "core/cli/count_check.h"
#include "core/cli/problem_options.h"
#include "core/cli/progress_bar.h"
#include "core/cli/require.h"
#include "core/cli/run_options.h"
#include "core/diff/check.h"
#include "core/explore/conformance.h"
#include "core/explore/schedule_space.h"
#include "core/kernel/lower.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

// What an entry may be off, relative to the sum of the magnitudes that make it.
constexpr double DoubleTolerance = 1e-10;
constexpr double FloatTolerance = 1e-4;
// More schedules than this are not walked.
constexpr std::int64_t MaxWalked = 100'000;
constexpr std::size_t MaxShown = 5;

// Everything a linearization can have: damping, and a block for each element.
constexpr ProgramOptions Program{SolverKind::LevenbergMarquardt, PreconditionerKind::BlockJacobi,
                                 LinearSolverKind::Pcg};

struct VerifyFlags {
  RunOptions run;
  std::unique_ptr<ProblemOptions> problem_options;
  bool all = false;
  std::int64_t sample = 0;
  std::uint64_t seed = 1;
  bool json = false;
};

struct Mismatch {
  std::string schedule;
  std::string errors;
};

struct Verification {
  std::int64_t verified = 0;
  std::int64_t mismatched = 0;
  std::int64_t not_run = 0;  // their data do not fit
  std::string why_not;       // of the first of them
  double worst = 0;
  double of_products = 0;  // the largest tolerance that a schedule declares
  std::vector<Mismatch> shown;
};

class Verifier {
 public:
  // The energy as schedules see it.
  Verifier(Session& session, const Energy& energy, const Binding& binding, Backend& backend,
           const CompileOptions& compile)
      : session_(session),
        energy_(energy),
        binding_(binding),
        backend_(backend),
        compile_(compile),
        truth_(energy.as_written(), binding),
        tolerance_(compile.double_precision || backend.name() == "interpreter" ? DoubleTolerance
                                                                               : FloatTolerance) {}

  void verify(const Schedule& schedule, const Plan& plan, std::uint64_t seed) {
    auto executable = require(backend_.compile(make_program(energy_, plan, Program), compile_));
    if (const auto bound = executable->bind(binding_); !bound) {
      if (result_.not_run++ == 0) result_.why_not = bound.error().message();
      return;
    }
    const ConformanceErrors errors = truth_.errors_of(*executable, seed);
    result_.worst = std::max(result_.worst, errors.worst());
    result_.of_products = std::max(result_.of_products, plan.product_tolerance);
    if (errors.within(tolerance_, plan)) {
      ++result_.verified;
      return;
    }
    ++result_.mismatched;
    if (result_.shown.size() < MaxShown) {
      result_.shown.push_back({schedule.text(session_.constructs()), errors.text()});
    }
  }

  double tolerance() const { return tolerance_; }
  const Verification& result() const { return result_; }

 private:
  Session& session_;
  const Energy& energy_;
  const Binding& binding_;
  Backend& backend_;
  CompileOptions compile_;
  OperatorTruth truth_;
  double tolerance_;
  Verification result_;
};

void verify_all(const ScheduleSpace& space, std::int64_t count, Verifier& verifier,
                ProgressBar& bar) {
  std::int64_t done = 0;
  space.visit([&](const Schedule& schedule, const Plan& plan) {
    verifier.verify(schedule, plan, 1);
    bar.update(++done);
    return done < count;
  });
}

void verify_sample(const ScheduleSpace& space, std::int64_t count, std::uint64_t seed,
                   Verifier& verifier, ProgressBar& bar) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto own_seed = seed * 1'000'003 + static_cast<std::uint64_t>(i);
    const ScheduleSpace::Sample sample = space.sample(own_seed);
    verifier.verify(sample.schedule, sample.plan, own_seed);
    bar.update(i + 1);
  }
}

void show(const VerifyFlags& flags, const Verifier& verifier, std::string_view backend,
          const std::string& space) {
  const Verification& result = verifier.result();
  if (flags.json) {
    Json json = {{"problem", flags.run.problem},
                 {"backend", backend},
                 {"space", space},
                 {"verified", result.verified},
                 {"mismatched", result.mismatched},
                 {"not_run", result.not_run},
                 {"worst_error", result.worst},
                 {"tolerance", verifier.tolerance()},
                 {"tolerance_of_products", std::max(verifier.tolerance(), result.of_products)},
                 {"mismatches", Json::array()}};
    for (const Mismatch& mismatch : result.shown) {
      json["mismatches"].push_back({{"schedule", mismatch.schedule}, {"errors", mismatch.errors}});
    }
    fmt::print("{}\n", json.dump(2));
    return;
  }
  std::string allowed = fmt::format("{:.0e}", verifier.tolerance());
  if (result.of_products > verifier.tolerance())
    allowed += fmt::format("; {:.0e} of JtJp where products are kept in less", result.of_products);
  fmt::print("{} on {}, {}\nverified {}, mismatched {}, worst error {:.2e} (allowed {})\n",
             flags.run.problem, backend, space, result.verified, result.mismatched, result.worst,
             allowed);
  if (result.not_run > 0) fmt::print("not run {}: {}\n", result.not_run, result.why_not);
  for (const Mismatch& mismatch : result.shown) {
    fmt::print("\n{}{}\n", mismatch.schedule.empty() ? "-- default\n" : mismatch.schedule,
               mismatch.errors);
  }
}

ExitCode run_verify(Session& session, const VerifyFlags& flags) {
  if (flags.all && flags.sample > 0) throw UserError("--all and --sample exclude each other");
  const Problem& problem = session.problem(flags.run.problem);
  const Options options =
      require(complete_options(problem.options(), flags.problem_options->values()));
  const EnergyFile file = require(problem.energy(options));
  const Instance instance = require(problem.instantiate(file.energy, options));
  if (const auto valid = instance.binding.validate(file.energy); !valid) {
    throw UserError(valid.error());
  }
  const RunRequest request = flags.run.request(session.constructs());
  CompileOptions compile = request.compile;
  compile.double_precision = request.double_precision.value_or(true);

  const auto backend = session.open_backend(flags.run.backend);
  // Starts are special points: differences of 0 under a p-norm, say, have weights without bound.
  // And near switches float decides otherwise than double.
  const Binding binding = displaced_off_switches(file.energy, instance.binding, flags.seed);
  const EnergyFile sited = with_sites(file, request.sites);
  Verifier verifier(session, sited.energy, binding, *backend, compile);
  const ScheduleSpace space(sited.energy, session.constructs(), compile.double_precision);
  const auto problem_seed = options.find<std::int64_t>("seed");
  const std::uint64_t seed = problem_seed ? static_cast<std::uint64_t>(*problem_seed) : flags.seed;
  std::string what;
  if (!request.schedule.empty()) {
    what = "schedule " + request.schedule;
    const Schedule schedule =
        require(choose_schedule(request.schedule, sited, session.constructs()));
    verifier.verify(schedule, require(plan_of(sited, request)), seed);
  } else if (flags.sample > 0) {
    what = fmt::format("a sample of {} schedules, seed {}", flags.sample, seed);
    ProgressBar bar("verify", flags.sample);
    verify_sample(space, flags.sample, seed, verifier, bar);
  } else {
    const std::int64_t count = space.count(MaxWalked);
    if (count == MaxWalked) {
      throw UserError(fmt::format("'{}' has {} schedules or more: verify a --sample of them",
                                  flags.run.problem, MaxWalked));
    }
    what = fmt::format("all {} schedules", count);
    ProgressBar bar("verify", count);
    verify_all(space, count, verifier, bar);
  }
  show(flags, verifier, backend->name(), what);
  return verifier.result().mismatched == 0 ? ExitCode::Ok : ExitCode::GoalMissed;
}

}  // namespace

Command add_verify_command(CLI::App& app, Session& session, const Problem* problem) {
  auto flags = std::make_shared<VerifyFlags>();
  CLI::App* command =
      app.add_subcommand("verify", "compare what schedules compute with the energy's definition");
  flags->run.add_to(*command);
  flags->problem_options = std::make_unique<ProblemOptions>(*command, problem);
  const std::string group = "Which schedules";
  command
      ->add_flag("--all", flags->all,
                 "all but the choices of the low-level stage [this, unless --schedule or --sample]")
      ->group(group);
  command->add_option("--sample", flags->sample, "so many, drawn at random from all stages")
      ->type_name("INT")
      ->check(count_check())
      ->group(group);
  // A problem whose input is drawn has the option itself; it is then the seed of both.
  if (command->get_option_no_throw("--seed") == nullptr) {
    command->add_option("--seed", flags->seed, "of the draw [1]")
        ->type_name("INT")
        ->check(count_check())
        ->group(group);
  }
  command->add_flag("--json", flags->json, "one JSON object on stdout instead of text");
  command->footer(R"(Examples:
  thallo verify curve_fit
  thallo verify image_warping --size 12 --sample 2000 --backend interpreter
  thallo verify image_warping --size 12 --schedule opt --backend cuda --float

In double unless --float is given. An entry of JtF, d, JtJp or the blocks of JtJ is compared relative
to the sum of the magnitudes that make it: at most 1e-10 in double, 1e-4 in float. JtJp may be off by
more where a schedule keeps stored products in less: 1e-6 with precision("single"), 4e-3 with "half".
Exit code: 0, or 1 when a schedule computes something else.)");
  return {command, [&session, flags] { return run_verify(session, *flags); }};
}

}  // namespace thallo::cli
