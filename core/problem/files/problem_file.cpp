#include "core/problem/files/problem_file.h"

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/io/toml.h"
#include "core/base/suggest.h"
#include "core/problem/files/field_values.h"
#include "core/solve/options.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

// Each input becomes a flag of the commands that take a problem (solve, check, print, explain,
// explore, export, report, verify, bench schedules, bench moves). These names are reserved because
// those commands have flags of the same name. The command line treats "_" as "-".
constexpr std::string_view Reserved =
    " against all arch backend best bind budget check-points check-seed compile-time-limit"
    " count csv dark device device-name device-spec devices double expand float follow force"
    " full help help-search html index jobs json lines list measure memory-limit model"
    " most mtx npy objective others out passes pictures pin plugin-path preamble published quiet "
    "raw repeats"
    " sample schedule search searches search-seed search-set seed seeds set shard sites solver "
    "space"
    " stages steps store switches threads time-limit verbose version ";

bool is_reserved(std::string flag) {
  std::ranges::replace(flag, '_', '-');
  return Reserved.find(fmt::format(" {} ", flag)) != std::string_view::npos;
}

class ProblemFile {
 public:
  ProblemFile(const fs::path& path, const toml::table& table, const FrontEndRegistry& front_ends)
      : path_(path), table_(table), front_ends_(front_ends) {}

  Expected<EnergyProblemSpec> read() {
    const std::vector<std::string> keys = {"title",  "shows", "citation", "picture", "energy",
                                           "double", "bind",  "solver",   "out"};
    for (const auto& [key, node] : table_) {
      if (std::ranges::find(keys, key.str()) == keys.end())
        return fail(unknown_name("unknown key", key.str(), keys, where(node)));
    }
    EnergyProblemSpec spec;
    const std::string name = path_.stem().string();
    spec.info = {name, name, "", "an energy text and its bindings, without C++"};
    std::string energy = text_beside();
    std::optional<Diagnostic> fault;
    const auto take = [&](std::string_view key, auto& target) {
      using T = std::decay_t<decltype(target)>;
      const toml::node* node = table_.get(key);
      if (node == nullptr || fault) return;
      if (const auto value = node->value_exact<T>()) {
        target = *value;
      } else {
        fault = Diagnostic{fmt::format("'{}' must be {}", key,
                                       std::is_same_v<T, bool> ? "true or false" : "a text"),
                           where(*node)};
      }
    };
    take("title", spec.info.title);
    take("shows", spec.info.shows);
    take("citation", spec.info.citation);
    std::string picture;
    take("picture", picture);
    take("energy", energy);
    bool in_double = false;
    take("double", in_double);
    if (fault) return fail(*fault);
    if (in_double) spec.precision = Precision::Double;
    spec.energy = path_.parent_path() / energy;
    spec.front_ends = &front_ends_;
    std::error_code error;
    if (!fs::is_regular_file(spec.energy, error)) {
      return fail_at({path_}, "its energy text {} is not there; say energy = \"FILE{}\"",
                     spec.energy.string(), energy_suffixes(front_ends_).front());
    }
    if (!picture.empty()) spec.info.picture = path_.parent_path() / picture;
    if (!picture.empty() && !fs::is_regular_file(spec.info.picture, error))
      return fail_at({path_}, "its picture {} is not there", spec.info.picture.string());
    for (auto& [key, target] :
         {std::pair("bind", &spec.bindings), std::pair("solver", &spec.solver),
          std::pair("out", &spec.outputs)}) {
      if (auto read = read_texts(key, *target); !read) return fail(read.error());
    }
    if (auto checked = check(spec); !checked) return fail(checked.error());
    spec.write_all = spec.outputs.empty();
    return spec;
  }

 private:
  // The energy text that is called as this file, where none is named.
  std::string text_beside() const {
    const std::vector<std::string> suffixes = energy_suffixes(front_ends_);
    std::error_code error;
    for (const std::string& suffix : suffixes) {
      const fs::path text = fs::path(path_).replace_extension(suffix);
      if (fs::is_regular_file(text, error)) return text.filename().string();
    }
    return path_.stem().string() + suffixes.front();
  }

  SourceLocation where(const toml::node& node) const { return location_of(path_, node); }

