// Needs something that is there and something that nobody provides.
#include "core/plugin/abi.h"

namespace {

thallo::Expected<void> register_into(thallo::Registrar&) { return {}; }

}  // namespace

THALLO_PLUGIN("needs_missing", "1.0.0", "widget good, construct split_merge", register_into);
