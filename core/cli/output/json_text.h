// JSON as commands print it. With --json, stdout has one JSON text, also if the command fails.
#pragma once

#include <string>

namespace thallo::cli {

// Returns a line for each value, indented, or all in one line if `indent` is -1. JSON is UTF-8, but
// the name of a file may be anything: U+FFFD stands for bytes that are none.
template <class Json>
std::string dumped(const Json& json, int indent = 2) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

void print_json_text(const std::string& text);

template <class Json>
void print_json(const Json& json) {
  print_json_text(dumped(json) + "\n");
}

// Prints {"error": WHY}, unless a command printed its JSON before it failed.
void print_failure_json(const std::string& why);

}  // namespace thallo::cli
