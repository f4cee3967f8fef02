#include "core/cli/flags/problem_options.h"

#include <algorithm>
#include <variant>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/cli/require.h"

namespace thallo::cli {

struct ProblemOptions::Given {
  OptionSpec spec;
  std::string text;
  CLI::Option* option = nullptr;
};

namespace {

std::string flag_of(const std::string& name) {
  std::string flag = "--" + name;
  std::replace(flag.begin() + 2, flag.end(), '_', '-');
  return flag;
}

std::string type_text(const OptionSpec& spec) {
  if (!spec.choices.empty() && spec.choices.size() <= 6) {
    return fmt::format("{}", fmt::join(spec.choices, "|"));
  }
  if (spec.is_file) return "FILE";
  if (std::holds_alternative<std::int64_t>(spec.default_value)) return "INT";
  if (std::holds_alternative<double>(spec.default_value)) return "NUMBER";
  return spec.choices.empty() ? "TEXT" : "NAME";
}

std::string doc_text(const OptionSpec& spec) {
  std::string text = spec.doc;
  if (spec.choices.size() > 6) text += fmt::format(" ({})", fmt::join(spec.choices, ", "));
  if (const std::string value = to_string(spec.default_value); !value.empty()) {
    text += fmt::format(" [{}]", value);
  }
  return text;
}

}  // namespace

std::string options_text(const Problem& problem) {
  std::string text;
  for (const OptionSpec& spec : problem.options()) {
    const bool is_switch = std::holds_alternative<bool>(spec.default_value);
    const std::string flag =
        is_switch ? flag_of(spec.name) : fmt::format("{} {}", flag_of(spec.name), type_text(spec));
    text += fmt::format("  {:<30}  {}\n", flag, doc_text(spec));
  }
  return text;
}

std::uint64_t drawing_seed(const Options& of_problem, std::uint64_t of_command) {
  const auto seed = of_problem.find<std::int64_t>("seed");
  if (!seed) return of_command;
  if (*seed < 0) throw UserError(fmt::format("--seed: '{}' is no integer from 0", *seed));
  return static_cast<std::uint64_t>(*seed);
}

ProblemOptions::ProblemOptions(CLI::App& command, const Problem* problem) {
  if (!problem) return;
  const std::string group = "Options of " + problem->info().name;
  for (const OptionSpec& spec : problem->options()) {
    auto given = std::make_shared<Given>();
    given->spec = spec;
    const std::string flag = flag_of(spec.name);
    if (std::holds_alternative<bool>(spec.default_value)) {
      const std::string off = "--no-" + flag.substr(2);
      given->option = command.add_flag_function(
          fmt::format("{}{{true}},{}{{false}}", flag, off),
          [given](std::int64_t count) { given->text = count > 0 ? "true" : "false"; },
          doc_text(spec));
    } else {
      given->option = command.add_option(flag, given->text, doc_text(spec));
      given->option->type_name(type_text(spec));
    }
    given->option->group(group);
    given_.push_back(std::move(given));
  }
}

Options ProblemOptions::values() const {
  Options options;
  for (const auto& given : given_) {
    if (given->option->count() == 0) continue;
    options.set(given->spec.name, require(parse_option(given->spec, given->text)));
  }
  return options;
}

}  // namespace thallo::cli
