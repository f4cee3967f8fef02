#include "core/language/energy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace thallo {
namespace {

using ::testing::ElementsAre;

Energy load_problem(const std::string& name) {
  auto file = load_energy(std::string(THALLO_SOURCE_DIR "/problems/") + name + "/" + name + ".lua");
  if (!file) ADD_FAILURE() << file.error().message();
  return std::move(file).value().energy;
}

std::vector<std::string> group_names(const Energy& energy) {
  std::vector<std::string> names;
  for (const ResidualGroup& group : energy.groups()) names.push_back(group.name);
  return names;
}

TEST(EnergyFile, LoadsImageWarping) {
  const Energy energy = load_problem("image_warping");
  EXPECT_EQ(energy.name(), "image_warping");
  EXPECT_THAT(group_names(energy),
              ElementsAre("fit", "reg_down", "reg_left", "reg_right", "reg_up"));
  for (const ResidualGroup& group : energy.groups()) {
    EXPECT_EQ(group.domains.size(), 2u);
    EXPECT_EQ(group.residuals.size(), 2u);
  }
  EXPECT_EQ(energy.unknowns().size(), 2u);
  EXPECT_EQ(energy.field(energy.unknowns()[0]).name, "Offset") << "declaration order";
  EXPECT_EQ(energy.exclusions().size(), 2u);
}

TEST(EnergyFile, LoadsBundleAdjustment) {
  const Energy energy = load_problem("bundle_adjustment");
  EXPECT_THAT(group_names(energy), ElementsAre("reprojection"));
  EXPECT_EQ(energy.groups()[0].domains.size(), 1u);
  EXPECT_EQ(energy.field(energy.find_field("cameras")).channels, 9);
  EXPECT_EQ(energy.maps().size(), 2u);
}

}  // namespace
}  // namespace thallo
