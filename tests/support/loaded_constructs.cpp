#include "tests/support/loaded_constructs.h"

#include <utility>

#include "tests/support/built_plugins.h"

namespace thallo::test {

const ConstructRegistry& loaded_constructs() { return loaded_plugin_items().constructs; }

void decide(Plan& plan, const Energy& energy, std::string_view construct, const Site& site,
            const Choice& choice) {
  loaded_constructs().find(construct)->apply(energy, plan, site, choice);
}

void decide_block(Plan& plan, const Energy& energy, const std::string& role, Properties shape) {
  decide(plan, energy, "block", {SiteKind::Role, role}, {"its own", std::move(shape)});
}

void add_lane_by_lane(Plan& plan, const Energy& energy, const std::string& part) {
  decide(plan, energy, "aggregate", {SiteKind::Part, part}, {"each lane", {}});
}

}  // namespace thallo::test
