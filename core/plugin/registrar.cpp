#include "core/plugin/registrar.h"

#include <algorithm>
#include <cstring>
#include <exception>

#include "core/plugin/demangle.h"

namespace thallo {
namespace {

void copy_text(std::string_view text, char* into, std::size_t size) noexcept {
  if (size == 0) return;
  const std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(into, text.data(), length);
  into[length] = '\0';
}

}  // namespace

bool RegistrySet::provides(std::string_view kind, std::string_view name) const {
  return std::any_of(offers_.begin(), offers_.end(), [&](const auto& entry) {
    return entry.second.kind == kind && entry.second.has(name);
  });
}

tl::unexpected<Diagnostic> Registrar::no_registry(const std::type_info& type) const {
  return fail("this program has no registry of {}", demangle(type.name()));
}

tl::unexpected<Diagnostic> Registrar::conflict(const std::string& kind, const std::string& name,
                                               const std::string& owner) {
  const auto failure = fail("{} '{}' is already provided by {}", kind, name, owner);
  if (!conflict_) conflict_ = failure.value().what;
  return failure;
}

void Registrar::commit() {
  for (const auto& hand_over : waiting_) hand_over();
  waiting_.clear();
}

namespace detail {

int register_guarded(Expected<void> (*register_function)(Registrar&), Registrar& registrar,
                     char* error, std::size_t error_size) noexcept {
  try {
    const Expected<void> registered = register_function(registrar);
    if (registered) return 0;
    copy_text(registered.error().message(), error, error_size);
  } catch (const std::exception& exception) {
    copy_text(exception.what(), error, error_size);
  } catch (...) {
    copy_text("an exception that is no std::exception", error, error_size);
  }
  return 1;
}

}  // namespace detail
}  // namespace thallo
