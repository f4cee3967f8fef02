// thallo report PROBLEM: writes what an exploration found, as text, data and figures.
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/backend/backend.h"
#include "core/backend/choose_device_spec.h"
#include "core/base/error.h"
#include "core/base/io/file.h"
#include "core/cli/commands/command.h"
#include "core/cli/flags/problem_options.h"
#include "core/cli/flags/run_options.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/output/out_folder.h"
#include "core/cli/output/report_html.h"
#include "core/cli/output/report_output.h"
#include "core/cli/require.h"
#include "core/explore/report/figures.h"
#include "core/problem/choose_schedule.h"

namespace thallo::cli {
namespace {

namespace fs = std::filesystem;

struct ReportFlags {
  RunOptions run;
  std::unique_ptr<ProblemOptions> problem_options;
  std::string store;
  std::string device;
  std::string out;
  std::string html;
  std::string steps;
  bool json = false;
  bool csv = false;
  bool dark = false;
};

// The flags of device and backend say which results are shown.
ExplorationTarget target_of(Session& session, const ReportFlags& flags) {
  ExplorationTarget target = flags.run.target(session, flags.problem_options->values());
  target.backend = ExplorationTarget().backend;
  target.device_spec.clear();
  return target;
}

MeasurementStore open_store(const ReportFlags& flags) {
  const fs::path path = flags.store.empty() ? flags.run.problem.store() : flags.store;
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw UserError(
        fmt::format("{}: there is no such store; `thallo explore {}` makes it, or name "
                    "another one by --store",
                    path.string(), flags.run.problem.name));
  }
  return require(MeasurementStore::open(path, MeasurementStore::Access::Read));
}

// Turns "NVIDIA H200 NVL" into a folder name that differs from those already taken.
std::string folder_name(const std::string& device, std::set<std::string>& taken) {
  std::string name;
  for (const char c : device) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_plain) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (name.ends_with('_')) name.pop_back();
  const std::string plain = name;
  for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", plain, i);
  return name;
}

// Writes the report as files; figures are beside the texts.
void write_page(const ReportPage& page, const fs::path& folder, plot::Theme theme) {
  make_out_folder(folder.string());
  std::vector<LinkedFigure> linked;
  for (const Figure& figure : figures_of(page.device)) {
    linked.push_back({figure.name + ".svg", figure.title});
    require(write_file(folder / linked.back().file, figure.picture.file(theme)));
  }
  require(write_file(folder / "report.md", report_markdown(page, linked)));
  require(write_file(folder / "report.json", report_json(page)));
  require(write_file(folder / "candidates.csv", report_csv(page)));
}

void write_pages(const std::vector<ReportPage>& pages, const ReportFlags& flags) {
  std::set<std::string> taken;
  for (const ReportPage& page : pages) {
    const fs::path folder = pages.size() == 1
                                ? fs::path(flags.out)
                                : flags.out / fs::path(folder_name(page.device.device.name, taken));
    write_page(page, folder, flags.dark ? plot::Theme::Dark : plot::Theme::FollowsReader);
  }
}

// As it was typed, but for quotes.
std::string command_line() {
  std::ifstream arguments("/proc/self/cmdline");
  std::string line, argument;
  while (std::getline(arguments, argument, '\0'))
    line += (line.empty() ? "" : " ") + (line.empty() ? "thallo" : argument);
  return line;
}

void check_flags(const ReportFlags& flags) {
  require(check_backend_name(flags.run.backend));
  if (!flags.html.empty() && (flags.json || flags.csv))
    throw UserError("--html excludes --json and --csv");
  if (flags.json && flags.csv) throw UserError("--json and --csv exclude each other");
  if (flags.dark && flags.out.empty())
    throw UserError("--dark has no effect: pictures are only written with --out");
}

void check_single(const ReportFlags& flags, const ExplorationReport& report) {
  if ((!flags.json && !flags.csv) || report.devices.size() == 1) return;
  std::vector<std::string> legal;
  for (const DeviceReport& device : report.devices)
    legal.push_back(fmt::format("{} ({})", device.device.name, device.device.signature));
  throw UserError(
      Diagnostic{fmt::format("{} is of one device, and there are results of {}; choose one by "
                             "--device",
                             flags.json ? "--json" : "--csv", report.devices.size()),
                 {},
                 legal});
}

