// Refuses to register, in its own words.
#include "core/plugin/abi.h"

namespace {

thallo::Expected<void> register_into(thallo::Registrar&) {
  return thallo::fail("no license for {}", "widgets");
}

}  // namespace

THALLO_PLUGIN("returns_error", "1.0.0", "", register_into);
