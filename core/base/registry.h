// A registry holds named items of one kind (constructs, lowerings, problems, backends ...) and the
// origin of each. It belongs to the layer of its items and is passed by reference; none is global.
// A name belongs to the first item that takes it: adding a second one fails with a message that
// names the owner. An unknown name is answered with the nearest one and the whole list.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/diagnostic.h"
#include "core/base/error.h"
#include "core/base/suggest.h"

namespace thallo {

template <class T>
class Registry {
 public:
  struct Entry {
    std::string name;
    std::string provenance;  // "thallo", or "plugins/materialize.thallo.so (1.2.0)"
    std::unique_ptr<const T> item;
  };

  // `kind` is the word for an entry in messages, e.g. "construct".
  explicit Registry(std::string kind) : kind_(std::move(kind)) {}

  const std::string& kind() const { return kind_; }

  // Fails if the name is taken.
  Expected<void> add(std::string name, std::unique_ptr<const T> item, std::string provenance) {
    THALLO_ASSERT(item != nullptr, "{} '{}' is null", kind_, name);
    if (const Entry* owner = find_entry(name)) {
      return fail("{} '{}' is already provided by {}", kind_, name, owner->provenance);
    }
    entries_.emplace(name, Entry{name, std::move(provenance), std::move(item)});
    return {};
  }

  // Null if there is none.
  const T* find(std::string_view name) const {
    const Entry* entry = find_entry(name);
    return entry ? entry->item.get() : nullptr;
  }
  const Entry* find_entry(std::string_view name) const {
    const auto it = entries_.find(name);
    return it == entries_.end() ? nullptr : &it->second;
  }

  // Returns the item of that name, never null, or the error "no construct 'materialise'; did you
  // mean 'materialize'? (loaded: ...)".
  Expected<const T*> lookup(std::string_view name) const {
    if (const T* item = find(name)) return item;
    const std::vector<std::string> known = names();
    return fail("no {} '{}'{} (loaded: {})", kind_, name, did_you_mean(name, known),
                known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
  }

  // Returns the names, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& [name, entry] : entries_) result.push_back(name);
    return result;
  }

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  // Returns the entries, sorted by name.
  std::vector<const Entry*> entries() const {
    std::vector<const Entry*> result;
    for (const auto& [name, entry] : entries_) result.push_back(&entry);
    return result;
  }

 private:
  std::string kind_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace thallo
