// thallo explain PROBLEM: what a schedule makes of a problem, and in subcommands what else could be
// decided, what that is predicted to cost, and why.
#include "core/cli/commands/explain.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_fields.h"
#include "core/base/stop_scope.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/output/table.h"
#include "core/cli/require.h"
#include "core/explore/space/guide.h"
#include "core/kernel/instance_storage.h"
#include "core/schedule/shown_names.h"

namespace thallo::cli {
namespace {

constexpr std::int64_t MostListingSteps = 12'000'000;

// Says what is called what, where a name was made by a program.
std::string names_text(const Energy& energy, const Plan& plan, const ShownNames& shown) {
  Table table({left("name"), left("shown as")});
  const auto add = [&](const std::string& name) {
    if (shown.of(name) != name) table.add({name, shown.of(name)});
  };
  for (const Intermediate& intermediate : energy.intermediates())
    add(energy.field(intermediate.field).name);
  for (const Part& part : plan.parts) add(part.name);
  return table.empty() ? "" : "\n" + table.text(2);
}

}  // namespace

nlohmann::ordered_json cost_json(const std::string& text, const PlanCost& cost) {
  using json_fields::plain;
  return {{"text", text},
          {"seconds", plain(cost.seconds)},
          {"once", plain(cost.once())},
          {"linear", plain(cost.linear)}};
}

nlohmann::ordered_json move_json(const WeighedAlternative& move,
                                 const ConstructRegistry& constructs) {
  nlohmann::ordered_json json = cost_json(text_of(move.directives, constructs), *move.cost);
  json.update({{"bytes", move.cost->bytes},
               {"schedule", move.schedule.text(constructs)},
               {"changes_numerics", move.changes_numerics}});
  return json;
}

ExplainedInstance::ExplainedInstance(Session& session, const ExplainFlags& flags,
                                     const std::vector<std::string>& schedules)
    : session_(session),
      flags_(flags),
      problem_(flags.run.problem.open(session)),
      request_(flags.run.request(session)),
      supposed_(supposed_target(flags.run, request_)),
      options_(require(complete_options(problem_.options(), flags.problem_options->values()))),
      file_(with_sites(require(problem_.energy(options_)), request_.sites)),
      instance_(require(problem_.instantiate(file_.energy.as_written(), options_))),
      wanted_(file_, instance_, request_,
              {session, flags.run, supposed_.backend, supposed_.precision}),
      target_(target_suiting(schedules)) {}

AutoTarget ExplainedInstance::target_suiting(const std::vector<std::string>& schedules) {
  wanted_.suit_all(schedules, constructs());
  return wanted_.auto_target();
}

std::string ExplainedInstance::title() const {
  return fmt::format("{}, {}, {}", flags_.run.problem.name, instance_.title, wanted_.text());
}

bool ExplainedInstance::chooses() const {
  return request_.schedule == "auto" || (request_.schedule.empty() && file_.schedule.empty());
}

Schedule ExplainedInstance::schedule(const std::string& name,
                                     std::vector<AutoStep>* compared) const {
  AutoTarget target = target_;
  if (compared != nullptr)
    target.told = [compared](const std::vector<AutoStep>& steps) { *compared = steps; };
  return require(choose_schedule(name, file_, constructs(), &target));
}

Plan ExplainedInstance::plan(const Schedule& schedule) const {
  return require(make_plan(energy(), schedule, constructs()));
}

DeviceSpec ExplainedInstance::device() const {
  return supposed_.spec ? *supposed_.spec : require(target_.device());
}

std::optional<DeviceSpec> ExplainedInstance::known_device() const {
  if (supposed_.spec || !chooses()) return supposed_.spec;
  auto spec = target_.device();
  // If there is no device and no schedule was requested, the default schedule is explained.
  if (spec || request_.schedule == "auto") return require(std::move(spec));
  return {};
}

Expected<ShownChoices> ExplainedInstance::choices(const Schedule& schedule,
                                                  const std::optional<DeviceSpec>& device) const {
  const ProgramOptions& program = target_.program;
  const InstanceStorage limit(energy(), binding(), program, program.precision,
                              target_.memory_limit);
  try {
    const StepLimit steps(MostListingSteps);
    ShownChoices shown{
        .sites = require(list_choices(energy(), schedule, constructs(), program.precision, &limit)),
        .device = device ? device->name : "",
        .linear_iterations = 0};
    if (!device) return shown;
    PlanPricer pricer = plan_pricer(energy(), target_, *device);
    shown.linear_iterations = target_.counts.linear_iterations;
    shown.weighed =
        require(weigh_choices(energy(), schedule, shown.sites, constructs(), price_by(pricer),
                              weighing_limits(energy(), shown.sites.size())));
    return shown;
  } catch (const OutOfSteps& fault) {
    return fail("what else could be decided about '{}' is not listed: {}", energy().name(),
                fault.what());
  }
}

nlohmann::ordered_json ExplainedInstance::json(const Schedule& schedule) const {
  nlohmann::ordered_json json = {{"problem", flags_.run.problem.name}};
  wanted_.add_to(json);
  json["schedule"] = schedule.text(constructs());
  return json;
}

void ExplainedInstance::print_title(const Schedule& schedule) const {
  fmt::print("{}\n", title());
  std::size_t number = 0;
  for (const Directive& directive : schedule.directives())
    fmt::print("  {:>2}  {}\n", ++number, constructs().find(directive.construct)->print(directive));
  if (schedule.empty()) fmt::print("  the default schedule: no directive\n");
  const Plan plan = this->plan(schedule);
  fmt::print("{}", names_text(energy(), plan, ShownNames(energy(), plan)));
}

CLI::App* add_explain_subcommand(CLI::App& explain, ExplainFlags& flags, const char* name,
                                 const char* what) {
  CLI::App* command = explain.add_subcommand(name, what);
  flags.run.problem.add_name_to(*command);
  // The PROBLEM of the subcommand is the only one then.
  command->preparse_callback([&explain, name](std::size_t) {
    CLI::Option* problem = explain.get_option_no_throw("PROBLEM");
    if (problem->count() > 0) {
      throw UserError(
          fmt::format("thallo explain {0} {1}: write the subcommand first: thallo "
                      "explain {1} {0}",
                      problem->results().front(), name));
    }
    explain.remove_option(problem);
  });
  command->footer("The flags of `thallo explain` hold, too.");
  return command;
}

Command add_explain_command(CLI::App& app, Session& session, const Problem* problem) {
  struct Flags : ExplainFlags {
    std::string architecture = "sm_90";
  };
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "explain", "what a schedule makes of a problem: kernels, buffers, and who asked for them");
  flags->run.add_program_flags_to(*command);
  // Where it is required, the first word is it, even if that names a subcommand.
  command->get_option("PROBLEM")->required(false);
  flags->run.add_memory_limit_to(*command);
  flags->problem_options = std::make_unique<ProblemOptions>(*command, problem);
  add_value(*command, "--arch", flags->architecture, "NAME",
            "with --backend cuda: what kernels are compiled for, to show their registers,\n"
            "e.g. sm_80 [sm_90]; needs NVRTC and no GPU")
      ->group("What to show");
  command->add_flag("--json", flags->json, "one JSON object on stdout instead of text");
  command->footer(R"(Examples:
  thallo explain image_warping --schedule opt
  thallo explain image_warping --schedule auto
  thallo explain choices image_warping --schedule opt --device-spec h200
  thallo explain next image_warping --schedule default --device-spec h200
  thallo explain next image_warping --schedule published-default --follow --device-spec h200
  thallo explain why image_warping default auto --device-spec h200
  thallo explain what-if image_warping sizes --device-spec h200
  thallo explain image_warping --schedule opt --backend cuda --arch sm_80
  thallo explain bundle_adjustment --json)");
  std::vector<Command> parts = {
      add_explain_choices(*command, session, *flags), add_explain_next(*command, session, *flags),
      add_explain_why(*command, session, *flags), add_explain_what_if(*command, session, *flags)};
  return {command, [&session, flags, parts = std::move(parts)] {
            check_architecture(flags->architecture);
            const auto part =
                std::ranges::find_if(parts, [](const Command& its) { return its.app->parsed(); });
            if (part != parts.end()) return part->run();
            if (flags->run.problem.name.empty())
              throw UserError("PROBLEM is required (see thallo explain --help)");
            explain_kernels(session, *flags, flags->architecture);
            return ExitCode::Ok;
          }};
}

}  // namespace thallo::cli
