// A plugin adds what it provides through a Registrar. The host offers registries by the type of
// their items (Registry<Problem>, Registry<Construct> ...); core/plugin knows none of these types,
// so every layer can offer registries of its own. A plugin has a Registrar only in its registration
// function:
//
//   Expected<void> register_into(Registrar& registrar) {
//     return registrar.add<Problem>("curve_fit", std::make_unique<CurveFit>(registrar.folder()));
//   }
//
// Registration is all or nothing: items wait in the Registrar and reach the registries when the
// whole function has succeeded.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/error.h"
#include "core/base/registry.h"

namespace thallo {

// The registries of a host, by item type. The set refers to them, so they must outlive it.
class RegistrySet {
 public:
  template <class T>
  void offer(Registry<T>& registry) {
    offers_.insert_or_assign(std::type_index(typeid(T)),
                             Offer{registry.kind(), &registry, [&registry](std::string_view name) {
                                     return registry.find(name) != nullptr;
                                   }});
  }

  // Null if the host offers no registry of T.
  template <class T>
  Registry<T>* find() const {
    const auto it = offers_.find(std::type_index(typeid(T)));
    return it == offers_.end() ? nullptr : static_cast<Registry<T>*>(it->second.registry);
  }

  // True if a registry of this kind has an item of this name, e.g. ("construct", "split_merge").
  bool provides(std::string_view kind, std::string_view name) const;

 private:
  struct Offer {
    std::string kind;
    void* registry;  // a Registry<T> of the map's key
    std::function<bool(std::string_view)> has;
  };
  std::map<std::type_index, Offer> offers_;
};

class Registrar {
 public:
  // `provenance` is the plugin's name in messages, e.g. "plugins/materialize.thallo.so (1.2.0)".
  Registrar(const RegistrySet& registries, std::filesystem::path folder, std::string provenance)
      : registries_(registries), folder_(std::move(folder)), provenance_(std::move(provenance)) {}
  Registrar(const Registrar&) = delete;
  Registrar& operator=(const Registrar&) = delete;

  // The folder of the plugin's file, which also contains its data files (energies).
  const std::filesystem::path& folder() const { return folder_; }

  // Null if this program has no registry of T.
  template <class T>
  const Registry<T>* registry() const {
    return registries_.find<T>();
  }

  // Fails if the name is taken, by another plugin or by this one, or if there is no registry of T.
  template <class T>
  [[nodiscard]] Expected<void> add(std::string name, std::unique_ptr<const T> item) {
    Registry<T>* registry = registries_.find<T>();
    if (!registry) return no_registry(typeid(T));
    if (const auto* owner = registry->find_entry(name)) {
      return conflict(registry->kind(), name, owner->provenance);
    }
    if (!names_.emplace(registry->kind(), name).second) {
      return conflict(registry->kind(), name, provenance_);
    }
    // std::function must be copyable, hence the shared pointer.
    auto held = std::make_shared<std::unique_ptr<const T>>(std::move(item));
    waiting_.push_back([this, registry, held, name = std::move(name)] {
      const Expected<void> added = registry->add(name, std::move(*held), provenance_);
      THALLO_ASSERT(added.has_value(), "{}", added ? "" : added.error().message());
    });
    return {};
  }

  // For the loader: the first name that was taken ("construct 'x' is already provided by ..."), and
  // the transfer of the waiting items.
  const std::optional<std::string>& conflict() const { return conflict_; }
  void commit();
  // What the plugin adds, kinds and names: {"construct", "materialize"}.
  const std::set<std::pair<std::string, std::string>>& added() const { return names_; }

 private:
  tl::unexpected<Diagnostic> no_registry(const std::type_info& type) const;
  tl::unexpected<Diagnostic> conflict(const std::string& kind, const std::string& name,
                                      const std::string& owner);

  const RegistrySet& registries_;
  std::filesystem::path folder_;
  std::string provenance_;
  std::set<std::pair<std::string, std::string>> names_;  // kind, name
  std::vector<std::function<void()>> waiting_;
  std::optional<std::string> conflict_;
};

// The registration function of a plugin that adds one item, by the item's own name:
//
//   THALLO_PLUGIN("layout", "1.0.0", "", thallo::register_item<thallo::Construct, Layout>);
template <class Interface, class Item>
Expected<void> register_item(Registrar& registrar) {
  auto item = std::make_unique<Item>();
  std::string name(item->name());
  return registrar.add<Interface>(std::move(name), std::move(item));
}

namespace detail {

// Calls the function. Returns 0 on success; otherwise `error` contains the reason, cut to
// `error_size`. No exception leaves it.
int register_guarded(Expected<void> (*register_function)(Registrar&), Registrar& registrar,
                     char* error, std::size_t error_size) noexcept;

}  // namespace detail
}  // namespace thallo
