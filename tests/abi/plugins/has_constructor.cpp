// Runs code when it is loaded, which no plugin may: the lint must see it.
#include <vector>

#include "core/plugin/abi.h"

namespace {

std::vector<int> global_numbers(100);

thallo::Expected<void> register_into(thallo::Registrar&) {
  return thallo::fail("{}", global_numbers.size());
}

}  // namespace

THALLO_PLUGIN("has_constructor", "1.0.0", "", register_into);
