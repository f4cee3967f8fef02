// thallo problems [NAME]: lists the problems that can be solved, or the options of one.
#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/cli/commands/command.h"
#include "core/cli/flags/problem_options.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/table.h"

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

Json problem_json(const ProblemRegistry::Entry& entry) {
  const ProblemInfo info = entry.item->info();
  return {{"name", entry.name},
          {"title", info.title},
          {"shows", info.shows},
          {"citation", info.citation},
          {"picture", info.picture.empty() ? Json() : Json(info.picture.string())},
          {"provenance", entry.provenance},
          {"options", options_json(*entry.item)}};
}

void print_problem(const ProblemRegistry::Entry& entry) {
  const ProblemInfo info = entry.item->info();
  fmt::print("{}\n    {}\n    {}\n", entry.name, info.title, info.shows);
  if (!info.citation.empty()) fmt::print("    {}\n", info.citation);
}

ExitCode run_problem(Session& session, const std::string& name, bool json) {
  session.problem(name);  // throws UserError with the nearest name if unknown
  const auto* entry = session.problems().find_entry(name);
  if (json) {
    print_json(problem_json(*entry));
    return ExitCode::Ok;
  }
  print_problem(*entry);
  const std::string options = options_text(*entry->item);
  if (!options.empty())
    fmt::print(
        "\nOptions of solve, check, print, explain, explore, report, verify, bench schedules "
        "and bench moves:\n{}",
        options);
  return ExitCode::Ok;
}

ExitCode run_problems(Session& session, bool json) {
  const auto entries = session.problems().entries();
  if (json) {
    Json list = Json::array();
    for (const auto* entry : entries) list.push_back(problem_json(*entry));
    print_json(list);
    return ExitCode::Ok;
  }
  if (entries.empty()) fmt::print("No problem is loaded; `thallo plugins --verbose` says why.\n");
  for (const auto* entry : entries) print_problem(*entry);
  if (!entries.empty()) {
    fmt::print(
        "\nthallo solve {0}             solves it with its default input\n"
        "thallo problems {0}          shows its options\n",
        entries.front()->name);
  }
  return ExitCode::Ok;
}

}  // namespace

Command add_problems_command(CLI::App& app, Session& session) {
  struct Flags {
    std::string name;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("problems", "list the problems that can be solved");
  command->add_option("NAME", flags->name, "one of them, with its options");
  command->add_flag("--json", flags->json, "JSON: a list (one object for NAME) with all options");
  return {command, [&session, flags] {
            return flags->name.empty() ? run_problems(session, flags->json)
                                       : run_problem(session, flags->name, flags->json);
          }};
}

}  // namespace thallo::cli
