// thallo explain choices PROBLEM: every site of a schedule, what is chosen there, what else could
// be and what that is predicted to cost, and why not.
#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/cli/commands/explain.h"
#include "core/cli/output/json_text.h"
#include "core/cli/require.h"

namespace thallo::cli {
namespace {

// Every decision that was weighed, whether it is better or not. Several may come to the same
// schedule.
nlohmann::ordered_json moves_json(const WeighedChoices& weighed,
                                  const ConstructRegistry& constructs) {
  auto json = nlohmann::ordered_json::array();
  const auto add = [&](const WeighedAlternative& its) {
    if (its.cost && !its.directives.empty()) json.push_back(move_json(its, constructs));
  };
  for (const auto& alternatives : weighed.sites) std::ranges::for_each(alternatives, add);
  for (const WeighedMerge& merge : weighed.merges) add(merge.its);
  return json;
}

void explain_choices(Session& session, const ExplainFlags& flags) {
  const ExplainedInstance instance(session, flags, {flags.run.schedule});
  const Schedule schedule = instance.schedule(flags.run.schedule);
  const ShownChoices choices = require(instance.choices(schedule, instance.known_device()));
  if (flags.json) {
    nlohmann::ordered_json json = instance.json(schedule);
    add_choices(json, choices);
    if (choices.weighed) json["moves"] = moves_json(*choices.weighed, instance.constructs());
    return print_json(json);
  }
  instance.print_title(schedule);
  fmt::print("{}", choices_text(choices));
}

}  // namespace

Command add_explain_choices(CLI::App& explain, Session& session, ExplainFlags& flags) {
  CLI::App* command = add_explain_subcommand(
      explain, flags, "choices",
      "every site, what is chosen there, what else could be, and why not; with a\n"
      "device spec what each is predicted to cost");
  return {command, [&session, &flags] {
            explain_choices(session, flags);
            return ExitCode::Ok;
          }};
}

}  // namespace thallo::cli
