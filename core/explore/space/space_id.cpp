#include "core/explore/space/space_id.h"

#include "core/base/hash.h"
#include "core/energy/print.h"

namespace thallo {
namespace {

// Returns "(1.0.0)" of "plugins/strategy.thallo.so (1.0.0)". The path is left out because the same
// plugin may be in another folder.
std::string_view version_in(std::string_view provenance) {
  const std::size_t bracket = provenance.rfind('(');
  return bracket == std::string_view::npos ? provenance : provenance.substr(bracket);
}

}  // namespace

std::string space_id(const Energy& energy, const ConstructRegistry& constructs, Precision precision,
                     std::int64_t memory_limit, std::string_view rules) {
  Hasher hasher;
  hasher.update(to_string(energy));
  for (const auto* entry : constructs.entries())
    hasher.update(entry->name).update(version_in(entry->provenance));
  hasher.update(to_string(precision)).update(memory_limit).update(rules);
  return "s" + hasher.finish().hex().substr(0, 12);
}

std::string pinned_space_id(const std::string& id, const Pins& pins,
                            const ConstructRegistry& constructs) {
  if (pins.empty()) return id;
  Hasher hasher;
  hasher.update(id);
  for (const std::string& text : pins.texts(constructs)) hasher.update(text);
  return "s" + hasher.finish().hex().substr(0, 12);
}

}  // namespace thallo
