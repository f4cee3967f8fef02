// Takes the name of the plugin that connects processes, so that that is refused, and adds nothing.
#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"

namespace {

thallo::Expected<void> register_into(thallo::Registrar& /*registrar*/) { return {}; }

}  // namespace

THALLO_PLUGIN("mpi", "0.1.0", "", register_into);
