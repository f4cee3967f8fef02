// thallo plugins: lists the plugins that were loaded, and why others were not.
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/base/log.h"
#include "core/cli/commands/command.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/table.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

struct PluginFlags {
  bool json = false;
  bool verbose = false;
};

bool is_folder(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

void print_report(const PluginReport& report) {
  Json json = {{"core_build", core_build_id()},
               {"folders", Json::array()},
               {"loaded", Json::array()},
               {"failures", Json::array()}};
  for (const PluginFolder& folder : report.folders) {
    json["folders"].push_back({{"path", folder.path.string()},
                               {"origin", folder.origin},
                               {"exists", is_folder(folder.path)}});
  }
  for (const PluginInfo& plugin : report.loaded) {
    json["loaded"].push_back({{"name", plugin.name},
                              {"version", plugin.version},
                              {"path", plugin.path.string()},
                              {"needs", plugin.needs},
                              {"adds", plugin.adds}});
  }
  for (const PluginFailure& failure : report.failures) {
    json["failures"].push_back({{"path", failure.path.string()},
                                {"stage", to_string(failure.stage)},
                                {"message", failure.message}});
  }
  print_json(json);
}

void print_text(const PluginReport& report, bool verbose) {
  if (verbose) {
    fmt::print("This is core {}. Searched, in this order:\n", core_build_id());
    for (const PluginFolder& folder : report.folders) {
      fmt::print("  {} ({}{})\n", folder.path.string(), folder.origin,
                 is_folder(folder.path) ? "" : "; no such folder");
    }
    fmt::print("\n");
  }
  Table table({left("plugin"), left("version"), left("adds"), left("file")});
  for (const PluginInfo& plugin : report.loaded) {
    table.add({plugin.name, plugin.version, fmt::format("{}", fmt::join(plugin.adds, ", ")),
               plugin.path.string()});
  }
  fmt::print("{}", table.empty() ? "No plugin was loaded.\n" : table.text());
  if (report.failures.empty()) return;
  fmt::print("\nNot loaded:\n");
  for (const PluginFailure& failure : report.failures) {
    fmt::print("  [{}] {}\n", to_string(failure.stage), failure.message);
  }
}

ExitCode run_plugins(Session& session, const PluginFlags& flags) {
  // This command prints failures as its result, so the warnings would repeat them.
  const LogListener quiet(LogListener::Mode::Takes, [](const LogRecord&) {});
  const PluginReport& report = session.plugins();
  if (flags.json) {
    print_report(report);
  } else {
    print_text(report, flags.verbose);
  }
  return report.failures.empty() ? ExitCode::Ok : ExitCode::GoalMissed;
}

}  // namespace

Command add_plugins_command(CLI::App& app, Session& session) {
  auto flags = std::make_shared<PluginFlags>();
  CLI::App* command =
      app.add_subcommand("plugins", "list what was loaded, what it adds, and why the rest was not");
  command->add_flag("--json", flags->json, "a JSON object with folders, loaded and failures");
  command->add_flag("-v,--verbose", flags->verbose, "also the folders that were searched");
  command->footer("Exit code: 0, or 1 when a file that looks like a plugin was not loaded.");
  return {command, [&session, flags] { return run_plugins(session, *flags); }};
}

}  // namespace thallo::cli
