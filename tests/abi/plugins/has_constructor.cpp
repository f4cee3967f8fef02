// Runs code when it is loaded, which no plugin may: the lint must see it.
#include <string>

#include "core/plugin/abi.h"

namespace {

std::string global_text(100, 'x');

thallo::Expected<void> register_into(thallo::Registrar&) { return thallo::fail("{}", global_text); }

}  // namespace

THALLO_PLUGIN("has_constructor", "1.0.0", "", register_into);
