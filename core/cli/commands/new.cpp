// thallo new WHAT NAME: writes the folder of a plugin to start from, or a random energy.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/assets.h"
#include "core/base/error.h"
#include "core/base/io/file.h"
#include "core/base/random.h"
#include "core/base/suggest.h"
#include "core/cli/commands/command.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/require.h"
#include "core/energy/random/random_energy.h"
#include "core/frontend/schedule_text.h"
#include "core/language/energy_text.h"
#include "core/language/load_energy.h"
#include "core/search/search.h"

namespace thallo::cli {
namespace {

namespace fs = std::filesystem;

// The descriptor of a plugin has room for a name of 63 characters.
constexpr std::size_t MaxNameLength = 48;

std::string class_name(std::string_view name) {
  std::string result;
  bool starts_word = true;
  for (const char c : name) {
    if (c != '_')
      result += starts_word ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    starts_word = c == '_';
  }
  return result;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

struct SkeletonFile {
  std::string name;  // relative to the new folder
  std::string content;
};

// True for a name of lower-case letters, digits and '_' that begins with a letter: it becomes part
// of file, target and class names.
bool is_skeleton_name(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= MaxNameLength && is_letter(name.front()) &&
         std::ranges::all_of(
             name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

// Returns the files of assets/templates/WHAT, ordered by name. In them @NAME@ becomes the name
// (tv_denoise), @CLASS@ its form in class names (TvDenoise) and @VERSION@ the version of Thallo
// (0.2.0), in their names NAME the name. Throws UserError if they cannot be read.
std::vector<SkeletonFile> filled_skeleton(std::string_view what, std::string_view name,
                                          std::string_view version) {
  const fs::path folder = fs::path("templates") / what;
  std::vector<SkeletonFile> files;
  std::error_code error;  // no such folder has no files
  const fs::directory_iterator templates(find_asset(folder).value_or(fs::path()), error);
  for (const fs::directory_entry& entry : templates) {
    std::string content = require(read_file(entry.path()));
    content = replace_all(std::move(content), "@NAME@", name);
    content = replace_all(std::move(content), "@CLASS@", class_name(name));
    content = replace_all(std::move(content), "@VERSION@", version);
    files.push_back({replace_all(entry.path().stem().string(), "NAME", name), std::move(content)});
  }
  if (files.empty())
    throw UserError(fmt::format("the templates of Thallo are not installed: there is no {}",
                                ("share/thallo" / folder).string()));
  std::ranges::sort(files, {}, &SkeletonFile::name);
  return files;
}

// What can be made, with what is done with it first.
struct Kind {
  std::string_view what;
  std::string_view folder;                                   // of build/lib/thallo
  std::string_view use;                                      // with {} for the name
  void (*check)(Session& session, const std::string& name);  // beside what all names have to be
};

struct NewFlags {
  std::string what;
  std::string name;
  std::string folder = ".";
  std::optional<std::uint64_t> seed;
};

constexpr std::string_view EnergyKind = "energy";  // the one that is no plugin: two files

// Binds what the text declares, which leaves out inputs that nothing reads.
std::string bindings_text(const Energy& energy, const RandomProblem& problem, std::uint64_t seed) {
  std::string text = "[bind]\n";
  for (const Dim& dim : energy.dims())
    text += fmt::format("{} = {}\n", dim.name, problem.extents.at(dim.name));
  Random random(seed);
  for (const Field& field : energy.fields()) {
    if (field.kind == FieldKind::Intermediate) continue;
    text += field.kind == FieldKind::Param
                ? fmt::format("{} = {:.2f}\n", field.name, random.uniform(0.25, 1.5))
                : fmt::format("{} = \"random\"\n", field.name);
  }
  for (const SparseMap& map : energy.maps())
    text += fmt::format("{} = \"{}\"\n", map.name, problem.has_nearby_maps ? "nearby" : "random");
  return text;
}

// Returns NAME.lua and NAME.toml of `thallo new energy NAME --random SEED`: a random energy as a
// text of the language, and what binds its inputs to generated data. They are a function of the
// name and the seed on every platform.
std::vector<SkeletonFile> random_energy_files(std::string_view name, std::uint64_t seed) {
  const RandomProblem problem = make_random_problem(seed);
  const auto text = energy_text(problem.energy);
  THALLO_ASSERT(text, "random energy {}: {}", seed, text.error().message());
  const std::string file = fmt::format("{}.lua", name);
  const auto loaded = load_energy_text(*text, file);
  THALLO_ASSERT(loaded, "random energy {}: {}", seed, loaded.error().message());
  const std::string header = fmt::format(
      "-- The random energy of seed {0}, by `thallo new energy {1} --random {0}`.\n", seed, name);
  const std::string description = fmt::format(
      "title = \"Random energy {0}\"\nshows = \"what the seed {0} gives\"\n\n{1}\n[solver]\n"
      "nIterations = 20\n",
      seed, bindings_text(loaded->energy, problem, seed));
  return {{file, header + *text}, {fmt::format("{}.toml", name), description}};
}

void require_free_name(Session& session, const std::string& what, const std::string& name) {
  if (!is_skeleton_name(name))
    throw UserError(
        fmt::format("'{}' cannot be the name of {} {}: it takes at most 48 lower-case letters, "
                    "digits and '_', a letter first, e.g. my_{}",
                    name, what == EnergyKind ? "an" : "a", what, what));
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
    {"problem", "problems", "solve {} --out result", nullptr},
    {"construct", "plugins", "explain image_warping --schedule example.sched", require_free_method},
    {"search", "plugins", "explore image_warping --search {}", require_free_item<Search>},
    {"cost_model", "plugins", "explain image_warping --schedule auto --model {}",
     require_free_item<CostModel>},
}};

// UserError with the kinds that there are.
const Kind& kind_of(const std::string& what) {
  const auto found = std::ranges::find(Kinds, what, &Kind::what);
  if (found != Kinds.end()) return *found;
  std::vector<std::string> known = names_of(Kinds, &Kind::what);
  known.emplace_back(EnergyKind);
  throw UserError(unknown_name("thallo new makes no", what, known));
}

// Nothing is ever overwritten.
void require_new(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path.parent_path(), error))
    throw UserError(fmt::format("--dir {}: there is no such folder", path.parent_path().string()));
  if (fs::exists(fs::symlink_status(path, error)))
    throw UserError(fmt::format("{} is there already; nothing is overwritten", path.string()));
}

void make_new_folder(const fs::path& folder) {
  require_new(folder);
  std::error_code error;
  if (!fs::create_directory(folder, error))
    throw UserError(fmt::format("{} cannot be made: {}", folder.string(), error.message()));
}

ExitCode write_random_energy(Session& session, const NewFlags& flags) {
  require_free_name(session, flags.what, flags.name);
  if (!flags.seed)
    throw UserError(
        "thallo new energy writes a random energy: say which one, e.g. --random 1 (for one of your "
        "own, thallo new problem writes an energy to start from)");
  const std::vector<SkeletonFile> files = random_energy_files(flags.name, *flags.seed);
  for (const SkeletonFile& file : files) require_new(fs::path(flags.folder) / file.name);
  fmt::print("Made");
  for (const SkeletonFile& file : files) {
    const fs::path path = fs::path(flags.folder) / file.name;
    require(write_file(path, file.content));
    fmt::print(" {}", path.string());
  }
  fmt::print(R"(
Look at it, check it, solve it and explore it:
  thallo print energy {0}
  thallo check {0}
  thallo run {0}
  thallo explore {0}
)",
             (fs::path(flags.folder) / files.front().name).string());
  return ExitCode::Ok;
}

ExitCode run_new(Session& session, const NewFlags& flags) {
  if (flags.what == EnergyKind) return write_random_energy(session, flags);
  const Kind& kind = kind_of(flags.what);
  if (flags.seed)
    throw UserError(fmt::format("--random: a {} is not made at random; an energy is", flags.what));
  require_free_name(session, flags.what, flags.name);
  if (kind.check != nullptr) kind.check(session, flags.name);
  const std::string_view build = core_build_id();  // "0.1.0+8fd2c01e (g++ 12.2.0)"
  const std::string_view version = build.substr(0, build.find('+'));
  const std::vector<SkeletonFile> files = filled_skeleton(kind.what, flags.name, version);
  const fs::path folder = fs::path(flags.folder) / flags.name;
  make_new_folder(folder);
  fmt::print("Made {} with\n", folder.string());
  for (const SkeletonFile& file : files) {
    require(write_file(folder / file.name, file.content));
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
  CLI::App* command = app.add_subcommand("new",
                                         "write the files of a new problem, construct, search or "
                                         "cost model to start from, or a random energy");
  command->add_option("WHAT", flags->what, "problem, construct, search, cost_model or energy")
      ->required();
  command->add_option("NAME", flags->name, "of it and of its folder: lower case, digits and _")
      ->required();
  add_value(*command, "--dir", flags->folder, "DIR", "the folder to make it in [.]");
  add_value(*command, "--random", flags->seed, "SEED",
            "of an energy: its seed, the same energy everywhere");
  command->footer(R"(Examples:
  thallo new problem tv_denoise
  thallo new problem tv_denoise --dir ~/problems
  thallo new construct skip_zeros
  thallo new search patient
  thallo new cost_model bytes
  thallo new energy sample_17 --random 17

Where an energy on files is all there is to say, no problem in C++ is needed: see thallo run.)");
  return {command, [&session, flags] { return run_new(session, *flags); }};
}

}  // namespace thallo::cli
