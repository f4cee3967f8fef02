// The shells of the dialects: everything of a kernel's text but the statements of its bodies, which
// BodyWriter writes. emit.h says what the text is. Private to emission.
#pragma once

#include "core/kernel/emit/context.h"

namespace thallo {

EmittedText emit_c(EmitContext& context);
EmittedText emit_cuda(EmitContext& context);
EmittedText emit_member_function(EmitContext& context);  // EmitOptions::is_member_function

}  // namespace thallo
