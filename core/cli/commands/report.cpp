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
#include "core/cli/output/report_sweep.h"
#include "core/cli/require.h"
#include "core/explore/measure/chosen_devices.h"
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
  std::string sweep;
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

// Writes the figures into the folder; returns what a text beside them links to.
std::vector<LinkedFigure> write_figures(const std::vector<Figure>& figures, const fs::path& folder,
                                        plot::Theme theme) {
  std::vector<LinkedFigure> linked;
  for (const Figure& figure : figures) {
    linked.push_back({figure.name + ".svg", figure.title});
    require(write_file(folder / linked.back().file, figure.picture.file(theme)));
  }
  return linked;
}

plot::Theme theme_of(const ReportFlags& flags) {
  return flags.dark ? plot::Theme::Dark : plot::Theme::FollowsReader;
}

// Writes the report as files; figures are beside the texts.
void write_page(const ReportPage& page, const fs::path& folder, plot::Theme theme) {
  make_out_folder(folder.string());
  const std::vector<LinkedFigure> linked = write_figures(figures_of(page.device), folder, theme);
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
    write_page(page, folder, theme_of(flags));
  }
}

// Returns the device whose results are shown beside predictions. If a spec is named, there may be
// none.
std::optional<DeviceRecord> device_of_sweep(const MeasurementStore* store, const std::string& name,
                                            const std::string& backend, bool is_spec_named) {
  if (store == nullptr) return {};
  const std::vector<DeviceRecord> all = require(store->list<DeviceRecord>());
  const auto devices = chosen_devices(*store, all, {name, backend});
  if (devices && devices->size() == 1) return devices->front();
  if (!devices && name.empty() && is_spec_named) return {};
  throw UserError(Diagnostic{
      fmt::format("--sweep is of one device, and {} in the store are called '{}'; choose one by "
                  "--device",
                  devices ? devices->size() : 0, name),
      {store->path()},
      titles_of(all)});
}

DeviceSpec spec_of_sweep(const std::string& wanted, const std::string& backend,
                         const std::optional<DeviceRecord>& device) {
  if (!wanted.empty())
    return require(named_device_spec(wanted, device ? device->backend : backend));
  const auto kept = device ? kept_device_spec(device->backend, device->signature) : std::nullopt;
  if (!kept) {
    throw UserError(
        "--sweep predicts times: name what the device reaches by --device-spec, since no spec of "
        "it is kept here");
  }
  return *kept;
}

ExitCode run_sweep(Session& session, const ReportFlags& flags) {
  const fs::path path = flags.store.empty() ? flags.run.problem.store() : flags.store;
  std::error_code error;
  std::optional<MeasurementStore> store;
  if (!flags.store.empty() || fs::exists(path, error)) store.emplace(open_store(flags));
  const MeasurementStore* its = store ? &*store : nullptr;
  const SweepRange range = parse_sweep(flags.sweep, flags.run.problem.open(session));
  const std::string& backend = flags.run.backend;
  const std::string wanted = wanted_device_spec(flags.run.device_spec);
  const std::optional<DeviceRecord> device =
      device_of_sweep(its, flags.device, backend, !wanted.empty());
  if (!flags.out.empty()) make_out_folder(flags.out);
  const Sweep sweep = make_sweep(session, target_of(session, flags), range,
                                 *require(session.cost_model(flags.run.model)),
                                 spec_of_sweep(wanted, backend, device), its, device);
  const std::string text = sweep_markdown(sweep);
  if (!flags.out.empty()) {
    const fs::path folder = flags.out;
    const auto picture = sweep_picture(sweep);
    if (picture) require(write_file(folder / "sweep.svg", picture->file(theme_of(flags))));
    require(write_file(folder / "sweep.md",
                       text + (picture ? "\n![Time against size](sweep.svg)\n" : "")));
    require(write_file(folder / "sweep.json", sweep_json(sweep)));
  }
  fmt::print("{}", flags.json ? sweep_json(sweep) : text);
  return ExitCode::Ok;
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
  if (!flags.sweep.empty() && (flags.csv || !flags.html.empty() || !flags.steps.empty())) {
    throw UserError(fmt::format("{} has no effect with --sweep", flags.csv            ? "--csv"
                                                                 : flags.html.empty() ? "--steps"
                                                                                      : "--html"));
  }
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
  if (!flags.sweep.empty()) return run_sweep(session, flags);
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
  add_value(*command, "--sweep", flags->sweep, "OPTION=A:B",
            "instead: the times of the named schedules and of the fastest known, where an\n"
            "option of the problem is A, 2A, 4A ... up to B; estimated where the store has\n"
            "none");
  command->add_flag("--dark", flags->dark,
                    "pictures on dark ground, whatever their readers prefer");
  command->add_flag("--json", flags->json, "one JSON object on stdout instead of Markdown");
  command->add_flag("--csv", flags->csv, "a line for each schedule on stdout instead of Markdown");
  command->footer(R"(Options of the problem, precision and solver are those of the exploration.

Examples:
  thallo report image_warping --out warp_report
  thallo report image_warping --html warp.html
  thallo report image_warping --store all.store --device h200 --json
  thallo report image_warping --out warp_report --steps best.sched
  thallo report image_warping --sweep size=32:1024 --device-spec h200)");
  return {command, [&session, flags] { return run_report(session, *flags); }};
}

}  // namespace thallo::cli
