// How a function of a published interface answers faults. Those after which the published systems
// go on, or return NULL, are printed; those that end the program there end it here, too, but with a
// sentence on stderr.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

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

// Returns what a call makes, as memory of the caller; prints a fault of it and returns null.
template <class Made, class Call>
Made* made_or_null(std::string_view function, const Call& call) {
  auto result = guarded([&]() -> Expected<Made*> {
    auto made = call();
    if (!made) return fail(made.error());
    return new Made{*std::move(made)};
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

}  // namespace thallo::compat
