// Provides a kind of thing that the program has no registry for.
#include <memory>

#include "core/plugin/abi.h"

namespace gadgets {

struct Gadget {};

}  // namespace gadgets

namespace {

thallo::Expected<void> register_into(thallo::Registrar& registrar) {
  return registrar.add<gadgets::Gadget>("gadget", std::make_unique<gadgets::Gadget>());
}

}  // namespace

THALLO_PLUGIN("no_registry", "1.0.0", "", register_into);
