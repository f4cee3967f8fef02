#include "core/cli/cli.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/suggest.h"
#include "core/cli/commands/command.h"
#include "core/cli/flags/help_formatter.h"
#include "core/cli/session.h"
#include "core/plugin/loader.h"
#include "core/problem/files/problem_file.h"

namespace thallo::cli {
namespace {

constexpr const char* Description =
    "Thallo solves nonlinear least-squares problems written as energies: it differentiates them,\n"
    "generates the kernels of a Gauss-Newton or Levenberg-Marquardt solver, and runs these on the\n"
    "CPU or a CUDA GPU.";

constexpr const char* Footer = R"(First steps:
  thallo problems                      what can be solved
  thallo solve image_warping           solve one, with its default input
  thallo solve image_warping --help    its options
  thallo run denoise.lua --bind X=noisy.png --bind A=noisy.png --bind w=0.5 --out X=clean.png
                                       an energy of your own on your own files
  thallo check image_warping           compare its derivatives with finite differences
  thallo print energy image_warping    what is minimized; program, c and cuda show what is run
  thallo new problem tv_denoise        the files of a problem of your own in C++
  thallo new construct skip_zeros      those of a new kind of scheduling decision

Environment: THALLO_LOG=info or warn,cuda=debug (log on stderr), THALLO_DUMP=DIR (every stage of a
compile as a file), THALLO_PLUGIN_PATH (folders of plugins, separated by ':'); docs/cli.md has more.)";

constexpr std::string_view PluginPathFlag = "--plugin-path";

// Accepts '_' for '-' in long options: --track_length.
std::string normalized(const std::string& argument) {
  if (!argument.starts_with("--")) return argument;
  std::string result = argument;
  const auto value = std::find(result.begin(), result.end(), '=');
  std::replace(result.begin(), value, '_', '-');
  return result;
}

// What must be known before the parser can be made, because the parser contains the options of the
// problem.
struct Scan {
  std::vector<std::string> plugin_path;
  std::vector<std::string> words;  // arguments that are not flags; the command comes first
  std::vector<std::string> rest;   // arguments that are not of the plugin path
};

Scan scan(std::span<const std::string> arguments) {
  Scan scan;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == PluginPathFlag && i + 1 < arguments.size()) {
      scan.plugin_path.push_back(arguments[++i]);
    } else if (argument.starts_with(PluginPathFlag) && argument[PluginPathFlag.size()] == '=') {
      scan.plugin_path.push_back(argument.substr(PluginPathFlag.size() + 1));
    } else {
      if (!argument.starts_with('-')) scan.words.push_back(argument);
      scan.rest.push_back(argument);
    }
  }
  return scan;
}

bool takes_problem(const Scan& scan) {
  static const std::set<std::string, std::less<>> commands = {
      "check", "explain", "explore", "export", "print", "report", "solve", "verify", "worker"};
  return !scan.words.empty() && commands.contains(scan.words.front());
}

// Returns the chosen subcommand, which may be nested, or the program itself.
const CLI::App& chosen(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : chosen(*parsed.front());
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent ? fmt::format("{} {}", full_name(*parent), command.get_name()) : "thallo";
}

// Returns the options that hold for a command: its own, then those of the commands above it.
std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> options;
  for (const CLI::App* of = &command; of != nullptr; of = of->get_parent()) {
    const auto its = of->get_options();
    options.insert(options.end(), its.begin(), its.end());
  }
  return options;
}

std::vector<std::string> subcommands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : command.get_subcommands({}))
    names.push_back(subcommand->get_name());
  return names;
}

const CLI::Option* find_option(const CLI::App& command, const std::string& name) {
  const auto options = options_of(command);
  const auto found = std::ranges::find_if(
      options, [&](const CLI::Option* option) { return option->check_name(name); });
  return found == options.end() ? nullptr : *found;
}

// The build, and for each backend its compiler or why it is not there.
std::string version_text(Session& session) {
  std::string text = fmt::format("thallo {}", core_build_id());
  for (const std::string& name : backend_names()) {
    const auto backend = session.open_backend(name);
    std::string compiler = "is not available: ";
    if (backend) {
      compiler = (*backend)->compiler();
    } else {
      compiler += backend.error().message();
    }
    text += fmt::format("\n  {:<12}{}", name, compiler.empty() ? "needs no compiler" : compiler);
  }
  return text;
}

