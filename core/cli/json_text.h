// JSON as commands print it.
#pragma once

#include <string>

namespace thallo::cli {

// Returns a line for each value, indented, or all in one line if `indent` is -1. JSON is UTF-8, but
// the name of a file may be anything: U+FFFD stands for bytes that are none.
template <class Json>
std::string dumped(const Json& json, int indent = 2) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace thallo::cli
