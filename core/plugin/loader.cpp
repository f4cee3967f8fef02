#include "core/plugin/loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <system_error>

#include "core/base/assets.h"
#include "core/base/log.h"
#include "core/base/option_text.h"
#include "core/plugin/demangle.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view Suffix = ".thallo.so";
constexpr std::string_view BuiltIn = "built in";
using RegisterFunction = int (*)(Registrar*, char*, std::size_t) noexcept;

// The candidates in one folder, sorted by name.
std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().ends_with(Suffix) && !it->is_directory(error)) {
      files.push_back(it->path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string_view last_dl_error() {
  const char* text = dlerror();
  return text ? text : "unknown reason";
}

// dlerror() says "FILE: undefined symbol: MANGLED" or, with versions, "... MANGLED, version V".
std::string explain_dl_error(std::string_view text, const fs::path& file) {
  const std::string prefix = file.string() + ": ";
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  constexpr std::string_view Undefined = "undefined symbol: ";
  if (!text.starts_with(Undefined)) return std::string(text);
  text.remove_prefix(Undefined.size());
  const std::size_t end = std::min(text.find_first_of(", \t"), text.size());
  return fmt::format("undefined symbol {}{}", demangle(std::string(text.substr(0, end))),
                     text.substr(end));
}

std::string provenance_of(const PluginInfo& plugin) {
  return fmt::format("{} ({})", plugin.path.string(), plugin.version);
}

class Loading {
 public:
  Loading(std::vector<PluginFolder> folders, const RegistrySet& registries)
      : registries_(registries) {
    report_.folders = std::move(folders);
  }

  PluginReport run() && {
    std::vector<PluginInfo> waiting = read_all();
    // A plugin may need what a later one provides, so rounds follow until one loads nothing.
    for (bool moved = true; moved;) {
      moved = false;
      std::vector<PluginInfo> next;
      for (PluginInfo& plugin : waiting) {
        if (find_missing_need(plugin)) {
          next.push_back(std::move(plugin));
        } else {
          load(std::move(plugin));
          moved = true;
        }
      }
      waiting = std::move(next);
    }
    for (const PluginInfo& plugin : waiting) refuse_for_need(plugin);
    for (const PluginFailure& failure : report_.failures) {
      logger("plugin").warn("{}", failure.message);
    }
    return std::move(report_);
  }

 private:
  // The descriptors of all files found, each file once.
  std::vector<PluginInfo> read_all() {
    std::vector<PluginInfo> plugins;
    std::set<fs::path> seen;
    for (const PluginFolder& folder : report_.folders) {
      warn_if_absent(folder);
      for (const fs::path& file : files_of(folder.path)) {
        std::error_code error;
        const fs::path canonical = fs::canonical(file, error);
        if (!seen.insert(error ? file : canonical).second) continue;
        auto plugin = read_plugin(file);
        if (plugin) {
          plugins.push_back(std::move(*plugin));
        } else {
          report_.failures.push_back(std::move(plugin.error()));
        }
      }
    }
    return plugins;
  }

  // Built-in folders need not exist; a folder that somebody named should.
  static void warn_if_absent(const PluginFolder& folder) {
    std::error_code error;
    if (folder.origin == BuiltIn || fs::is_directory(folder.path, error)) return;
    logger("plugin").warn("{}: no such folder, though {} names it", folder.path.string(),
                          folder.origin);
  }

  std::optional<std::string> find_missing_need(const PluginInfo& plugin) const {
    for (const std::string& need : plugin.needs) {
      const std::size_t space = need.find(' ');
      const std::string_view kind = std::string_view(need).substr(0, space);
      const std::string_view name = space == std::string::npos
                                        ? std::string_view()
                                        : std::string_view(need).substr(space + 1);
      if (!registries_.provides(kind, name)) return fmt::format("{} '{}'", kind, name);
    }
    return std::nullopt;
  }

  void refuse_for_need(const PluginInfo& plugin) {
    std::vector<std::string> searched;
    for (const PluginFolder& folder : report_.folders) searched.push_back(folder.path.string());
    refuse(plugin, PluginStage::Needs,
           fmt::format("needs {}, which no loaded plugin provides (searched: {})",
                       find_missing_need(plugin).value_or(""), fmt::join(searched, ", ")));
  }

  void load(PluginInfo plugin) {
    const auto owner =
        std::find_if(report_.loaded.begin(), report_.loaded.end(),
                     [&](const PluginInfo& loaded) { return loaded.name == plugin.name; });
    if (owner != report_.loaded.end()) {
      refuse(plugin, PluginStage::Register,
             fmt::format("plugin '{}' is already provided by {}; ignored.", plugin.name,
                         provenance_of(*owner)));
      return;
    }
    const std::string& path = plugin.path.native();
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      refuse(plugin, PluginStage::Load,
             fmt::format("cannot be loaded: {}. Rebuild it against this thallo.",
                         explain_dl_error(last_dl_error(), plugin.path)));
      return;
    }
    const auto function =
        reinterpret_cast<RegisterFunction>(dlsym(library, "thallo_register_into"));
    if (!function) {
      refuse(plugin, PluginStage::Load,
             "cannot be loaded: it has no function thallo_register_into. Use THALLO_PLUGIN().");
      return;
    }

    Registrar registrar(registries_, plugin.path.parent_path(), provenance_of(plugin));
    std::array<char, 1024> error = {};
    const int failed = function(&registrar, error.data(), error.size());
    error.back() = '\0';
    if (registrar.conflict()) {
      refuse(plugin, PluginStage::Register, *registrar.conflict() + "; ignored.");
    } else if (failed) {
      refuse(plugin, PluginStage::Register, fmt::format("registration failed: {}", error.data()));
    } else {
      registrar.commit();
      for (const auto& [kind, name] : registrar.added()) plugin.adds.push_back(kind + ' ' + name);
      logger("plugin").debug("{} {} from {}", plugin.name, plugin.version, path);
      report_.loaded.push_back(std::move(plugin));
    }
  }

  void refuse(const PluginInfo& plugin, PluginStage stage, const std::string& why) {
    report_.failures.push_back(
        {plugin.path, stage, fmt::format("{}: {}", plugin.path.string(), why)});
  }

  const RegistrySet& registries_;
  PluginReport report_;
};

}  // namespace

std::vector<PluginFolder> plugin_folders(std::span<const std::string> command_line) {
  std::vector<PluginFolder> folders;
  for (const std::string& path : command_line)
    folders.push_back({path, option_text("plugin_path")});
  if (const char* list = std::getenv("THALLO_PLUGIN_PATH")) {
    std::string_view rest = list;
    while (!rest.empty()) {
      const std::size_t colon = rest.find(':');
      if (const auto path = rest.substr(0, colon); !path.empty()) {
        folders.push_back({fs::path(path), "THALLO_PLUGIN_PATH"});
      }
      rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    }
  }
  if (const fs::path core = core_folder(); !core.empty()) {
    for (const char* kind : {"plugins", "problems"}) {
      folders.push_back({core / "thallo" / kind, std::string(BuiltIn)});
    }
  }
  return folders;
}

PluginReport load_plugins(std::vector<PluginFolder> folders, const RegistrySet& registries) {
  return Loading(std::move(folders), registries).run();
}

}  // namespace thallo