// Sets up the parser. The options of `problem` (null: none) are added to the commands.
std::vector<Command> add_commands(CLI::App& app, Session& session, const Problem* problem) {
  app.footer(Footer);
  app.set_version_flag("--version", [&session] { return version_text(session); });
  app.add_option_function<std::vector<std::string>>(
         std::string(PluginPathFlag),
         [](const std::vector<std::string>&) {},  // scan() reads it; it is here for the help
         "folder of plugins, as often as wanted")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.fallthrough();
  app.require_subcommand(0, 1);
  // Before the commands, which take it over.
  app.formatter(std::make_shared<HelpFormatter>(session));
  app.get_formatter()->column_width(34);
  return {add_problems_command(app, session),
          add_solve_command(app, session, problem),
          add_run_command(app, session),
          add_check_command(app, session, problem),
          add_print_command(app, session, problem),
          add_export_command(app, session, problem),
          add_explain_command(app, session, problem),
          add_explore_command(app, session, problem),
          add_report_command(app, session, problem),
          add_verify_command(app, session, problem),
          add_store_command(app, session),
          add_python_part(app, session, "fit", "fit a cost model to measurements"),
          add_migrate_command(app, session),
          add_new_command(app, session),
          add_plugins_command(app, session),
          add_devices_command(app, session),
          add_python_part(app, session, "bench", "measure; print tables in markdown"),
          add_python_part(app, session, "reproduce", "make the tables and figures of papers again"),
          add_worker_command(app, session, problem)};
}

// Returns the problem that the command line names. The first word that is a problem's name may be
// the value of a flag (--out image_warping), so the arguments are parsed with the flags of that
// problem to find the word that is PROBLEM. `arguments` are in reverse order, as CLI11 requires.
const Problem* find_problem(Session& session, const Scan& scan,
                            const std::vector<std::string>& arguments) {
  if (!takes_problem(scan)) return nullptr;
  const Problem* guess = nullptr;
  for (const std::string& word : scan.words) {
    if (guess == nullptr) guess = session.problems().find(word);
  }
  if (guess == nullptr) return nullptr;
  CLI::App app;
  const std::vector<Command> commands = add_commands(app, session, guess);
  try {
    app.parse(std::vector<std::string>(arguments));
  } catch (const CLI::ParseError&) {
    // The real parser reports this fault, with the right options.
  }
  const CLI::Option* named = chosen(app).get_option_no_throw("PROBLEM");
  if (named == nullptr || named->count() == 0) return guess;
  if (is_energy_path(named->results().front(), session.front_ends())) return nullptr;
  const Problem* meant = session.problems().find(named->results().front());
  return meant == nullptr ? guess : meant;
}

// Detects input such as "--bind X photo.png" or "--bind X=photo.png w=0.5" where --bind takes one
// NAME=VALUE, and returns a message that shows the right form.
std::optional<std::string> find_misplaced_value(std::span<const std::string> arguments,
                                                const CLI::App& command,
                                                const std::string& unknown) {
  const auto is_pair = [](const std::string& word) { return word.find('=') != std::string::npos; };
  for (std::size_t i = 0; i + 2 < arguments.size(); ++i) {
    const CLI::Option* option = find_option(command, arguments[i]);
    if (option == nullptr || !option->get_type_name().starts_with("NAME=")) continue;
    const std::string& name = arguments[i + 1];
    const std::string& value = arguments[i + 2];
    if (is_pair(name) && is_pair(value) && value == unknown)
      return fmt::format("{0} {1} {2}: each NAME=VALUE follows a flag of its own, {0} {1} {0} {2}",
                         arguments[i], name, value);
    // A plain word is valid here, because it may be a folder: --out DIR.
    if (option->get_type_name().ends_with("DIR")) continue;
    if (is_pair(name) || value.starts_with('-')) continue;
    return fmt::format("{0} {1} {2}: a name and its value are one word, {0} {1}={2}", arguments[i],
                       name, value);
  }
  return std::nullopt;
}

