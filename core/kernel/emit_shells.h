#pragma once

// The two dialects' shells: everything of a kernel's text but the bodies' statements. For emit().

#include <string>

#include "core/kernel/emit_context.h"

namespace thallo {

std::string emit_c(EmitContext& context);
std::string emit_cuda(EmitContext& context);

}  // namespace thallo
