// The option `loss` of problems whose measurements may be wrong: a robust loss by its name and
// scale, "cauchy:1", or its name alone, whose scale is 1. "none" is no loss, and so is "", unless
// the problem has one.
#pragma once

#include <string>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/options.h"

namespace thallo {

// `of` says what the loss is of: "the error of an edge".
OptionSpec loss_option(std::string_view of);

// Returns the loss as an energy text says it: "cauchy(1)", or "nil".
Expected<std::string> loss_text(const Options& options);

bool has_loss(const Options& options);

}  // namespace thallo
