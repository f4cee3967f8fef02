// thallo explain PROBLEM --schedule S: lists the kernels and buffers of a problem under a schedule,
// and the directives that asked for each. With --choices, lists what the schedule could decide
// otherwise and the predicted cost of that; for the schedule `auto`, adds this list below. With
// --next, lists the best of these moves, and with --follow where they lead. With --why, says why
// one schedule is faster than another; with --what-if, which one would be at another size.
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "core/cli/choices_output.h"
#include "core/cli/commands/command.h"
#include "core/cli/json_text.h"
#include "core/cli/kernel_usage.h"
#include "core/cli/moves_output.h"
#include "core/cli/problem_options.h"
#include "core/cli/require.h"
#include "core/cli/run_options.h"
#include "core/cli/supposed_target.h"
#include "core/cli/table.h"
#include "core/cli/wanted_program.h"
#include "core/cli/what_if_run.h"
#include "core/cli/why_output.h"
#include "core/cost/autoschedule/autoschedule.h"
#include "core/explore/report/explanation.h"
#include "core/explore/space/guide.h"
#include "core/kernel/instance_storage.h"
#include "core/schedule/shown_names.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t MostListingSteps = 1'200'000;  // of what is listed without being asked for

struct ExplainFlags {
  RunOptions run;
  std::unique_ptr<ProblemOptions> problem_options;
  std::string architecture = "sm_90";
  bool choices = false;
  bool next = false;
  bool follow = false;
  std::vector<std::string> why;  // two schedules, or none
  std::string what_if;           // sizes, iterations, devices or nothing
  bool json = false;

  bool is_guided() const { return next || follow; }
  bool shows_kernels() const { return !choices && !is_guided(); }
};

// Three digits with a prefix: "1.57 M".
std::string short_number(double value) {
  static constexpr const char* Prefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < std::size(Prefixes)) {
    value /= 1000;
    ++prefix;
  }
  if (prefix == 0) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g} {}", value, Prefixes[prefix]);
}

double bytes_of(const KernelFeatures& f) {
  return f.reads.total() + f.writes.total() + 2 * f.scatters.total() + f.index_bytes;
}

// Numbers the directives of a schedule in its order. Things that every schedule has, and so no
// directive asked for, have the numbers "".
class Askers {
 public:
  explicit Askers(const Schedule& schedule, const ConstructRegistry& constructs) {
    for (const Directive& directive : schedule.directives()) {
      const std::string text = constructs.find(directive.construct)->print(directive);
      numbers_.emplace(text, numbers_.size() + 1);
      lines_.push_back(text);
    }
  }
  std::string text() const {
    std::string result;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      result += fmt::format("  {:>2}  {}\n", i + 1, lines_[i]);
    }
    return result;
  }
  std::string numbers(const std::vector<std::string>& asked_by) const {
    std::vector<std::size_t> numbers;
    for (const std::string& directive : asked_by) numbers.push_back(numbers_.at(directive));
    return fmt::format("{}", fmt::join(numbers, ", "));
  }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> lines_;
};

using Usages = std::optional<KernelUsages>;  // absent if no GPU was requested

bool has_columns(const Usages& usages) { return usages && usages->why_none.empty(); }

Table kernel_table(const Usages& usages) {
  std::vector<Table::Column> columns = {{"phase", Table::Align::Left},
                                        {"kernel", Table::Align::Left},
                                        {"over", Table::Align::Left},
                                        {"points"},
                                        {"bytes"},
                                        {"at least"},
                                        {"flops"},
                                        {"atomics"}};
  if (has_columns(usages)) {
    for (const char* title : {"registers", "spilled", "shared"}) columns.push_back({title});
  }
  columns.push_back({"asked for by", Table::Align::Left});
  return Table(std::move(columns));
}

void add_row(Table& table, std::vector<std::string> cells, const std::string& label,
             const Usages& usages, std::string askers) {
  if (has_columns(usages)) {
    for (std::string& cell : usages->cells(label)) cells.push_back(std::move(cell));
  }
  cells.push_back(std::move(askers));
  table.add(std::move(cells));
}

void print_kernels(const Explanation& explanation, const ShownNames& shown, const Askers& askers,
                   const Usages& usages, Frequency frequency) {
  Table table = kernel_table(usages);
  double bytes = 0;
  double least = 0;
  double flops = 0;
  double atomics = 0;
  for (const ExplainedKernel& kernel : explanation.kernels) {
    if (frequency_of(kernel.phase) != frequency) continue;
    const KernelFeatures& f = kernel.features;
    add_row(table,
            {std::string(to_string(kernel.phase)), shown.label(kernel.label),
             fmt::format("{}", fmt::join(kernel.over, "; ")),
             short_number(static_cast<double>(f.points)), short_number(bytes_of(f)),
             short_number(f.must_move()), short_number(f.flops.total()), short_number(f.atomics)},
            kernel.label, usages, askers.numbers(kernel.asked_by));
    bytes += bytes_of(f);
    least += f.must_move();
    flops += f.flops.total();
    atomics += f.atomics;
  }
  if (table.empty()) return;
  add_row(table,
          {"", "together", "", "", short_number(bytes), short_number(least), short_number(flops),
           short_number(atomics)},
          "", usages, "");
  fmt::print("\nonce in every {}\n{}", to_string(frequency), table.text(2));
}

