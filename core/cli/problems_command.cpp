// thallo problems: what can be solved.
#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/cli/command.h"
#include "core/cli/table.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

Json value_json(const PropertyValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json options_json(const Problem& problem) {
  Json options = Json::array();
  for (const OptionSpec& spec : problem.options()) {
    Json option = {{"name", spec.name},
                   {"type", type_name(spec.default_value)},
                   {"default", value_json(spec.default_value)},
                   {"doc", spec.doc},
                   {"is_file", spec.is_file}};
    if (!spec.choices.empty()) option["choices"] = spec.choices;
    if (spec.minimum) option["minimum"] = *spec.minimum;
    if (spec.maximum) option["maximum"] = *spec.maximum;
    options.push_back(std::move(option));
  }
  return options;
}

ExitCode run_problems(Session& session, bool json) {
  const auto entries = session.problems().entries();
  if (json) {
    Json list = Json::array();
    for (const auto* entry : entries) {
      const ProblemInfo info = entry->item->info();
      list.push_back({{"name", entry->name},
                      {"title", info.title},
                      {"shows", info.shows},
                      {"citation", info.citation},
                      {"provenance", entry->provenance},
                      {"options", options_json(*entry->item)}});
    }
    fmt::print("{}\n", list.dump(2));
    return ExitCode::Ok;
  }
  if (entries.empty()) fmt::print("No problem is loaded; `thallo plugins --verbose` says why.\n");
  for (const auto* entry : entries) {
    const ProblemInfo info = entry->item->info();
    fmt::print("{}\n    {}\n    {}\n", entry->name, info.title, info.shows);
    if (!info.citation.empty()) fmt::print("    {}\n", info.citation);
  }
  if (!entries.empty()) {
    fmt::print(
        "\nthallo solve {0}             solves it with its default input\n"
        "thallo solve {0} --help      shows its options\n",
        entries.front()->name);
  }
  return ExitCode::Ok;
}

}  // namespace

Command add_problems_command(CLI::App& app, Session& session) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("problems", "list the problems that can be solved");
  command->add_flag("--json", *json, "a JSON list with names, texts and options");
  return {command, [&session, json] { return run_problems(session, *json); }};
}

}  // namespace thallo::cli
