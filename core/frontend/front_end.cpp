#include "core/frontend/front_end.h"

#include <algorithm>

#include "core/frontend/source_file.h"

namespace thallo {
namespace {

bool has_suffix(const FrontEnd& front_end, std::string_view path) {
  return std::ranges::any_of(front_end.suffixes(),
                             [path](const std::string& suffix) { return path.ends_with(suffix); });
}

}  // namespace

std::vector<std::string> energy_suffixes(const FrontEndRegistry& front_ends) {
  std::vector<std::string> all;
  for (const FrontEndRegistry::Entry* entry : front_ends.entries()) {
    for (std::string& suffix : entry->item->suffixes())
      if (std::ranges::find(all, suffix) == all.end()) all.push_back(std::move(suffix));
  }
  return all;
}

bool is_energy_text(const FrontEndRegistry& front_ends, std::string_view path) {
  return std::ranges::any_of(front_ends.entries(), [path](const FrontEndRegistry::Entry* entry) {
    return has_suffix(*entry->item, path);
  });
}

Expected<const FrontEnd*> find_front_end(const FrontEndRegistry& front_ends,
                                         const std::filesystem::path& path, std::string_view text) {
  const FrontEnd* first = nullptr;
  for (const FrontEndRegistry::Entry* entry : front_ends.entries()) {
    const FrontEnd& front_end = *entry->item;
    if (!has_suffix(front_end, path.native())) continue;
    if (front_end.recognizes(text)) return &front_end;
    if (first == nullptr) first = &front_end;
  }
  if (first != nullptr) return first;
  return fail(Diagnostic{"no front end reads an energy text of this name",
                         {path.string()},
                         energy_suffixes(front_ends)});
}

Expected<EnergyFile> load_energy_file(const FrontEndRegistry& front_ends,
                                      const std::filesystem::path& path) {
  THALLO_TRY(const auto text, read_source(path, "an energy text"));
  THALLO_TRY(const auto front_end, find_front_end(front_ends, path, text));
  return (front_end)->load(text, path.string());
}

}  // namespace thallo
