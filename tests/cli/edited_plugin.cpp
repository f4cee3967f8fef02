// The constructs of tests/support/edited_constructs.h as a plugin: one for each kind of editor.
#include <string>
#include <utility>

#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "tests/support/edited_constructs.h"

namespace {

using namespace thallo;

Expected<void> register_into(Registrar& registrar) {
  for (auto& construct : test::make_edited_constructs()) {
    std::string name(construct->name());
    if (auto added = registrar.add<Construct>(std::move(name), std::move(construct)); !added)
      return added;
  }
  return {};
}

}  // namespace

THALLO_PLUGIN("edited", "0.1.0", "", register_into);
