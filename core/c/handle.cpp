#include "core/c/handle.h"

#include <cstdint>
#include <unordered_map>

#include <fmt/format.h>

namespace thallo::c_api {
namespace {

struct Handles {
  std::mutex mutex;
  std::unordered_map<const thallo_solver*, std::shared_ptr<Handle>> known;
  std::uintptr_t num_made = 0;
};

// Lives to the end of the process: a thread may free its solver while static objects are destroyed.
Handles& handles() {
  static auto* all = new Handles;
  return *all;
}

// Null if there is none.
std::shared_ptr<Handle> find_handle(const thallo_solver* token) {
  Handles& all = handles();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.known.find(token);
  return found == all.known.end() ? nullptr : found->second;
}

Fault not_known(const thallo_solver* token) {
  return {THALLO_INVALID_HANDLE, token == nullptr
                                     ? "the solver is NULL; thallo_create_from_file() makes one"
                                     : "there is no such solver: it was freed, or never made"};
}

Fault busy() {
  return {THALLO_BUSY,
          "another call is working on this solver; make a solver for each thread, and call no "
          "function with it from its callback"};
}

thread_local Fault last_fault;

}  // namespace

Fault fault(thallo_status code, const Diagnostic& diagnostic) {
  return {code, diagnostic.message()};
}

Fault find_null(std::initializer_list<Required> arguments) {
  for (const Required& each : arguments) {
    if (each.pointer == nullptr)
      return {THALLO_INVALID_ARGUMENT, fmt::format("argument '{}' is NULL", each.argument)};
  }
  return {};
}

Fault find_null_option(const char* argument, const thallo_option* options, std::size_t count) {
  if (count == 0) return {};
  if (auto null = find_null({{argument, options}}); failed(null)) return null;
  for (std::size_t i = 0; i < count; ++i) {
    if (options[i].name == nullptr || options[i].value == nullptr) {
      return {THALLO_INVALID_ARGUMENT,
              fmt::format("{}[{}] has {} that is NULL", argument, i,
                          options[i].name == nullptr ? "a name" : "a value")};
    }
  }
  return {};
}

thallo_solver* add_handle(std::shared_ptr<Handle> handle) {
  Handles& all = handles();
  const std::scoped_lock lock(all.mutex);
  // A multiple of 16, as addresses of objects are.
  auto* token = reinterpret_cast<thallo_solver*>(++all.num_made * 16);
  all.known.emplace(token, std::move(handle));
  return token;
}

Fault remove_handle(const thallo_solver* token) {
  const std::shared_ptr<Handle> handle = find_handle(token);
  if (handle == nullptr) return not_known(token);
  // It stays busy, so that a call that found it before it was removed is refused.
  if (handle->is_busy.test_and_set()) return busy();
  Handles& all = handles();
  const std::scoped_lock lock(all.mutex);
  all.known.erase(token);
  return {};
}

Fault cancel(const thallo_solver* token) {
  const std::shared_ptr<Handle> handle = find_handle(token);
  if (handle == nullptr) return not_known(token);
  handle->cancellation.request();
  return {};
}

Call::Call(const thallo_solver* token) : handle_(find_handle(token)) {
  if (handle_ == nullptr) {
    fault_ = not_known(token);
  } else if (handle_->is_busy.test_and_set()) {
    fault_ = busy();
    handle_.reset();
  }
}

Call::~Call() {
  if (handle_ != nullptr) handle_->is_busy.clear();
}

thallo_status keep_for_thread(Fault fault) noexcept {
  last_fault = std::move(fault);
  return last_fault.code;
}

const Fault& fault_of_thread() noexcept { return last_fault; }

}  // namespace thallo::c_api
