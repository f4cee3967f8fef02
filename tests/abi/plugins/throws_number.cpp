// Throws what nobody should throw.
#include "core/plugin/abi.h"

namespace {

thallo::Expected<void> register_into(thallo::Registrar&) { throw 7; }

}  // namespace

THALLO_PLUGIN("throws_number", "1.0.0", "", register_into);
