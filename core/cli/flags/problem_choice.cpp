#include "core/cli/flags/problem_choice.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/cli/flags/help_formatter.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/require.h"

namespace thallo::cli {

void add_bindings_to(CLI::App& command, std::vector<std::string>& bindings) {
  add_value(command, "-b,--bind", bindings, "NAME=FILE|VALUE",
            "an input of the energy text, as often as needed; see `thallo run --help`")
      ->allow_extra_args(false);
}

void ProblemChoice::add_name_to(CLI::App& command) {
  command
      .add_option("PROBLEM", name,
                  fmt::format("its name, see `thallo problems`; or an energy text ({}), or a .toml "
                              "that names one",
                              EnergiesInHelp))
      ->required();
}

void ProblemChoice::add_to(CLI::App& command) {
  add_name_to(command);
  add_bindings_to(command, bindings);
}

std::vector<SourceText> ProblemChoice::sources() const {
  return parse_pairs("--bind", bindings, "e.g. --bind X=photo.png");
}

const Problem& ProblemChoice::open(Session& session) const {
  return *require(session.open_problem(name, sources()));
}

std::string ProblemChoice::store() const {
  return std::filesystem::path(name).stem().string() + ".store";
}

SourceText parse_pair(const std::string& flag, const std::string& text, const std::string& hint) {
  const std::size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0 || equal + 1 == text.size())
    throw UserError(fmt::format("{0} {1}: write {0} NAME=VALUE, {2}", flag, text, hint));
  return {text.substr(0, equal), text.substr(equal + 1)};
}

std::vector<SourceText> parse_pairs(const std::string& flag, const std::vector<std::string>& texts,
                                    const std::string& hint) {
  std::vector<SourceText> pairs;
  for (const std::string& text : texts) {
    SourceText pair = parse_pair(flag, text, hint);
    if (std::ranges::find(pairs, pair.name, &SourceText::name) != pairs.end())
      throw UserError(fmt::format("{} {}: '{}' is there twice", flag, text, pair.name));
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace thallo::cli