// Rewrites CLI11's message in our words, with the nearest legal name.
UserError explain(const CLI::ParseError& error, std::span<const std::string> arguments,
                  const CLI::App& app) {
  const CLI::App& command = chosen(app);
  const auto with_hint = [&](const std::string& what) {
    return UserError(fmt::format("{} (see {} --help)", what, full_name(command)));
  };
  const std::vector<std::string> rest = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || rest.empty()) {
    return with_hint(error.what());
  }
  const std::string& unknown = rest.front();
  std::vector<std::string> known;
  if (unknown.starts_with("-")) {
    for (const CLI::Option* option : options_of(command)) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
    const std::string name = unknown.substr(0, unknown.find('='));
    const std::vector<std::string> subcommands = subcommands_of(command);
    const std::string word = name.substr(std::min(name.find_first_not_of('-'), name.size()));
    if (std::ranges::find(subcommands, word) != subcommands.end()) {
      return UserError(fmt::format("{0}: no option '{1}'; it is a subcommand, see {0} {2} --help",
                                   full_name(command), name, word));
    }
    return with_hint(
        fmt::format("{}: no option '{}'{}", full_name(command), name, did_you_mean(name, known)));
  }
  if (const auto misplaced = find_misplaced_value(arguments, command, unknown))
    return UserError(*misplaced);
  if (&command != &app) {
    return with_hint(fmt::format("{}: too many arguments: '{}'", full_name(command), unknown));
  }
  return with_hint(
      fmt::format("no command '{}'{}", unknown, did_you_mean(unknown, subcommands_of(app))));
}

// Detects input such as "explain nex image_warping", where PROBLEM is a subcommand that there is
// not.
std::optional<UserError> find_unknown_subcommand(const CLI::App& command, const std::string& name,
                                                 const std::vector<std::string>& rest) {
  const std::vector<std::string> subcommands = subcommands_of(command);
  if (subcommands.empty() || rest.empty() || rest.front().starts_with("-")) return std::nullopt;
  return UserError(fmt::format("{0}: no subcommand '{1}'{2} (see {0} --help)", full_name(command),
                               name, did_you_mean(name, subcommands)));
}

// Rejects empty paths: an empty path, as from an unset "$FILE", does not mean "none".
void require_paths(const CLI::App& command) {
  for (const CLI::Option* option : options_of(command)) {
    const std::string& type = option->get_type_name();
    const bool is_file = type.find("FILE") != std::string::npos;
    if (!is_file && type.find("DIR") == std::string::npos) continue;
    if (std::ranges::find(option->results(), "") == option->results().end()) continue;
    throw UserError(fmt::format("{}: '' is no path of a {}; write one, or leave the flag out",
                                option->get_name(), is_file ? "file" : "folder"));
  }
}

}  // namespace

ExitCode run(std::span<const std::string> given, StartupClock clock) {
  std::vector<std::string> arguments;
  std::transform(given.begin(), given.end(), std::back_inserter(arguments), normalized);

  if (const char* levels = std::getenv("THALLO_LOG")) {
    if (const auto fault = find_log_level_fault(levels))
      logger("cli").warn("THALLO_LOG={}: {}", levels, *fault);
  }
  const Scan scanned = scan(arguments);
  Session session(std::move(clock), scanned.plugin_path);
  arguments.assign(scanned.rest.rbegin(), scanned.rest.rend());  // as CLI11 requires
  const Problem* problem = find_problem(session, scanned, arguments);

  CLI::App app(Description, "thallo");
  const std::vector<Command> commands = add_commands(app, session, problem);
  try {
    app.parse(std::vector<std::string>(arguments));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return ExitCode::Ok;
  } catch (const CallForText& help) {
    fmt::print("{}", help.what());
    return ExitCode::Ok;
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return ExitCode::Ok;
  } catch (const CLI::ParseError& error) {
    // If there is no such problem, report that first: its options are unknown.
    const CLI::App& command = chosen(app);
    const CLI::Option* named = command.get_option_no_throw("PROBLEM");
    if (named != nullptr && named->count() > 0) {
      const std::string& name = named->results().front();
      const bool is_text =
          find_option(command, "--bind") != nullptr && is_energy_path(name, session.front_ends());
      if (!is_text && session.problems().find(name) == nullptr) {
        if (const auto unknown = find_unknown_subcommand(command, name, app.remaining(true)))
          throw *unknown;
        session.problem(name);
      }
    }
    throw explain(error, std::vector(arguments.rbegin(), arguments.rend()), app);
  }

  const auto command = std::find_if(commands.begin(), commands.end(),
                                    [](const Command& c) { return c.app->parsed(); });
  if (command == commands.end()) {
    fmt::print("{}", app.help());
    return ExitCode::Ok;
  }
  require_paths(chosen(app));
  return command->run();
}

}  // namespace thallo::cli
