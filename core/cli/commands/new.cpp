// thallo new problem NAME, thallo new construct NAME: write a folder with a plugin to start from.
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
#include "core/cli/commands/construct_skeleton.h"
#include "core/cli/commands/problem_skeleton.h"
#include "core/frontend/schedule_text.h"

namespace thallo::cli {
namespace {

namespace fs = std::filesystem;

struct NewFlags {
  std::string what;
  std::string name;
  std::string folder = ".";
};

void require_free_name(Session& session, const std::string& what, const std::string& name) {
  if (!is_skeleton_name(name))
    throw UserError(
        fmt::format("'{}' cannot be the name of a {}: it takes at most 48 lower-case letters, "
                    "digits and '_', a letter first, e.g. my_{}",
                    name, what, what));
  const auto refuse = [&](std::string_view kind, const std::string& owner) {
    throw UserError(fmt::format(
        "there is a {} '{}' already, in {}; of two with one name only the first is loaded", kind,
        name, owner));
  };
  if (const auto* problem = session.problems().find_entry(name))
    refuse("problem", problem->provenance);
  for (const PluginInfo& plugin : session.plugins().loaded) {
    if (plugin.name == name) refuse("plugin", plugin.path.string());
  }
}

// The name of a new construct is also the method by which schedules use it, r.fit:NAME(true).
void require_free_method(Session& session, const std::string& name) {
  const ScheduleText text = parse_schedule_text(fmt::format("r.fit:{}(true)", name), "");
  if (text.statements.size() != 1)
    throw UserError(fmt::format(
        "'{0}' cannot be the name of a construct: r.fit:{0}(true) would not be read as its "
        "statement, because the language has a meaning for the word",
        name));
  for (const auto* entry : session.constructs().entries()) {
    for (const Spelling& spelling : entry->item->spellings()) {
      if (spelling.method == name)
        throw UserError(
            fmt::format("'{}' cannot be the name of a construct: the construct {} reads statements "
                        "of that name",
                        name, entry->name));
    }
  }
}

void write_new_file(const fs::path& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (!file) throw UserError(fmt::format("{} cannot be written", path.string()));
}

// Makes the folder. It must not exist, so nothing is ever overwritten.
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
  const bool is_problem = flags.what == "problem";
  if (!is_problem && flags.what != "construct")
    throw UserError(fmt::format(
        "thallo new makes no '{}'; write thallo new problem NAME or thallo new construct NAME",
        flags.what));
  require_free_name(session, flags.what, flags.name);
  if (!is_problem) require_free_method(session, flags.name);
  const std::string_view build = core_build_id();  // "0.1.0+8fd2c01e (g++ 12.2.0)"
  const std::string_view version = build.substr(0, build.find('+'));
  const fs::path folder = fs::path(flags.folder) / flags.name;
  make_folder(folder);
  fmt::print("Made {} with\n", folder.string());
  for (const SkeletonFile& file : is_problem ? problem_skeleton(flags.name, version)
                                             : construct_skeleton(flags.name, version)) {
    write_new_file(folder / file.name, file.content);
    fmt::print("  {}\n", file.name);
  }
  fmt::print(R"(
Build it against an installed Thallo (DIR: its CMAKE_INSTALL_PREFIX), and {}:
  cd {}
  cmake -B build -DCMAKE_PREFIX_PATH=DIR && cmake --build build
  thallo --plugin-path build/lib/thallo/{}
)",
             is_problem ? "solve it" : "use it", folder.string(),
             is_problem ? fmt::format("problems solve {} --out result", flags.name)
                        : "plugins explain image_warping --schedule example.sched");
  return ExitCode::Ok;
}

}  // namespace

Command add_new_command(CLI::App& app, Session& session) {
  auto flags = std::make_shared<NewFlags>();
  CLI::App* command =
      app.add_subcommand("new", "write the files of a new problem or construct to start from");
  command->add_option("WHAT", flags->what, "problem or construct")->required();
  command->add_option("NAME", flags->name, "of it and of its folder: lower case, digits and _")
      ->required();
  command->add_option("--dir", flags->folder, "the folder to make it in [.]")->type_name("DIR");
  command->footer(R"(Examples:
  thallo new problem tv_denoise
  thallo new problem tv_denoise --dir ~/problems
  thallo new construct skip_zeros

Where an energy on files is all there is to say, no problem in C++ is needed: see thallo run.)");
  return {command, [&session, flags] { return run_new(session, *flags); }};
}

}  // namespace thallo::cli
