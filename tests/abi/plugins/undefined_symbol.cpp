// Calls a function of core that this core does not have.
#include "core/plugin/abi.h"

namespace thallo {
void vanished_function(int);
}

namespace {

thallo::Expected<void> register_into(thallo::Registrar&) {
  thallo::vanished_function(1);
  return {};
}

}  // namespace

THALLO_PLUGIN("undefined_symbol", "1.0.0", "", register_into);
