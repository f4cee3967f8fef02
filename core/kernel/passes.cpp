#include "core/kernel/passes.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/suggest.h"

namespace thallo {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const PassInfo& pass : all_passes()) result.emplace_back(pass.name);
  return result;
}

tl::unexpected<Diagnostic> no_pass(std::string_view name) {
  const std::vector<std::string> known = names();
  return fail(Diagnostic{
      fmt::format("there is no pass '{}'{}", name, did_you_mean(name, known)), {}, known});
}

void set_all(PassOptions& passes, bool is_on) {
  for (const PassInfo& pass : all_passes()) passes.*pass.is_on = is_on;
}

}  // namespace

std::span<const PassInfo> all_passes() {
  static constexpr std::array table = {
#define THALLO_PASS_ROW(name, what) PassInfo{#name, what, &PassOptions::name},
      THALLO_FOR_EACH_PASS(THALLO_PASS_ROW)
#undef THALLO_PASS_ROW
  };
  return table;
}

Expected<PassOptions> parse_passes(std::string_view text) {
  PassOptions passes;
  std::vector<std::string_view> named;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, comma - begin);
    if (item == "all" || item == "none") {
      if (begin != 0) return fail("'{}' comes first in a list of passes", item);
      set_all(passes, item == "all");
      begin = comma + 1;
      continue;
    }
    const bool has_sign = item.starts_with('+') || item.starts_with('-');
    const std::string_view name = has_sign ? item.substr(1) : item;
    const auto pass = std::ranges::find(all_passes(), name, &PassInfo::name);
    if (pass == all_passes().end()) return no_pass(name);
    if (!has_sign)
      return fail("'{0}' does not say whether the pass is on; write +{0} or -{0}", name);
    if (std::ranges::find(named, name) != named.end()) return fail("pass '{}' is set twice", name);
    named.push_back(name);
    passes.*pass->is_on = item.front() == '+';
    begin = comma + 1;
  }
  return passes;
}

std::string to_string(const PassOptions& passes) {
  std::string off, on;
  for (const PassInfo& pass : all_passes()) {
    std::string& list = passes.*pass.is_on ? on : off;
    list += fmt::format(",{}{}", passes.*pass.is_on ? '+' : '-', pass.name);
  }
  if (off.empty()) return "all";
  return on.size() < off.size() ? "none" + on : off.substr(1);
}

}  // namespace thallo
