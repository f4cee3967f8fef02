#include "core/explore/space/published_profile.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "core/base/assets.h"
#include "core/base/io/toml.h"
#include "core/base/suggest.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

// The only function that knows where the profiles are.
fs::path spaces_folder() { return find_asset("spaces").value_or(fs::path()); }

class ProfileFile {
 public:
  ProfileFile(const fs::path& path, const toml::table& table) : path_(path), table_(table) {}

  Expected<PublishedProfile> read() {
    const std::vector<std::string> keys = {"groups", "memory_limit", "strategies",
                                           "strategies_with_sum"};
    for (const auto& [key, node] : table_) {
      if (std::ranges::find(keys, key.str()) != keys.end()) continue;
      return fail(
          Diagnostic{fmt::format("unknown key '{}'{}", key.str(), did_you_mean(key.str(), keys)),
                     location_of(path_, node), keys});
    }
    for (const std::string& key : keys) {
      if (table_.get(key) == nullptr) return fail_at({path_}, "the key '{}' is missing", key);
    }
    PublishedProfile profile;
    profile.name = path_.stem().string();
    THALLO_CHECK(read_groups(profile));
    THALLO_CHECK(read_memory_limit(profile));
    THALLO_CHECK(read_strategies("strategies", profile.strategies));
    THALLO_CHECK(read_strategies("strategies_with_sum", profile.strategies_with_sum));
    return profile;
  }

 private:
  Expected<void> read_groups(PublishedProfile& profile) const {
    const std::vector<std::string> legal = {"as written", "split"};
    const toml::node& node = *table_.get("groups");
    const auto text = node.value_exact<std::string>();
    if (!text || std::ranges::find(legal, *text) == legal.end()) {
      const std::string hint = text ? did_you_mean(*text, legal) : "";
      return fail(
          Diagnostic{fmt::format("'groups' says which residuals are scheduled together{}", hint),
                     location_of(path_, node), legal});
    }
    profile.splits_groups = *text == "split";
    return {};
  }

  Expected<void> read_memory_limit(PublishedProfile& profile) const {
    const toml::node& node = *table_.get("memory_limit");
    const auto bytes = node.value_exact<std::int64_t>();
    if (!bytes || *bytes < 0)
      return fail_at(location_of(path_, node),
                     "'memory_limit' is a number of bytes, an integer from 0");
    profile.memory_limit = *bytes;
    return {};
  }

  Expected<void> read_strategies(std::string_view key, std::vector<Strategy>& strategies) const {
    std::vector<std::string> legal;
    for (const Strategy strategy : AllStrategies) legal.emplace_back(to_string(strategy));
    const toml::node& node = *table_.get(key);
    const toml::array* list = node.as_array();
    if (list == nullptr || list->empty())
      return fail(Diagnostic{fmt::format("'{}' is a list of strategies", key),
                             location_of(path_, node), legal});
    for (const toml::node& entry : *list) {
      const auto text = entry.value_exact<std::string>();
      const auto found = std::ranges::find(AllStrategies, text.value_or(""),
                                           [](Strategy strategy) { return to_string(strategy); });
      if (found == AllStrategies.end()) {
        return fail(Diagnostic{
            fmt::format("'{}' has {}", key,
                        text ? fmt::format("no strategy '{}'{}", *text, did_you_mean(*text, legal))
                             : "an entry that is no text"),
            location_of(path_, entry), legal});
      }
      if (std::ranges::find(strategies, *found) != strategies.end())
        return fail_at(location_of(path_, entry), "'{}' lists '{}' twice", key, *text);
      strategies.push_back(*found);
    }
    return {};
  }

  const fs::path& path_;
  const toml::table& table_;
};

Expected<PublishedProfile> read_profile_file(const fs::path& path) {
  THALLO_TRY(const auto table, read_toml(path));
  return ProfileFile(path, table).read();
}

}  // namespace

std::vector<std::string> published_profile_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(spaces_folder(), error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".toml") names.push_back(it->path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

Expected<PublishedProfile> read_published_profile(const std::string& which) {
  if (which.ends_with(".toml")) return read_profile_file(which);
  const std::vector<std::string> names = published_profile_names();
  if (std::ranges::find(names, which) != names.end())
    return read_profile_file(spaces_folder() / (which + ".toml"));
  std::vector<std::string> legal = names;
  legal.emplace_back("the path of a .toml file");
  return fail(Diagnostic{
      fmt::format("no space '{}'{}", which, did_you_mean(which, names)), {}, std::move(legal)});
}

}  // namespace thallo
