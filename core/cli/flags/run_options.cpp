#include "core/cli/flags/run_options.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "core/backend/choose_device_spec.h"
#include "core/base/error.h"
#include "core/cli/flags/help_formatter.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/output/table.h"
#include "core/cli/require.h"
#include "core/schedule/named_schedules.h"
#include "core/solve/options.h"

namespace thallo::cli {
namespace {

constexpr const char* HowGroup = "How to solve it";

std::string passes_text() {
  Table table({left("pass"), left("what it does")});
  for (const PassInfo& pass : all_passes())
    table.add({std::string(pass.name), std::string(pass.what)});
  return "The passes over kernels that can be switched off, in the order in which they run:\n\n" +
         table.text(2) +
         "\n--passes takes a list: first, if wanted, all or none; then -NAME or +NAME.\n"
         "Whatever is left out, the same numbers are computed, up to rounding.\n";
}

}  // namespace

void add_backend_options(CLI::App& command, std::string& backend, int& device,
                         const std::string& group) {
  const HelpGroup in_group(command, group);
  add_value(command, "--backend", backend, "NAME",
            "auto (cuda, else cpu, else interpreter), cpu, cuda or interpreter [auto]");
  add_count(command, "--device", device, "which GPU, by its ordinal in `thallo devices` [0]",
            std::numeric_limits<int>::max());
}

void check_architecture(const std::string& architecture) {
  const std::string_view text = architecture;
  const std::string_view number = text.starts_with("sm_") ? text.substr(3) : std::string_view();
  if (number.empty() || number.find_first_not_of("0123456789af") != std::string_view::npos) {
    throw UserError(fmt::format(
        "--arch {}: write sm_ and the compute capability, e.g. sm_80 or sm_90", architecture));
  }
}

void RunOptions::add_to(CLI::App& command) {
  command.add_option("PROBLEM", problem.name, "its name; see `thallo problems`")->required();
  add_flags_to(command);
}

void RunOptions::add_program_flags_to(CLI::App& command) {
  problem.add_to(command);
  add_backend_to(command);
  add_device_spec_to(command);
  add_solver_to(command);
  add_schedule_to(command);
  add_passes_to(command);
}

void RunOptions::add_schedule_flags_to(CLI::App& command) {
  problem.add_to(command);
  add_backend_to(command);
  add_device_spec_to(command);
  add_schedule_to(command);
  add_passes_to(command);
  add_limits_to(command);
}

void RunOptions::add_exploration_flags_to(CLI::App& command) {
  problem.add_to(command);
  add_backend_to(command);
  add_precision_to(command);
  add_device_spec_to(command);
  add_solver_to(command);
  add_sites_to(command);
  add_passes_to(command);
  add_limits_to(command);
}

void RunOptions::add_report_flags_to(CLI::App& command) {
  problem.add_to(command);
  add_device_spec_to(command);
  add_solver_to(command);
  add_precision_to(command);
  add_sites_to(command);
  add_passes_to(command);
  add_memory_limit_to(command);
}

void RunOptions::add_flags_to(CLI::App& command) {
  add_backend_to(command);
  add_device_spec_to(command);
  add_solver_to(command);
  add_schedule_to(command);
  add_passes_to(command);
  add_limits_to(command);
  add_compile_time_limit_to(command);
}

void RunOptions::add_backend_to(CLI::App& command) {
  add_backend_options(command, backend, device, HowGroup);
}

void RunOptions::add_device_spec_to(CLI::App& command) {
  const HelpGroup group(command, HowGroup);
  add_value(command, "--device-spec", device_spec, "NAME|FILE",
            "what the device reaches: a .toml file, or the name of a shipped one (h200, ...)\n"
            "[THALLO_DEVICE_SPEC, else as measured on this machine]");
  add_value(command, "--model", model, "NAME",
            fmt::format("the cost model that predictions are made with: {}, or a .json file "
                        "that\n`thallo fit` wrote [{}]",
                        ModelsInHelp, model));
}

void RunOptions::add_solver_to(CLI::App& command) {
  const HelpGroup group(command, HowGroup);
  add_value(command, "--solver", solver, "gn|lm",
            "gn (Gauss-Newton) or lm (Levenberg-Marquardt) [the problem's own choice]");
  add_value(command, "--set", settings, "NAME=VALUE",
            "a solver option, as often as wanted; `thallo solve --help` lists them")
      ->allow_extra_args(false);
  command.add_flag("--published", is_published,
                   "steps and counts of iterations as published with the problem");
}

void RunOptions::add_precision_to(CLI::App& command) {
  const HelpGroup group(command, HowGroup);
  command.add_flag("--double", double_precision,
                   "compute all in double [mixed: in float only what linear iterations "
                   "do, or the problem's own choice]");
  command.add_flag("--float", single_precision, "compute in float (cpu and cuda)");
}

void RunOptions::add_schedule_to(CLI::App& command) {
  const HelpGroup group(command, HowGroup);
  add_precision_to(command);
  add_value(
      command, "--schedule", schedule, "NAME|FILE",
      "default, opt, published-default, auto (predicted to be fast on the device), file (the\n"
      "energy text's own) or the path of a .sched file [file, if it has one, else auto]")
      ->check([](const std::string& text) -> std::string {
        if (!text.empty()) return "";
        return fmt::format("'' is no schedule (legal: {}, auto, file, the path of a .sched file)",
                           fmt::join(NamedSchedules, ", "));
      });
  add_sites_to(command);
}

void RunOptions::add_sites_to(CLI::App& command) {
  const HelpGroup group(command, HowGroup);
  add_value(command, "--sites", sites, "none|default|all",
            "what schedules decide about beside what has a name: none, default (the found\n"
            "intermediates that save most) or all of them; `thallo print found` [default]")
      ->check(CLI::IsMember({"none", "default", "all"}));
}

void RunOptions::add_passes_to(CLI::App& command) {
  const HelpGroup group(command, HowGroup);
  command
      .add_option_function<std::string>(
          "--passes",
          [this](const std::string& text) {
            if (text == "help") throw CallForText(passes_text());
            auto read = parse_passes(text);
            if (!read) throw UserError(fmt::format("--passes: {}", read.error().message()));
            passes = *read;
          },
          "passes over kernels to switch off and on, e.g. -bounds or none,+bounds; `--passes "
          "help`\nlists them [all]")
      ->type_name("LIST");
}

void RunOptions::add_limits_to(CLI::App& command) {
  const HelpGroup group(command, HowGroup);
  add_count(command, "--threads", num_threads, "threads of the cpu backend; 0 = all [0]",
            MaxThreads);
  add_memory_limit_to(command);
}

void RunOptions::add_memory_limit_to(CLI::App& command) {
  const HelpGroup group(command, HowGroup);
  add_value(command, "--memory-limit", memory_limit, "SIZE",
            "of what a schedule may store, the products J, JtJ and Jp [8GiB]")
      ->transform(CLI::Validator(read_size, ""));
}

void RunOptions::add_compile_time_limit_to(CLI::App& command) {
  const HelpGroup group(command, HowGroup);
  add_value(command, "--compile-time-limit", compile_time_limit, "SECONDS",
            "give up when choosing a schedule and compiling take longer; 0 = never [0]")
      ->transform(CLI::Validator(read_time, ""));
}

RunRequest RunOptions::request(Session& session) const {
  if (double_precision && single_precision) {
    throw UserError("--double and --float exclude each other");
  }
  // A wrong name is a mistake even if no prediction is made.
  if (const std::string named = wanted_device_spec(device_spec); !named.empty())
    static_cast<void>(require(named_device_spec(named, "auto")));
  RunRequest request;
  request.parts = session.solver_parts();
  request.backend = backend;
  request.device_spec = device_spec;
  request.model = require(session.cost_model(model));
  request.device = device;
  if (double_precision) request.precision = Precision::Double;
  if (single_precision) request.precision = Precision::Float;
  std::vector<std::string> set = settings;
  if (!solver.empty()) set.insert(set.begin(), "solver=" + solver);
  request.is_published = is_published;
  if (is_published)
    for (const auto& [name, text] : PublishedSteps) request.solver_options.emplace_back(name, text);
  for (const auto& [name, text] : parse_pairs("--set", set, "e.g. --set nIterations=20"))
    request.solver_options.emplace_back(name, text);
  request.compile.num_threads = num_threads;
  request.compile.memory_limit = memory_limit;
  request.compile.time_limit_seconds = compile_time_limit;
  request.constructs = &session.constructs();
  request.schedule = schedule;
  request.passes = passes;
  request.sites = sites == "all"    ? FoundSites::All
                  : sites == "none" ? FoundSites::None
                                    : FoundSites::Default;
  return request;
}

ExplorationTarget RunOptions::target(Session& session, Options options) const {
  const RunRequest request = this->request(session);
  return {.problem = problem.name,
          .bindings = problem.sources(),
          .options = std::move(options),
          .backend = backend,
          .device = device,
          .model = std::string(request.model->name()),
          .device_spec = device_spec,
          .precision = request.precision,
          .solver_options = request.solver_options,
          .sites = request.sites,
          .passes = request.passes,
          .memory_limit = request.compile.memory_limit,
          .num_threads = request.compile.num_threads,
          .plugin_path = session.plugin_path()};
}

}  // namespace thallo::cli