void print_buffers(const Explanation& explanation, const Askers& askers) {
  Table buffers({{"buffer", Table::Align::Left},
                 {"what", Table::Align::Left},
                 {"bytes"},
                 {"asked for by", Table::Align::Left}});
  double bytes = 0;
  for (const ExplainedBuffer& buffer : explanation.buffers) {
    buffers.add(
        {buffer.name, buffer.what, short_number(buffer.bytes), askers.numbers(buffer.asked_by)});
    bytes += buffer.bytes;
  }
  buffers.add({"together", "", short_number(bytes), ""});
  fmt::print("\nbuffers\n{}", buffers.text(2));
}

void print_text(const Explanation& explanation, const ShownNames& shown, const Askers& askers,
                const Usages& usages) {
  for (const Frequency frequency : {Frequency::LinearIteration, Frequency::ResidualReset,
                                    Frequency::NonlinearIteration, Frequency::Solve}) {
    print_kernels(explanation, shown, askers, usages, frequency);
  }
  print_buffers(explanation, askers);
  fmt::print("\nbytes: as the threads ask for them; at least: with perfect caches. ");
  if (explanation.has_askers) {
    fmt::print(
        "A kernel, clear or buffer is asked\nfor by the directives without which it would not be "
        "there, by all of them where each would do; those\nof every schedule have none.\n");
  } else {
    fmt::print("Who asks for what is looked\nfor if a schedule has at most {} directives.\n",
               MostAskers);
  }
  if (has_columns(usages)) {
    fmt::print(
        "registers, spilled: of a thread, the latter in bytes, with arrays that are indexed; "
        "shared: "
        "bytes of a\nblock; all compiled for {}.\n",
        usages->architecture);
  } else if (usages) {
    fmt::print("registers are not known: {}\n", usages->why_none);
  }
}

void add_explanation(Json& json, const Explanation& explanation, const Usages& usages) {
  if (usages) json["architecture"] = usages->architecture;
  json["kernels"] = Json::array();
  json["buffers"] = Json::array();
  for (const ExplainedKernel& kernel : explanation.kernels) {
    const KernelFeatures& f = kernel.features;
    json["kernels"].push_back({{"phase", to_string(kernel.phase)},
                               {"once_in_every", to_string(frequency_of(kernel.phase))},
                               {"kernel", kernel.label},
                               {"over", kernel.over},
                               {"points", f.points},
                               {"bytes", bytes_of(f)},
                               {"must_move", f.must_move()},
                               {"flops", f.flops.total()},
                               {"atomics", f.atomics},
                               {"asked_by", kernel.asked_by}});
    if (usages) usages->add_to(json["kernels"].back(), kernel.label);
  }
  for (const ExplainedBuffer& buffer : explanation.buffers) {
    json["buffers"].push_back({{"buffer", buffer.name},
                               {"what", buffer.what},
                               {"bytes", buffer.bytes},
                               {"asked_by", buffer.asked_by}});
  }
}

// Returns the decisions of the schedule, with predictions if the device is known.
ShownChoices choices_of(Session& session, const EnergyFile& file, const Schedule& schedule,
                        const AutoTarget& target, const std::optional<DeviceSpec>& device) {
  const InstanceStorage limit(file.energy, target.binding, target.program, target.program.precision,
                              target.memory_limit);
  ShownChoices shown{.sites = require(list_choices(file.energy, schedule, session.constructs(),
                                                   target.program.precision, &limit)),
                     .weighed = std::nullopt,
                     .device = device ? device->name : "",
                     .linear_iterations = 0};
  if (!device) return shown;
  PlanPricer pricer = plan_pricer(file.energy, target, *device);
  shown.linear_iterations = pricer.options().counts.linear_iterations;
  shown.weighed = require(weigh_choices(file.energy, schedule, shown.sites, session.constructs(),
                                        price_by(pricer), most_weighed(shown.sites.size())));
  return shown;
}

