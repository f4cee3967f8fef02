#include "tests/cost/sample_spec.h"

#include <variant>

#include "core/base/overloaded.h"
#include "core/cost/device/spec_fields.h"

namespace thallo::test {

DeviceSpec sample_spec() {
  DeviceSpec spec;
  double number = 1.0 / 3;
  for (const SpecField& field : spec_fields()) {
    number *= 3.7;
    std::visit(Overloaded{[&](std::string DeviceSpec::*member) {
                            spec.*member = "a \"" + std::string(field.name) + "\" \\ text";
                          },
                          [&](double DeviceSpec::*member) { spec.*member = number; },
                          [&](RateCurve DeviceSpec::*member) {
                            spec.*member = RateCurve({{32, 2 * number}, {1024, number}});
                          }},
               field.member);
  }
  return spec;
}

}  // namespace thallo::test
