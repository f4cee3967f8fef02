// Provides the widget 'good', which says where its plugin lies.
#include <memory>

#include "core/plugin/abi.h"
#include "tests/abi/widget.h"

namespace {

using thallo::test::Widget;
using thallo::test::Word;

thallo::Expected<void> register_into(thallo::Registrar& registrar) {
  return registrar.add<Widget>("good", std::make_unique<Word>(registrar.folder().string()));
}

}  // namespace

THALLO_PLUGIN("good", "1.2.0", "", register_into);
