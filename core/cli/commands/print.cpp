// thallo print WHAT PROBLEM: prints a stage of the way from an energy to its kernels.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/backend/cuda/compile.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/cli/commands/command.h"
#include "core/cli/flags/help_formatter.h"
#include "core/cli/flags/problem_options.h"
#include "core/cli/flags/run_options.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/output/dag_output.h"
#include "core/cli/output/numbers_output.h"
#include "core/cli/output/reading_output.h"
#include "core/cli/require.h"
#include "core/cli/run/wanted_program.h"
#include "core/energy/print.h"
#include "core/explore/dag/dot.h"
#include "core/kernel/code_print.h"
#include "core/kernel/emit.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/kernel/program_print.h"
#include "core/problem/driver.h"
#include "core/schedule/plan.h"
#include "core/schedule/plan_print.h"

namespace thallo::cli {
namespace {

enum class Stage {
  Energy,
  Found,
  Schedule,
  Plan,
  Dag,
  Program,
  C,
  Cuda,
  Ptx,
  Jacobian,
  Gradient,
  Jtj
};
// In the order of the enumerators.
constexpr std::string_view Stages[] = {"energy", "found",    "schedule", "plan",
                                       "dag",    "program",  "c",        "cuda",
                                       "ptx",    "jacobian", "gradient", "jtj"};

struct PrintFlags {
  std::string stage;
  std::string architecture = "sm_90";
  std::vector<std::string> expanded;                  // ids of the dag's nodes
  bool json = false;                                  // for the dag, a schedule, or numbers
  bool raw = false, preamble = false, lines = false;  // for C and CUDA
  NumbersFlags numbers;
  RunOptions run;
  std::unique_ptr<ProblemOptions> problem_options;
};

Stage parse_stage(const std::string& text) {
  const auto* found = std::ranges::find(Stages, text);
  if (found != std::end(Stages)) return static_cast<Stage>(found - std::begin(Stages));
  throw UserError(
      unknown_name("nothing to print is called", text, {std::begin(Stages), std::end(Stages)}));
}

// Returns which numbers a stage prints; nothing for stages that print text.
std::optional<Numbers> numbers_of(Stage stage) {
  if (stage == Stage::Jacobian) return Numbers::Jacobian;
  if (stage == Stage::Gradient) return Numbers::Gradient;
  if (stage == Stage::Jtj) return Numbers::Jtj;
  return std::nullopt;
}

// Returns the backend that the stage's text belongs to; nothing if the text is the same for all.
std::optional<std::string> owner_of(Stage stage) {
  if (stage == Stage::C) return "cpu";
  if (stage == Stage::Cuda || stage == Stage::Ptx) return "cuda";
  return std::nullopt;
}

void check_text(Stage stage, const std::string& backend) {
  const auto owner = owner_of(stage);
  if (!owner || backend == "auto" || backend == *owner) return;
  throw UserError(
      fmt::format("--backend {}: it has no such text, which is that of backend {}; "
                  "`thallo print program` shows what all backends run",
                  backend, *owner));
}

std::string ptx_of(const KernelProgram& program, const KernelCode& code, const std::string& text,
                   const std::string& slots, const std::string& architecture) {
  if (const auto fits = cuda::check_arguments(program, code); !fits)
    throw DeviceError("NVRTC", fits.error().message());
  auto image = cuda::compile_to_ptx({code.role, text, slots}, architecture);
  if (!image) throw DeviceError("NVRTC", image.error().message());
  return std::move(image->bytes);
}

// The text of a kernel, where each line says at its end what lines of the energy it comes from.
std::string with_lines(const ReadableText& text) {
  std::string result;
  std::string_view rest = text.functions;
  for (const std::vector<int>& lines : text.lines_of) {
    const std::size_t end = rest.find('\n');
    result += rest.substr(0, end);
    if (!lines.empty()) result += fmt::format("  // {}", fmt::join(lines, ", "));
    result += '\n';
    rest.remove_prefix(end + 1);
  }
  return result;
}

void print_kernels(const GeneratedProgram& generated, Stage stage, const PrintFlags& flags,
                   const RunRequest& request, Precision precision, const std::string& energy_file) {
  EmitOptions emit_options;
  emit_options.dialect = stage == Stage::C ? Dialect::C : Dialect::Cuda;
  emit_options.precision = precision;
  emit_options.block_size = request.compile.block_size;
  const KernelProgram& program = generated.program;
  const bool is_view = (stage == Stage::C || stage == Stage::Cuda) && !flags.raw;
  if (is_view && !flags.preamble)
    fmt::print("// Types and helper functions are left out: --preamble prints them.\n\n");
  if (is_view && flags.lines) {
    fmt::print("// The numbers behind lines are the lines of {} that they come from.\n\n",
               energy_file.empty() ? "the energy" : energy_file);
  }
  for (const KernelCode& code : generated.codes) {
    if (stage == Stage::Program) {
      fmt::print("\n{}", to_string(program, code));
      continue;
    }
    if (stage == Stage::Ptx || flags.raw) {
      const std::string text = emit(program, code, emit_options);
      const std::string slots = describe_slots(program, code);
      fmt::print(
          "{}\n{}\n", slots,
          stage == Stage::Ptx ? ptx_of(program, code, text, slots, flags.architecture) : text);
      continue;
    }
    const ReadableText text = readable_text(program, code, emit_options);
    fmt::print("{}\n{}{}\n", describe_slots(code, text), flags.preamble ? text.preamble : "",
               flags.lines ? with_lines(text) : text.functions);
  }
}

// Rejects flags that only other stages have.
void check_stage_flags(Stage stage, const PrintFlags& flags) {
  if (stage != Stage::Dag && !flags.expanded.empty())
    throw UserError("--expand is of `thallo print dag`");
  if (stage != Stage::C && stage != Stage::Cuda && (flags.raw || flags.preamble || flags.lines))
    throw UserError("--raw, --preamble and --lines are of `thallo print c` and `cuda`");
  if (flags.raw && flags.preamble)
    throw UserError("--preamble: what --raw prints has the preamble already");
  if (flags.raw && flags.lines)
    throw UserError("--lines: --raw prints exactly what is compiled, which has no lines to name");
  if (!numbers_of(stage) && flags.numbers.are_given())
    throw UserError(
        "--mtx, --npy and --limit are of `thallo print jacobian`, `gradient` and `jtj`");
  if (stage != Stage::Dag && stage != Stage::Schedule && !numbers_of(stage) && flags.json) {
    throw UserError(
        "--json is of `thallo print dag`, `schedule`, `jacobian`, `gradient` and `jtj`; `thallo "
        "explain --json` lists kernels");
  }
}

// Returns the text of the requested schedule: from a file, from the energy, or as choose_schedule()
// chooses it.
ScheduleText schedule_text(const std::string& which, const EnergyFile& file,
                           const ConstructRegistry& constructs, const AutoTarget& target) {
  if (which.ends_with(".sched")) return read_schedule_text(which);
  if ((which.empty() || which == "file") && !file.schedule.empty())
    return {.statements = file.schedule};
  return parse_schedule_text(
      require(choose_schedule(which, file, constructs, &target)).text(constructs), "");
}

ExitCode run_print(Session& session, const PrintFlags& flags) {
  const Stage stage = parse_stage(flags.stage);
  check_stage_flags(stage, flags);
  check_architecture(flags.architecture);
  const Problem& problem = flags.run.problem.open(session);
  const RunRequest request = flags.run.request(session);
  const SupposedTarget target = supposed_target(flags.run, request);
  check_text(stage, target.backend);
  const Options options =
      require(complete_options(problem.options(), flags.problem_options->values()));
  const EnergyFile file = require(problem.energy(options));
  const Energy& energy = file.energy;
  if (stage == Stage::Energy) {
    fmt::print("{}", to_string(energy));
    return ExitCode::Ok;
  }
  if (stage == Stage::Found) {
    fmt::print("{}", to_string(*FoundIntermediates::in(energy), request.sites));
    return ExitCode::Ok;
  }
  const Instance instance = require(problem.instantiate(energy, options));
  if (const auto numbers = numbers_of(stage)) {
    print_numbers(*numbers, energy, instance.binding, flags.numbers, flags.json);
    return ExitCode::Ok;
  }
  const EnergyFile sited = with_sites(file, request.sites);
  WantedProgram wanted(
      sited, instance, request,
      {session, flags.run, owner_of(stage).value_or(target.backend), target.precision});
  const AutoTarget for_auto = wanted.auto_target();
  if (stage == Stage::Schedule && flags.json) {
    return print_reading(sited.energy,
                         schedule_text(request.schedule, sited, session.constructs(), for_auto),
                         session.constructs());
  }
  if (stage == Stage::Schedule) {
    const Schedule schedule =
        require(choose_schedule(request.schedule, sited, session.constructs(), &for_auto));
    fmt::print("{}", schedule.empty() ? "-- default\n" : schedule.text(session.constructs()));
    return ExitCode::Ok;
  }
  const Plan plan = require(plan_of(sited, request, &for_auto));
  if (stage == Stage::Plan) {
    fmt::print("{}", to_string(sited.energy, plan));
    return ExitCode::Ok;
  }
  if (stage == Stage::Dag) {
    const DagView view = require(dag_view(sited.energy, plan, flags.expanded, for_auto));
    fmt::print("{}", flags.json ? dag_json(view) : to_dot(view));
    return ExitCode::Ok;
  }
  wanted.suit(plan);
  const GeneratedProgram generated = generate(make_program(sited.energy, plan, wanted.options()));
  if (stage == Stage::Program) fmt::print("{}", to_string(generated.program));
  print_kernels(generated, stage, flags, request, wanted.options().precision,
                energy.groups().front().where.file);
  return ExitCode::Ok;
}

}  // namespace

Command add_print_command(CLI::App& app, Session& session, const Problem* problem) {
  auto flags = std::make_shared<PrintFlags>();
  CLI::App* command =
      app.add_subcommand("print", "print a stage of the way from an energy to its kernels");
  command
      ->add_option(
          "WHAT", flags->stage,
          "energy   what is minimized\n"
          "found    the intermediates that are found in it, which schedules can store\n"
          "schedule what is decided differently from the default, as text\n"
          "plan     all decisions\n"
          "dag      what is made of what under the schedule, and what every linear\n"
          "         iteration computes again, for Graphviz: thallo print dag P | dot -Tsvg\n"
          "program  buffers, phases and the loop nests of all kernels\n"
          "c, cuda  the generated text, with the names of fields, maps and dims\n"
          "ptx      what NVRTC makes of it\n"
          "jacobian, gradient, jtj\n"
          "         the numbers of J, of JtF and of JtJ at the start of a small energy")
      ->required();
  flags->run.add_program_flags_to(*command);
  flags->problem_options = std::make_unique<ProblemOptions>(*command, problem);
  const HelpGroup group(*command, "What to show");
  command->add_flag("--preamble", flags->preamble,
                    "of c and cuda: also the types and helper functions above each kernel");
  command->add_flag(
      "--raw", flags->raw,
      "of c and cuda: exactly what is compiled, where slots have numbers (f0, m0, n0)");
  command->add_flag("--lines", flags->lines,
                    "of c and cuda: behind each line the lines of the energy that it comes from");
  add_value(*command, "--arch", flags->architecture, "NAME", "of ptx, e.g. sm_80 [sm_90]");
  add_value(*command, "--expand", flags->expanded, "NODE",
            "of dag: draw what these nodes are made of, e.g. part:fit or intermediate:pose");
  command->add_flag(
      "--json", flags->json,
      "of dag: its nodes and edges; of a schedule: its faults, or what each statement\n"
      "decides, and where they stand; of numbers: what rows and columns are, and entries");
  flags->numbers.add_to(*command);
  command->footer(R"(Examples:
  thallo print energy image_warping
  thallo print schedule image_warping --schedule opt --json
  thallo print cuda bundle_adjustment --double --set preconditioner=jacobi
  thallo print dag image_warping --schedule default --expand part:fit
  thallo print ptx curve_fit --arch sm_80
  thallo print jacobian curve_fit --mtx jacobian.mtx)");
  return {command, [&session, flags] { return run_print(session, *flags); }};
}

}  // namespace thallo::cli
