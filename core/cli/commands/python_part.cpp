// Subcommands that are written in Python (core/python/thallo_tools). The process becomes Python, so
// that signals and exit codes are its own.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "core/base/assets.h"
#include "core/base/error.h"
#include "core/cli/commands/command.h"

namespace thallo::cli {
namespace {

namespace fs = std::filesystem;

// Python runs this program again; it must be the same one and must find the same plugins.
void describe_program(const Session& session) {
  std::error_code error;
  setenv("THALLO_PROGRAM", fs::read_symlink("/proc/self/exe", error).c_str(), 1);
  std::vector<std::string> folders = session.plugin_path();
  if (const char* more = std::getenv("THALLO_PLUGIN_PATH")) folders.emplace_back(more);
  setenv("THALLO_PLUGIN_PATH", fmt::format("{}", fmt::join(folders, ":")).c_str(), 1);
}

[[noreturn]] void become_python(const std::string& name, std::vector<std::string> words) {
  const char* named = std::getenv("THALLO_PYTHON");
  const std::string python = named && *named ? named : "python3";
  // The folder is run, not a module: modules of the folder that the user is in stay out of the way.
  words.insert(words.begin(), {python, (core_folder() / "thallo" / "python").string(), name});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(python.c_str(), arguments.data());
  throw UserError(fmt::format(
      "thallo {} is written in Python, and {} cannot be run ({}); install Python 3.9 or "
      "newer, or name its program by THALLO_PYTHON",
      name, python, std::generic_category().message(errno)));
}

}  // namespace

Command add_python_part(CLI::App& app, Session& session, const std::string& name,
                        const std::string& help) {
  CLI::App* command = app.add_subcommand(name, help);
  command->prefix_command();
  command->fallthrough(false);
  command->set_help_flag();
  return {command, [&session, command, name]() -> ExitCode {
            describe_program(session);
            become_python(name, command->remaining());
          }};
}

}  // namespace thallo::cli
