// How a function of a published interface answers faults. Those after which the published systems
// go on, or return NULL, are printed; those that end the program there end it here, too, but with a
// sentence on stderr.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "core/base/diagnostic.h"

namespace thallo::compat {

inline void print_fault(std::string_view function, std::string_view what) {
  std::fputs(fmt::format("{}: {}\n", function, what).c_str(), stderr);
}

[[noreturn]] inline void end_program(std::string_view function, std::string_view what) {
  print_fault(function, what);
  std::exit(1);
}

// Returns the result of a call, or the fault. What is thrown becomes a fault.
template <class Call>
auto guarded(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& error) {
    return fail("{}", error.what());
  }
}

// Returns the result of a call; a fault of it ends the program.
template <class Call>
auto value_or_end(std::string_view function, const Call& call) {
  auto result = guarded(call);
  if (!result) end_program(function, result.error().message());
  return *std::move(result);
}
template <class Call>
void do_or_end(std::string_view function, const Call& call) {
  if (auto done = guarded(call); !done) end_program(function, done.error().message());
}

// The problems and plans that were made and not freed. Their memory may be used again, so that a
// handle that was freed can be that of a later one.
class LiveHandles {
 public:
  void add(const void* handle) {
    const std::scoped_lock lock(mutex_);
    live_.insert(handle);
  }
  bool has(const void* handle) {
    const std::scoped_lock lock(mutex_);
    return live_.contains(handle);
  }
  // Returns false if there was no such handle.
  bool remove(const void* handle) {
    const std::scoped_lock lock(mutex_);
    return live_.erase(handle) > 0;
  }

 private:
  std::mutex mutex_;
  std::unordered_set<const void*> live_;
};

// Lives to the end of the process, when static objects may still free their plans.
inline LiveHandles& live_handles() {
  static auto* all = new LiveHandles;
  return *all;
}

// Returns what a call makes, as memory of the caller; prints a fault of it and returns null.
template <class Made, class Call>
Made* made_or_null(std::string_view function, const Call& call) {
  auto result = guarded([&]() -> Expected<Made*> {
    THALLO_TRY(auto made, call());
    auto* handle = new Made{std::move(made)};
    live_handles().add(handle);
    return handle;
  });
  if (result) return *result;
  print_fault(function, result.error().message());
  return nullptr;
}

// Ends the program if a handle is NULL.
template <class Handle>
Handle& require(std::string_view function, std::string_view what, Handle* handle) {
  if (handle == nullptr) end_program(function, fmt::format("the {} is NULL", what));
  return *handle;
}

// Ends the program if a handle of made_or_null() is NULL or was freed.
template <class Handle>
Handle& require_live(std::string_view function, std::string_view what, Handle* handle) {
  require(function, what, handle);
  if (!live_handles().has(handle)) end_program(function, fmt::format("the {} was freed", what));
  return *handle;
}

// Frees a handle of made_or_null(), or NULL; ends the program if it was freed.
template <class Handle>
void free_handle(std::string_view function, std::string_view what, Handle* handle) {
  if (handle == nullptr) return;
  if (!live_handles().remove(handle)) end_program(function, fmt::format("the {} was freed", what));
  delete handle;
}

}  // namespace thallo::compat