// Returns the whole way from the schedule, or only its next steps.
std::vector<GuidedStep> guided(Session& session, const EnergyFile& file, const Schedule& schedule,
                               const AutoTarget& target, const DeviceSpec& device, bool is_whole) {
  const InstanceStorage limit(file.energy, target.binding, target.program, target.program.precision,
                              target.memory_limit);
  PlanPricer pricer = plan_pricer(file.energy, target, device);
  return require((is_whole ? guide : next_steps)(
      file.energy, schedule, session.constructs(), price_by(pricer),
      {.precision = target.program.precision, .limit = &limit}, std::stop_token{}));
}

// Both schedules are lowered, so that the amounts are those that `explain` shows of each.
ShownWhy why_of(Session& session, const ExplainFlags& flags, const EnergyFile& file,
                const AutoTarget& target, const DeviceSpec& device) {
  const PriceOptions priced = plan_pricer(file.energy, target, device).options();
  const PriceScope scope{.model = *priced.model, .device = device, .counts = priced.counts};
  const auto work_of_schedule = [&](const std::string& name) {
    const Schedule schedule = require(choose_schedule(name, file, session.constructs(), &target));
    const Plan plan = require(make_plan(file.energy, schedule, session.constructs()));
    return require(work_of(file.energy, plan, target.program, target.binding));
  };
  const ProgramWork from = work_of_schedule(flags.why[0]);
  const ProgramWork to = work_of_schedule(flags.why[1]);
  return {.from = schedule_times(flags.why[0], from, scope),
          .to = schedule_times(flags.why[1], to, scope),
          .change = require(explain_change(from, to, scope)),
          .device = device.name,
          .model = std::string(scope.model.name()),
          .linear_iterations = scope.counts.linear_iterations};
}

// Says what is called what, where a name was made by a program.
std::string names_text(const Energy& energy, const Plan& plan, const ShownNames& shown) {
  Table table({{"name", Table::Align::Left}, {"shown as", Table::Align::Left}});
  const auto add = [&](const std::string& name) {
    if (shown.of(name) != name) table.add({name, shown.of(name)});
  };
  for (const Intermediate& intermediate : energy.intermediates())
    add(energy.field(intermediate.field).name);
  for (const Part& part : plan.parts) add(part.name);
  return table.empty() ? "" : "\n" + table.text(2);
}

ExitCode run_explain(Session& session, const ExplainFlags& flags) {
  check_architecture(flags.architecture);
  const Problem& problem = flags.run.problem.open(session);
  const RunRequest request = flags.run.request(session);
  const SupposedTarget target = supposed_target(flags.run, request);
  const Options options =
      require(complete_options(problem.options(), flags.problem_options->values()));
  const EnergyFile file = with_sites(require(problem.energy(options)), request.sites);
  const Instance instance = require(problem.instantiate(file.energy.as_written(), options));
  WantedProgram wanted(file, instance, request,
                       {session, flags.run, target.backend, target.precision});
  wanted.suit_all(flags.why.empty() ? std::vector{request.schedule} : flags.why,
                  session.constructs());
  const std::string what = fmt::format("{}, {}, ", flags.run.problem.name, instance.title);
  const AutoTarget for_auto = wanted.auto_target();
  if (!flags.why.empty()) {
    const DeviceSpec device = target.spec ? *target.spec : require(for_auto.device());
    print_why(why_of(session, flags, file, for_auto, device), flags.run.problem.name,
              what + wanted.text(), flags.json);
    return ExitCode::Ok;
  }
  if (!flags.what_if.empty()) {
    const DeviceSpec device = target.spec ? *target.spec : require(for_auto.device());
    print_what_if(session,
                  {.what = flags.what_if, .schedule = request.schedule, .json = flags.json}, file,
                  for_auto, device, what + wanted.text());
    return ExitCode::Ok;
  }
  const Schedule schedule =
      require(choose_schedule(request.schedule, file, session.constructs(), &for_auto));
  const Plan plan = require(make_plan(file.energy, schedule, session.constructs()));
  const ShownNames shown(file.energy, plan);
  const Askers askers(schedule, session.constructs());
  const bool is_auto =
      request.schedule == "auto" || (request.schedule.empty() && file.schedule.empty());
  std::optional<ShownChoices> choices;
  std::optional<DeviceSpec> device = target.spec;
  if (!flags.shows_kernels() || (is_auto && weighs_schedules(file.energy))) {
    if (!device && (is_auto || flags.is_guided())) {
      // If there is no device and no schedule was requested, the default schedule is explained.
      auto spec = for_auto.device();
      if (spec || request.schedule == "auto" || flags.is_guided())
        device = require(std::move(spec));
    }
    try {
      const StepLimit steps(flags.shows_kernels() ? MostListingSteps : 10 * MostListingSteps);
      choices = choices_of(session, file, schedule, for_auto, device);
    } catch (const OutOfSteps& fault) {
      const std::string why = fmt::format("what else could be decided about '{}' is not listed: {}",
                                          file.energy.name(), fault.what());
      if (!flags.shows_kernels()) throw UserError(why);
      logger("cli").warn("{}", why);
    }
  }
  std::optional<Explanation> explanation;
  Usages usages;
  if (flags.shows_kernels()) {
    explanation = require(explain(file.energy, schedule, session.constructs(), for_auto.program,
                                  instance.binding, for_auto.program.precision));
    if (target.backend == "cuda") {
      CompileOptions compile = request.compile;
      compile.precision = for_auto.program.precision;
      usages = usages_of(file.energy, plan, for_auto.program, compile, flags.architecture);
    }
  }
  std::vector<GuidedStep> steps;
  if (flags.is_guided()) steps = guided(session, file, schedule, for_auto, *device, flags.follow);
  if (flags.next && steps.size() == 1) steps.clear();  // it is the first of the moves
  if (flags.json) {
    Json json = {{"problem", flags.run.problem.name}};
    wanted.add_to(json);
    json["schedule"] = schedule.text(session.constructs());
    if (explanation) add_explanation(json, *explanation, usages);
    if (choices && !flags.is_guided()) add_choices(json, *choices);
    if (flags.next) add_moves(json, *choices, steps, session.constructs());
    if (flags.follow) add_guide(json, choices->weighed->chosen, steps, session.constructs());
    print_json(json);
    return ExitCode::Ok;
  }
  fmt::print("{}{}\n{}{}", what, wanted.text(),
             schedule.empty() ? "  the default schedule: no directive\n" : askers.text(),
             names_text(file.energy, plan, shown));
  if (explanation) print_text(*explanation, shown, askers, usages);
  if (choices && !flags.is_guided()) fmt::print("{}", choices_text(*choices));
  if (flags.next) fmt::print("{}", moves_text(*choices, steps, session.constructs()));
  if (flags.follow)
    fmt::print("{}", guide_text(choices->weighed->chosen, steps, session.constructs()));
  return ExitCode::Ok;
}

}  // namespace

