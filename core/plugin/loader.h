// Finds, checks and loads plugins. Nothing here is fatal: a plugin that fails is a row in the
// report, and the others are loaded.
//
// Folders, in this order:
//   1. --plugin-path, as often as given
//   2. THALLO_PLUGIN_PATH, folders separated by ':'
//   3. thallo/plugins and thallo/problems beside the core library (lib/thallo/... where installed;
//      the build tree has the same layout)
// In each folder, but not in its subfolders, files that match *.thallo.so are taken in order of
// their names. A file met twice is loaded once.
//
// Per file: read its descriptor (core/plugin/abi.h), check it, wait for what it needs, dlopen with
// RTLD_NOW | RTLD_LOCAL, register. Libraries stay open to the end of the process.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/plugin/registrar.h"

namespace thallo {

struct PluginFolder {
  std::filesystem::path path;
  std::string origin;  // what named it: "--plugin-path", "THALLO_PLUGIN_PATH", "built in"
};

// Returns the search order above; `command_line` are the values of --plugin-path. Folders that do
// not exist are included, so that `thallo plugins --verbose` can say so.
std::vector<PluginFolder> plugin_folders(std::span<const std::string> command_line = {});

// What a plugin says about itself.
struct PluginInfo {
  std::filesystem::path path;
  std::string name;
  std::string version;
  std::string core_build;
  std::vector<std::string> needs;  // "construct split_merge"
  std::vector<std::string> adds;   // likewise; known when it is loaded
};

// The stage at which a plugin was refused.
enum class PluginStage { Descriptor, Versions, Needs, Load, Register };
template <>
inline constexpr EnumNames enum_names<PluginStage> = {
    "stage of loading", {"descriptor", "versions", "needs", "load", "register"}};

struct PluginFailure {
  std::filesystem::path path;
  PluginStage stage = PluginStage::Descriptor;
  std::string message;  // path, what was found, what was wanted, what to do
};

struct PluginReport {
  std::vector<PluginFolder> folders;  // in search order
  std::vector<PluginInfo> loaded;     // in loading order
  std::vector<PluginFailure> failures;
};

// Returns the build of this core, which plugins must match exactly: "0.3.1+8fd2c01e (g++ 12.2.0)".
std::string_view core_build_id();

// Reads and checks a file's descriptor without opening it as a library.
tl::expected<PluginInfo, PluginFailure> read_plugin(const std::filesystem::path& file);

// Loads all plugins found. Failures are also logged, as warnings of the logger "plugin".
PluginReport load_plugins(std::vector<PluginFolder> folders, const RegistrySet& registries);

}  // namespace thallo