// Empty if there are none: an energy may have no published-default.
std::vector<ScheduleStep> steps_to_fastest(const ExploredProblem& problem, const CostModel& model,
                                           const DeviceReport& device) {
  if (device.fastest.empty()) return {};
  const auto fastest = problem.read(device.candidates[device.fastest.front()].text);
  if (!fastest) return {};
  auto steps = schedule_steps(problem, model, device, *fastest);
  return steps ? *std::move(steps) : std::vector<ScheduleStep>();
}

ExitCode run_report(Session& session, const ReportFlags& flags) {
  check_flags(flags);
  const MeasurementStore store = open_store(flags);
  if (!flags.out.empty()) make_out_folder(flags.out);
  const ExploredProblem problem =
      require(ExploredProblem::open(session, target_of(session, flags)));
  const CostModel& model = *problem.model;
  std::optional<Schedule> stepped;
  if (!flags.steps.empty())
    stepped = require(choose_schedule(flags.steps, problem.file, *problem.constructs));

  const ExplorationReport report =
      require(make_report(store, problem, model,
                          {.device = flags.device,
                           .backend = flags.run.backend,
                           .device_spec = wanted_device_spec(flags.run.device_spec)}));
  check_single(flags, report);
  std::vector<ReportPage> pages;
  for (const DeviceReport& device : report.devices) {
    ReportPage page{.report = report, .device = device};
    if (stepped) {
      page.steps = require(schedule_steps(problem, model, device, *stepped));
    } else if (!flags.html.empty()) {
      page.steps = steps_to_fastest(problem, model, device);
    }
    pages.push_back(std::move(page));
  }
  if (!flags.out.empty()) write_pages(pages, flags);
  if (!flags.html.empty()) {
    require(write_file(flags.html, report_html(pages, problem, command_line())));
    fmt::print("wrote {}\n", flags.html);
    return ExitCode::Ok;
  }
  bool is_first = true;
  for (const ReportPage& page : pages) {
    fmt::print("{}{}", is_first ? "" : "\n",
               flags.json  ? report_json(page)
               : flags.csv ? report_csv(page)
                           : report_markdown(page, {}));
    is_first = false;
  }
  return ExitCode::Ok;
}

}  // namespace

Command add_report_command(CLI::App& app, Session& session, const Problem* problem) {
  auto flags = std::make_shared<ReportFlags>();
  CLI::App* command =
      app.add_subcommand("report", "show what an exploration found, as text and pictures");
  flags->run.add_report_flags_to(*command);
  flags->problem_options = std::make_unique<ProblemOptions>(*command, problem);
  add_value(*command, "--backend", flags->run.backend, "NAME",
            "only what was measured by it: cpu, cuda or interpreter [auto: all]");
  add_value(*command, "--store", flags->store, "FILE",
            "the file with the measurements [PROBLEM.store]");
  add_value(*command, "--device", flags->device, "NAME",
            "only what was measured on it: a part of its name [all, one after the other]");
  add_value(*command, "--out", flags->out, "DIR",
            "a folder for pictures (.svg) and the report as report.md, report.json and\n"
            "candidates.csv; of several devices, a folder in it for each");
  add_value(*command, "--html", flags->html, "FILE",
            "instead: one file for a browser, with the report, its pictures, and the graph and\n"
            "kernels of the fastest schedule");
  add_value(*command, "--steps", flags->steps, "NAME|FILE",
            "a schedule whose directives are added to published-default one after the\n"
            "other, to show what each one buys: a name or the path of a .sched file");
  command->add_flag("--dark", flags->dark,
                    "pictures on dark ground, whatever their readers prefer");
  command->add_flag("--json", flags->json, "one JSON object on stdout instead of Markdown");
  command->add_flag("--csv", flags->csv, "a line for each schedule on stdout instead of Markdown");
  command->footer(R"(Options of the problem, precision and solver are those of the exploration.

Examples:
  thallo report image_warping --out warp_report
  thallo report image_warping --html warp.html
  thallo report image_warping --store all.store --device h200 --json
  thallo report image_warping --out warp_report --steps best.sched)");
  return {command, [&session, flags] { return run_report(session, *flags); }};
}

}  // namespace thallo::cli