Command add_explain_command(CLI::App& app, Session& session, const Problem* problem) {
  auto flags = std::make_shared<ExplainFlags>();
  CLI::App* command = app.add_subcommand(
      "explain", "what a schedule makes of a problem: kernels, buffers, and who asked for them");
  flags->run.add_program_flags_to(*command);
  flags->run.add_memory_limit_to(*command);
  flags->problem_options = std::make_unique<ProblemOptions>(*command, problem);
  CLI::Option* choices = command->add_flag(
      "--choices", flags->choices,
      "instead: every site, what is chosen there, what else could be, and why not;\n"
      "with a device spec what each is predicted to cost (auto has this anyway)");
  CLI::Option* next = command->add_flag(
      "--next", flags->next, "instead: the five single decisions that are predicted to save most");
  CLI::Option* follow = command->add_flag(
      "--follow", flags->follow,
      "instead: takes the best of them, one after the other, until nothing helps;\n"
      "where none of them does, two that do together");
  follow->excludes(choices)->excludes(next);
  next->excludes(choices);
  command
      ->add_option("--why", flags->why,
                   "instead: why the second of two schedules, each as --schedule takes it, is\n"
                   "predicted to be faster or slower than the first, split by cause")
      ->type_name("A B")
      ->expected(2)
      ->excludes(choices)
      ->excludes(next)
      ->excludes(follow)
      ->excludes(command->get_option("--schedule"));
  command
      ->add_option(
          "--what-if", flags->what_if,
          "instead: what the named schedules would take at other sizes, with other numbers\n"
          "of linear iterations (iterations), or on the other devices that are known")
      ->type_name("sizes|iterations|devices")
      ->check(CLI::IsMember({"sizes", "iterations", "devices"}))
      ->excludes(choices)
      ->excludes(next)
      ->excludes(follow)
      ->excludes(command->get_option("--why"));
  command
      ->add_option("--arch", flags->architecture,
                   "with --backend cuda: what kernels are compiled for, to show their registers,\n"
                   "e.g. sm_80 [sm_90]; needs NVRTC and no GPU")
      ->type_name("NAME")
      ->group("What to show");
  command->add_flag("--json", flags->json, "one JSON object on stdout instead of text");
  command->footer(R"(Examples:
  thallo explain image_warping --schedule opt
  thallo explain image_warping --schedule opt --choices --device-spec h200
  thallo explain image_warping --schedule auto
  thallo explain image_warping --schedule default --next --device-spec h200
  thallo explain image_warping --schedule published-default --follow --device-spec h200
  thallo explain image_warping --why default auto --device-spec h200
  thallo explain image_warping --what-if sizes --device-spec h200
  thallo explain image_warping --schedule opt --backend cuda --arch sm_80
  thallo explain bundle_adjustment --json)");
  return {command, [&session, flags] { return run_explain(session, *flags); }};
}

}  // namespace thallo::cli
