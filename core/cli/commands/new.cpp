// thallo new problem NAME: writes the folder of a problem to start from.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/cli/commands/command.h"
#include "core/cli/commands/problem_skeleton.h"

namespace thallo::cli {
namespace {

namespace fs = std::filesystem;

struct NewFlags {
  std::string what;
  std::string name;
  std::string folder = ".";
};

void require_free_name(Session& session, const std::string& name) {
  if (!is_problem_name(name))
    throw UserError(
        fmt::format("'{}' cannot be the name of a problem: it takes at most 48 lower-case letters, "
                    "digits and '_', a letter first, e.g. my_problem",
                    name));
  for (const auto* entry : session.problems().entries()) {
    if (entry->name == name)
      throw UserError(
          fmt::format("there is a problem '{}' already, in {}; of two with one name "
                      "only the first is loaded",
                      name, entry->provenance));
  }
}

void write_new_file(const fs::path& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (!file) throw UserError(fmt::format("{} cannot be written", path.string()));
}

// Makes the folder, which must not be there, so that nothing is ever overwritten.
void make_folder(const fs::path& folder) {
  std::error_code error;
  const fs::path parent = folder.parent_path();
  if (!fs::is_directory(parent, error))
    throw UserError(fmt::format("--dir {}: there is no such folder", parent.string()));
  if (fs::exists(fs::symlink_status(folder, error)))
    throw UserError(fmt::format("{} is there already; nothing is overwritten", folder.string()));
  if (!fs::create_directory(folder, error))
    throw UserError(fmt::format("{} cannot be made: {}", folder.string(), error.message()));
}

ExitCode run_new(Session& session, const NewFlags& flags) {
  if (flags.what != "problem")
    throw UserError(
        fmt::format("thallo new makes no '{}'; write thallo new problem NAME", flags.what));
  require_free_name(session, flags.name);
  const std::string_view build = core_build_id();  // "0.1.0+8fd2c01e (g++ 12.2.0)"
  const fs::path folder = fs::path(flags.folder) / flags.name;
  make_folder(folder);
  fmt::print("Made {} with\n", folder.string());
  for (const SkeletonFile& file : problem_skeleton(flags.name, build.substr(0, build.find('+')))) {
    write_new_file(folder / file.name, file.content);
    fmt::print("  {}\n", file.name);
  }
  fmt::print(R"(
Build it against an installed Thallo (DIR: its CMAKE_INSTALL_PREFIX), and solve it:
  cd {0}
  cmake -B build -DCMAKE_PREFIX_PATH=DIR && cmake --build build
  thallo --plugin-path build/lib/thallo/problems solve {1} --out result
)",
             folder.string(), flags.name);
  return ExitCode::Ok;
}

}  // namespace

Command add_new_command(CLI::App& app, Session& session) {
  auto flags = std::make_shared<NewFlags>();
  CLI::App* command = app.add_subcommand("new", "write the files of a new problem to start from");
  command->add_option("WHAT", flags->what, "problem")->required();
  command
      ->add_option("NAME", flags->name, "of the problem and its folder: lower case, digits and _")
      ->required();
  command->add_option("--dir", flags->folder, "the folder to make it in [.]")->type_name("DIR");
  command->footer(R"(Examples:
  thallo new problem tv_denoise
  thallo new problem tv_denoise --dir ~/problems

Where an energy on files is all there is to say, no problem in C++ is needed: see thallo run.)");
  return {command, [&session, flags] { return run_new(session, *flags); }};
}

}  // namespace thallo::cli
