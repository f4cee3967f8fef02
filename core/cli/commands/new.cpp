// thallo new WHAT NAME: writes the folder of a plugin to start from.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/cli/commands/command.h"
#include "core/cli/commands/construct_skeleton.h"
#include "core/cli/commands/cost_model_skeleton.h"
#include "core/cli/commands/problem_skeleton.h"
#include "core/cli/commands/search_skeleton.h"
#include "core/frontend/schedule_text.h"
#include "core/search/search.h"

namespace thallo::cli {
namespace {

namespace fs = std::filesystem;

// What can be made, with what is done with it first.
struct Kind {
  std::string_view what;
  std::vector<SkeletonFile> (*files)(std::string_view name, std::string_view version);
  std::string_view folder;                                   // of build/lib/thallo
  std::string_view use;                                      // with {} for the name
  void (*check)(Session& session, const std::string& name);  // beside what all names have to be
};

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

template <class T>
void require_free_item(Session& session, const std::string& name) {
  const Registry<T>& registry = session.registry<T>();
  if (const auto* entry = registry.find_entry(name))
    throw UserError(
        fmt::format("there is a {} '{}' already, in {}", registry.kind(), name, entry->provenance));
}

constexpr std::array<Kind, 4> Kinds = {{
    {"problem", problem_skeleton, "problems", "solve {} --out result", nullptr},
    {"construct", construct_skeleton, "plugins", "explain image_warping --schedule example.sched",
     require_free_method},
    {"search", search_skeleton, "plugins", "explore image_warping --search {}",
     require_free_item<Search>},
    {"cost_model", cost_model_skeleton, "plugins",
     "explain image_warping --schedule auto --model {}", require_free_item<CostModel>},
}};

// UserError with the kinds that there are.
const Kind& kind_of(const std::string& what) {
  const auto found = std::ranges::find(Kinds, what, &Kind::what);
  if (found != Kinds.end()) return *found;
  std::vector<std::string> known;
  for (const Kind& kind : Kinds) known.emplace_back(kind.what);
  throw UserError(Diagnostic{
      fmt::format("thallo new makes no '{}'{}", what, did_you_mean(what, known)), {}, known});
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
  const Kind& kind = kind_of(flags.what);
  require_free_name(session, flags.what, flags.name);
  if (kind.check != nullptr) kind.check(session, flags.name);
  const std::string_view build = core_build_id();  // "0.1.0+8fd2c01e (g++ 12.2.0)"
  const std::string_view version = build.substr(0, build.find('+'));
  const fs::path folder = fs::path(flags.folder) / flags.name;
  make_folder(folder);
  fmt::print("Made {} with\n", folder.string());
  for (const SkeletonFile& file : kind.files(flags.name, version)) {
    write_new_file(folder / file.name, file.content);
    fmt::print("  {}\n", file.name);
  }
  fmt::print(R"(
Build it against an installed Thallo (DIR: its CMAKE_INSTALL_PREFIX), and {}:
  cd {}
  cmake -B build -DCMAKE_PREFIX_PATH=DIR && cmake --build build
  thallo --plugin-path build/lib/thallo/{} {}
)",
             flags.what == "problem" ? "solve it" : "use it", folder.string(), kind.folder,
             fmt::format(fmt::runtime(kind.use), flags.name));
  return ExitCode::Ok;
}

}  // namespace

Command add_new_command(CLI::App& app, Session& session) {
  auto flags = std::make_shared<NewFlags>();
  CLI::App* command = app.add_subcommand(
      "new", "write the files of a new problem, construct, search or cost model to start from");
  command->add_option("WHAT", flags->what, "problem, construct, search or cost_model")->required();
  command->add_option("NAME", flags->name, "of it and of its folder: lower case, digits and _")
      ->required();
  command->add_option("--dir", flags->folder, "the folder to make it in [.]")->type_name("DIR");
  command->footer(R"(Examples:
  thallo new problem tv_denoise
  thallo new problem tv_denoise --dir ~/problems
  thallo new construct skip_zeros
  thallo new search patient
  thallo new cost_model bytes

Where an energy on files is all there is to say, no problem in C++ is needed: see thallo run.)");
  return {command, [&session, flags] { return run_new(session, *flags); }};
}

}  // namespace thallo::cli
