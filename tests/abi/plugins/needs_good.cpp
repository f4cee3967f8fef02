// Registered after the plugin of the widget good, however the files are called.
#include <memory>

#include "core/plugin/abi.h"
#include "tests/abi/widget.h"

namespace {

using thallo::test::Widget;
using thallo::test::Word;

thallo::Expected<void> register_into(thallo::Registrar& registrar) {
  const Widget* good = registrar.registry<Widget>()->find("good");
  return registrar.add<Widget>("listener", std::make_unique<Word>("heard " + good->speak()));
}

}  // namespace

THALLO_PLUGIN("needs_good", "1.0.0", "widget good", register_into);
