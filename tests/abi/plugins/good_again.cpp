// Another file that says it is the plugin 'good'.
#include <memory>

#include "core/plugin/abi.h"
#include "tests/abi/widget.h"

namespace {

thallo::Expected<void> register_into(thallo::Registrar& registrar) {
  return registrar.add<thallo::test::Widget>("other",
                                             std::make_unique<thallo::test::Word>("other"));
}

}  // namespace

THALLO_PLUGIN("good", "1.3.0", "", register_into);
