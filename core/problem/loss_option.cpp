#include "core/problem/loss_option.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/option_kinds.h"
#include "core/base/option_text.h"
#include "core/base/parse_number.h"
#include "core/base/suggest.h"
#include "core/energy/loss.h"

namespace thallo {
namespace {

constexpr std::string_view None = "none";

std::vector<std::string> loss_names() { return names_of(known_losses(), &KnownLoss::name); }

}  // namespace

OptionSpec loss_option(std::string_view of) {
  return {.name = "loss",
          .default_value = std::string(),
          .doc = fmt::format("A robust loss of {}, NAME:SCALE: {}. What is longer than the scale "
                             "counts as an outlier; none: squares.",
                             of, fmt::join(loss_names(), ", "))};
}

bool has_loss(const Options& options) {
  const auto text = text_in(options, "loss");
  return !text.empty() && text != None;
}

Expected<std::string> loss_text(const Options& options) {
  const auto text = text_in(options, "loss");
  if (text.empty() || text == None) return "nil";
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  std::vector<std::string> names = loss_names();
  if (std::ranges::find(names, name) == names.end()) {
    return fail(Diagnostic{
        fmt::format("{}: there is no loss '{}'", option_text("loss", text), name), {}, names});
  }
  double scale = 1;
  if (colon != std::string::npos) {
    const auto number = parse_number<double>(text.substr(colon + 1));
    if (!number || !(*number > 0)) {
      return fail("{}: found '{}' where the scale of the loss, a positive number, should be",
                  option_text("loss", text), text.substr(colon + 1));
    }
    scale = *number;
  }
  return fmt::format("{}({})", name, scale);
}

}  // namespace thallo
