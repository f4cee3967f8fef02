// The part of loading that only reads: the build of this core, what a plugin's file says about
// itself, and whether the plugin may be opened.
#include <cstring>
#include <string>

#include "core/plugin/abi.h"
#include "core/plugin/library_section.h"
#include "core/plugin/loader.h"
#include "core/plugin/seal.h"

namespace thallo {
namespace {

template <std::size_t N>
std::string text_of(const char (&field)[N]) {
  return std::string(field, strnlen(field, N));
}

// "construct a, problem b" -> {"construct a", "problem b"}
std::vector<std::string> split_needs(std::string_view text) {
  std::vector<std::string> needs;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::string_view need = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    while (!need.empty() && need.front() == ' ') need.remove_prefix(1);
    while (!need.empty() && need.back() == ' ') need.remove_suffix(1);
    if (!need.empty()) needs.emplace_back(need);
  }
  return needs;
}

}  // namespace

std::string_view core_build_id() { return THALLO_CORE_BUILD_ID; }

tl::expected<PluginInfo, PluginFailure> read_plugin(const std::filesystem::path& file) {
  const auto refuse = [&](PluginStage stage, const std::string& why) {
    return tl::unexpected(PluginFailure{file, stage, fmt::format("{}: {}", file.string(), why)});
  };
  const auto not_a_plugin = [&](const std::string& why) {
    return refuse(PluginStage::Descriptor,
                  fmt::format("not a plugin ({}). Was it built with thallo_add_plugin()?", why));
  };

  const auto section = read_library_section(file, THALLO_PLUGIN_SECTION);
  if (!section) return not_a_plugin(section.error().what);
  if (!*section) return not_a_plugin("no section '" THALLO_PLUGIN_SECTION "'");
  if (const auto sealed = check_seal(file); !sealed) {
    return refuse(PluginStage::Descriptor,
                  fmt::format("damaged: {}. Build or install it again.", sealed.error().what));
  }
  const std::vector<std::byte>& bytes = **section;

  // Magic and ABI come first in every ABI; the rest is read when the ABI is ours.
  ThalloPluginDescriptor descriptor = {};
  constexpr std::size_t PrefixSize = sizeof(descriptor.magic) + sizeof(descriptor.abi);
  if (bytes.size() >= PrefixSize) std::memcpy(&descriptor, bytes.data(), PrefixSize);
  if (descriptor.magic != THALLO_PLUGIN_MAGIC) {
    return not_a_plugin("section '" THALLO_PLUGIN_SECTION "' does not begin with 'THLO'");
  }
  if (descriptor.abi != THALLO_PLUGIN_ABI) {
    return refuse(PluginStage::Versions,
                  fmt::format("built for plugin ABI {}, this thallo speaks ABI {}. Rebuild it.",
                              descriptor.abi, THALLO_PLUGIN_ABI));
  }
  if (bytes.size() < sizeof(descriptor)) {
    return not_a_plugin(fmt::format("section '" THALLO_PLUGIN_SECTION "' has {} of {} bytes",
                                    bytes.size(), sizeof(descriptor)));
  }
  std::memcpy(&descriptor, bytes.data(), sizeof(descriptor));

  PluginInfo info{file, text_of(descriptor.name), text_of(descriptor.version),
                  text_of(descriptor.core_build), split_needs(text_of(descriptor.needs))};
  if (info.core_build != core_build_id()) {
    return refuse(PluginStage::Versions,
                  fmt::format("built against core {}, this is {}. C++ plugins must match exactly; "
                              "rebuild it.",
                              info.core_build, core_build_id()));
  }
  return info;
}

}  // namespace thallo
