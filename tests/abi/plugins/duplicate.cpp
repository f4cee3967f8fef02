// Brings 'mine' and then 'good', which is taken; does not even report it.
#include <memory>

#include "core/plugin/abi.h"
#include "tests/abi/widget.h"

namespace {

using thallo::test::Widget;
using thallo::test::Word;

thallo::Expected<void> register_into(thallo::Registrar& registrar) {
  const auto first = registrar.add<Widget>("mine", std::make_unique<Word>("mine"));
  const auto second = registrar.add<Widget>("good", std::make_unique<Word>("duplicate"));
  return first;
}

}  // namespace

THALLO_PLUGIN("duplicate", "2.0.0", "", register_into);
