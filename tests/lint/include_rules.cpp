#include "tests/lint/include_rules.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace thallo::test {
namespace {

constexpr std::string_view Layers[] = {
    "base",     "linear", "ir",    "energy", "diff",    "schedule", "frontend",
    "language", "kernel", "cost",  "search", "backend", "solve",    "problem",
    "export",   "plugin", "embed", "c",      "compat",  "explore",  "cli"};

// Of the app, beside core's: each includes those before it. Models of a feature know those of the
// features before it, widgets know no feature, and views know only the views that are shared.
enum class GuiLayer { Base, Jobs, Models, Widgets, Views, App };
constexpr std::string_view GuiFeatures[] = {"problem", "schedule", "graph",    "kernels",
                                            "space",   "solve",    "workspace"};
constexpr std::string_view SharedFeature = "workspace";

// Folders of core whose headers only they themselves include, and the sources (no headers) that lie
// directly in the folder above. Everyone else goes through public headers; the header that has the
// name of its folder is one.
constexpr std::string_view PrivateFolders[] = {
    "core/kernel/lowering/",   "core/kernel/codegen/",        "core/kernel/emit/",
    "core/cost/autoschedule/", "core/cost/pricing/estimate/", "core/explore/store/sqlite/"};

// A library that only some files may include. `allowed` is a folder (ends in '/') or a file; an
// empty one stands for every .cpp file and no header, but those that only sources include
// (core/base/json_fields.h).
struct LibraryRule {
  std::string_view library;
  std::string_view allowed;
  std::initializer_list<std::string_view> headers;  // prefixes of what is included
};
const LibraryRule LibraryRules[] = {
    {"CUDA", "core/backend/cuda/", {"cuda", "nvrtc", "nvJitLink", "cublas", "cusparse"}},
    {"MPI", "plugins/mpi/", {"mpi.h"}},
    {"MUMPS", "plugins/multifrontal_cholesky/", {"dmumps"}},
    {"Lua", "core/language/", {"lua.h", "lua.hpp", "lauxlib.h", "lualib.h", "lua5.4/"}},
    {"spdlog", "core/base/log.cpp", {"spdlog/"}},
    {"SQLite", "core/explore/store/sqlite/", {"sqlite3"}},
    {"nlohmann_json", "", {"nlohmann/json.hpp"}},
    {"CLI11", "core/cli/", {"CLI/"}},
    {"Boost.Graph", "", {"boost/graph/"}},
    {"Eigen", "", {"Eigen/", "unsupported/Eigen/"}},
    {"nanoflann", "", {"nanoflann"}},
    {"QCustomPlot", "gui/widgets/qcp.h", {"qcustomplot"}},
};

constexpr std::string_view FieldsHeader = "_fields.h";

bool is_shared_header(std::string_view path) {
  return path.ends_with(".h") && !path.ends_with(FieldsHeader);
}

std::string_view folder_of(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

// "ir" of "core/ir/graph.h", "" for files that are not below `top`.
std::string_view layer_of(std::string_view path, std::string_view top = "core/") {
  if (!path.starts_with(top)) return {};
  path.remove_prefix(top.size());
  const std::size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

// -1 for a folder that is no layer.
std::ptrdiff_t rank_of(std::string_view layer,
                       std::span<const std::string_view> all = std::span(Layers)) {
  const auto it = std::find(all.begin(), all.end(), layer);
  return it == all.end() ? -1 : it - all.begin();
}

// The first two folders: "core/ir/" of "core/ir/graph.h"; "plugins/" when the
// file lies directly in plugins.
std::string_view unit_of(std::string_view path) {
  const std::size_t first = path.find('/');
  const std::size_t second = path.find('/', first + 1);
  return path.substr(0, (second == std::string_view::npos ? first : second) + 1);
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

// "estimate" of "core/cost/pricing/estimate/".
std::string_view name_of(std::string_view folder) {
  folder.remove_suffix(1);
  return folder.substr(folder.rfind('/') + 1);
}

// The fault of including a header of a private folder.
std::optional<std::string> find_private_fault(std::string_view path, std::string_view target) {
  for (const std::string_view folder : PrivateFolders) {
    if (!target.starts_with(folder) || path.starts_with(folder)) continue;
    const std::string_view layer = folder_of(folder.substr(0, folder.size() - 1));
    if (folder_of(path) == layer && path.ends_with(".cpp")) continue;
    if (target == fmt::format("{}{}.h", folder, name_of(folder))) continue;
    return fmt::format("{} is private; only it and the sources of {} include its headers", folder,
                       layer);
  }
  return std::nullopt;
}

// Empty for a folder that is none of the app's.
std::optional<GuiLayer> gui_layer_of(std::string_view path) {
  const std::string_view folder = layer_of(path, "gui/");
  if (folder == "base") return GuiLayer::Base;
  if (folder == "jobs") return GuiLayer::Jobs;
  if (folder == "widgets") return GuiLayer::Widgets;
  if (folder == "app") return GuiLayer::App;
  if (rank_of(folder, GuiFeatures) < 0) return std::nullopt;
  return path.starts_with(fmt::format("gui/{}/view/", folder)) ? GuiLayer::Views : GuiLayer::Models;
}

// Of a file of the app.
std::optional<std::string> find_gui_fault(std::string_view path, std::string_view target) {
  const std::optional<GuiLayer> layer = gui_layer_of(path);
  if (!layer) return fmt::format("'{}' is no folder of the app", folder_of(path));
  if (target.starts_with("core/")) {
    if (target.starts_with("core/cli/")) return "the app lies beside core/cli, not above it";
    if (layer == GuiLayer::Widgets || layer == GuiLayer::Views)
      return "views are painted from models; they include no header of core";
    return std::nullopt;
  }
  if (!target.starts_with("gui/")) return "the app includes itself and core only";
  const std::optional<GuiLayer> target_layer = gui_layer_of(target);
  const std::string_view feature = layer_of(path, "gui/"), other = layer_of(target, "gui/");
  const bool is_later = layer == GuiLayer::Models && target_layer == layer &&
                        rank_of(other, GuiFeatures) > rank_of(feature, GuiFeatures);
  if (target_layer > layer || is_later)
    return fmt::format("{} lies above {}; include downward only", folder_of(target),
                       folder_of(path));
  if (layer == GuiLayer::Widgets && target_layer == GuiLayer::Models)
    return "widgets know no feature";
  if (layer == GuiLayer::Views && target_layer == layer && other != feature &&
      other != SharedFeature)
    return fmt::format("views do not know each other; they share those of gui/{}/view/",
                       SharedFeature);
  return std::nullopt;
}

// The fault of including one of our own files, without the names of both.
std::optional<std::string> find_layer_fault(std::string_view path, std::string_view target) {
  if (path.starts_with("tests/")) return std::nullopt;
  if (const auto fault = find_private_fault(path, target)) return fault;
  if (path.starts_with("plugins/") || path.starts_with("problems/")) {
    if (target.starts_with("core/")) {
      if (starts_with_any(target, {"core/cli/", "core/explore/", "core/backend/cpu/",
                                   "core/backend/cuda/", "core/backend/interpreter/"}))
        return "plugins and problems include public core headers only";
      return std::nullopt;
    }
    // A file that lies directly in plugins/ is a plugin of its own.
    const bool own = unit_of(path) == unit_of(target) && unit_of(path) != folder_of("plugins/");
    if (own) return std::nullopt;
    return "plugins and problems never include each other";
  }
  // What is precompiled is included by nobody: each file of the app says what it uses.
  if (path == "gui/pch.h" && target.starts_with("core/")) return std::nullopt;
  if (path.starts_with("gui/")) return find_gui_fault(path, target);
  const std::ptrdiff_t rank = rank_of(layer_of(path));
  const std::ptrdiff_t target_rank = rank_of(layer_of(target));
  if (path == "core/pch.h") return "core/pch.h includes libraries only";
  if (rank < 0) return fmt::format("'{}' is no layer of core", folder_of(path));
  if (target_rank < 0) return fmt::format("core includes its layers only (core/ir/graph.h)");
  if (target_rank > rank) {
    return fmt::format("core/{} lies above core/{}; include downward only", layer_of(target),
                       layer_of(path));
  }
  return std::nullopt;
}

std::optional<std::string> find_library_fault(std::string_view path, std::string_view target) {
  for (const LibraryRule& rule : LibraryRules) {
    if (!starts_with_any(target, rule.headers)) continue;
    if (rule.allowed.empty()) {
      if (is_shared_header(path)) {
        return fmt::format("{} takes long to compile; include it in .cpp files only", rule.library);
      }
    } else if (!path.starts_with(rule.allowed)) {
      return fmt::format("only {} includes {}", rule.allowed, rule.library);
    }
  }
  const bool qt = target.size() > 1 && target[0] == 'Q' && target.find('.') == target.npos;
  if (qt && !path.starts_with("gui/") && !path.starts_with("tests/gui/"))
    return "only gui includes Qt";
  return std::nullopt;
}

}  // namespace

std::span<const std::string_view> layers() { return Layers; }

std::optional<std::string> find_fault(std::string_view path, const Include& include) {
  constexpr std::array<std::string_view, 5> Tops = {"core/", "plugins/", "problems/", "tests/",
                                                    "gui/"};
  const bool ours = std::any_of(Tops.begin(), Tops.end(), [&](std::string_view top) {
    return include.target.starts_with(top);
  });
  std::optional<std::string> fault;
  if (ours) {
    fault = find_layer_fault(path, include.target);
    if (!fault && is_shared_header(path) && include.target.ends_with(FieldsHeader))
      fault = "it includes JSON, which takes long to compile; include it in .cpp files only";
  } else if (include.quoted) {
    fault = "our files are included by their path from the repository root, libraries in <>";
  } else {
    fault = find_library_fault(path, include.target);
  }
  if (!fault) return std::nullopt;
  return fmt::format("{}:{} includes {}: {}", path, include.line, include.target, *fault);
}

}  // namespace thallo::test