  // Reads a table of texts, numbers and lists of numbers as texts, like those of a command line.
  Expected<void> read_texts(std::string_view key, std::vector<SourceText>& texts) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return {};
    const toml::table* entries = node->as_table();
    if (entries == nullptr) return fail_at(where(*node), "'{}' is a table: [{}]", key, key);
    for (const auto& [name, value] : *entries) {
      const auto text = text_of(value);
      if (!text) {
        return fail_at(where(value), "'{}' must be a text, a number or a list of numbers",
                       name.str());
      }
      texts.push_back({std::string(name.str()), *text});
    }
    return {};
  }

  static std::optional<std::string> text_of(const toml::node& node) {
    if (const auto text = node.value_exact<std::string>()) return *text;
    if (const auto integer = node.value_exact<std::int64_t>()) return std::to_string(*integer);
    if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
    if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
    const toml::array* list = node.as_array();
    if (list == nullptr) return std::nullopt;
    std::vector<std::string> parts;
    for (const toml::node& entry : *list) {
      if (!entry.is_number()) return std::nullopt;
      parts.push_back(*text_of(entry));
    }
    return fmt::format("{}", fmt::join(parts, ","));
  }

  // Checks what can be checked before the energy is loaded. Makes paths relative to the folder of
  // this file.
  Expected<void> check(EnergyProblemSpec& spec) const {
    for (SourceText& binding : spec.bindings) {
      if (is_reserved(binding.name)) {
        return fail_at({path_},
                       "an input named '{}' cannot be bound here: --{} means something else "
                       "on the command line; rename it in the energy",
                       binding.name, binding.name);
      }
      if (is_value(binding.source) || fs::path(binding.source).is_absolute()) continue;
      binding.source = (path_.parent_path() / binding.source).string();
    }
    for (const SourceText& output : spec.outputs) {
      // Whoever runs the problem decides where its files go.
      const fs::path file = fs::path(output.source).lexically_normal();
      if (file.is_relative() && !file.empty() && *file.begin() != "..") continue;
      return fail_at({path_},
                     "output {}={} leads out of the folder that results are written to; write a "
                     "path in it, e.g. {}",
                     output.name, output.source, fs::path(output.source).filename().string());
    }
    SolverOptions options;
    for (const auto& [name, text] : spec.solver) {
      if (auto set = options.set(name, text); !set) {
        Diagnostic fault = set.error();
        fault.where.file = path_;
        return fail(std::move(fault));
      }
    }
    return {};
  }

  const fs::path& path_;
  const toml::table& table_;
  const FrontEndRegistry& front_ends_;
};

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  std::ranges::sort(entries);
  return entries;
}

}  // namespace

bool is_energy_path(std::string_view text, const FrontEndRegistry& front_ends) {
  return is_energy_text(front_ends, text) || text.ends_with(".toml");
}

Expected<EnergyProblemSpec> read_energy_problem(const fs::path& path,
                                                std::span<const SourceText> bindings,
                                                const FrontEndRegistry& front_ends) {
  std::error_code error;
  if (!fs::exists(path, error)) return fail_at({path}, "there is no such file");
  fs::path description = path;
  description.replace_extension(".toml");
  EnergyProblemSpec spec;
  if (fs::exists(description, error)) {
    THALLO_TRY(spec, read_problem_file(description, front_ends));
  } else {
    const std::string name = path.stem().string();
    spec.info = {name, name, "", ""};
    spec.front_ends = &front_ends;
  }
  if (path != description) spec.energy = path;
  spec.bindings.insert(spec.bindings.end(), bindings.begin(), bindings.end());
  return spec;
}

Expected<EnergyProblemSpec> read_problem_file(const fs::path& path,
                                              const FrontEndRegistry& front_ends) {
  THALLO_TRY(const auto table, read_toml(path));
  return ProblemFile(path, table, front_ends).read();
}

std::vector<std::pair<fs::path, std::string>> add_problem_files(std::span<const fs::path> folders,
                                                                const FrontEndRegistry& front_ends,
                                                                ProblemRegistry& problems) {
  std::vector<fs::path> files;
  const auto collect = [&](const fs::path& entry) {
    if (entry.extension() == ".toml") files.push_back(entry);
  };
  std::error_code error;
  for (const fs::path& folder : folders) {
    for (const fs::path& entry : sorted_entries(folder)) {
      collect(entry);
      if (fs::is_directory(entry, error)) std::ranges::for_each(sorted_entries(entry), collect);
    }
  }
  std::vector<std::pair<fs::path, std::string>> refused;
  std::set<fs::path> seen;
  for (const fs::path& file : files) {
    const fs::path canonical = fs::canonical(file, error);
    if (!seen.insert(error ? file : canonical).second) continue;
    auto spec = read_problem_file(file, front_ends);
    if (!spec) {
      refused.emplace_back(file, spec.error().message());
      continue;
    }
    const std::string name = spec->info.name;
    auto added =
        problems.add(name, std::make_unique<EnergyProblem>(*std::move(spec)), file.string());
    if (!added)
      refused.emplace_back(file, fmt::format("{}: {}", file.string(), added.error().message()));
  }
  return refused;
}

}  // namespace thallo
