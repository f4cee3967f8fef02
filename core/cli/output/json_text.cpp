#include "core/cli/output/json_text.h"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace thallo::cli {
namespace {

bool is_printed = false;

}  // namespace

void print_json_text(const std::string& text) {
  is_printed = true;
  fmt::print("{}", text);
}

// It is called for an exception, and fmt::print may throw another one.
void print_failure_json(const std::string& why) {
  if (is_printed) return;
  std::fputs((dumped(nlohmann::json{{"error", why}}) + "\n").c_str(), stdout);
}

}  // namespace thallo::cli
