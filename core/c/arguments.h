// What the functions of thallo.h check of their arguments, and how they say what is wrong.
#pragma once

#include <cstddef>
#include <initializer_list>

#include "core/base/diagnostic.h"
#include "core/c/handle.h"
#include "core/c/thallo.h"

namespace thallo::c_api {

// An argument that must not be NULL.
struct Required {
  const char* argument;
  const void* pointer;
};

Fault fault(thallo_status code, const Diagnostic& diagnostic);
inline bool failed(const Fault& fault) { return fault.code != THALLO_OK; }

// Returns the fault of the first argument that is NULL.
Fault find_null(std::initializer_list<Required> arguments);
// Returns the fault of a list of options that has a NULL where none may be. The list is called
// `argument`.
Fault find_null_option(const char* argument, const thallo_option* options, std::size_t count);

}  // namespace thallo::c_api
