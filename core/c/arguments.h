// What the functions of thallo.h check their arguments with.
#pragma once

#include <initializer_list>

#include "core/base/diagnostic.h"
#include "core/c/handle.h"

namespace thallo::c_api {

inline Fault fault(thallo_status code, const Diagnostic& diagnostic) {
  return {code, diagnostic.message()};
}

inline bool failed(const Fault& fault) { return fault.code != THALLO_OK; }

// An argument that must not be NULL.
struct Required {
  const char* argument;
  const void* pointer;
};

// Returns the fault of the first argument that is NULL.
Fault find_null(std::initializer_list<Required> arguments);

}  // namespace thallo::c_api
