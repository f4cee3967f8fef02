// Throws in the middle of registering.
#include <memory>
#include <stdexcept>

#include "core/plugin/abi.h"
#include "tests/abi/widget.h"

namespace {

thallo::Expected<void> register_into(thallo::Registrar& registrar) {
  const auto added =
      registrar.add<thallo::test::Widget>("half", std::make_unique<thallo::test::Word>("half"));
  if (added) throw std::runtime_error("the tables were not found");
  return added;
}

}  // namespace

THALLO_PLUGIN("throws", "1.0.0", "", register_into);
