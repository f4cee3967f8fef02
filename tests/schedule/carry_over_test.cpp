// What becomes of decisions when residuals go to other parts.

#include "core/schedule/carry_over.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/schedule/readings.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using test::schedule_from;
using test::scheduled_energy;
using testing::ElementsAre, testing::IsEmpty;

struct Edited {
  std::string text;
  std::vector<std::string> dropped;  // "directive: why"
};

// The schedule of the text, with the residual placed as `choice` says.
Edited placed(const std::string& text, const std::string& residual, const Choice& choice) {
  const auto edited =
      edit(scheduled_energy(), schedule_from(text),
           {{"split_merge", {SiteKind::Residual, residual}, choice}}, loaded_constructs());
  if (!edited) return {edited.error().message(), {}};
  Edited result{edited->schedule.text(loaded_constructs()), {}};
  for (const auto& [directive, why] : edited->dropped) {
    result.dropped.push_back(loaded_constructs().find(directive.construct)->print(directive) +
                             ": " + why.message());
  }
  return result;
}

const Choice InOwnPart{"new", {}};
const Choice WithFit{"with fit[1]", {{"with", "fit[1]"}}};

TEST(CarryOver, GivesBothPartsOfASplitWhatWasSaid) {
  const Edited split = placed(
      "r.near:strategy('[JtJ]p')\nr.near:reorder{h, w}\n"
      "r.near:block{role='fill_jtj', threads=64}\nr.fit:strategy('Jt[Jp]')\n",
      "near[2]", InOwnPart);
  EXPECT_EQ(split.text,
            "r.near:split_merge{[2]=\"new\"}\n"
            "r.fit:strategy(\"Jt[Jp]\")\n"
            "r.near_1:strategy(\"[JtJ]p\")\n"
            "r.near_2_3:strategy(\"[JtJ]p\")\n"
            "r.near_1:reorder{h, w}\n"
            "r.near_2_3:reorder{h, w}\n"
            "r.near_1:block{role=\"fill_jtj\", threads=64}\n"
            "r.near_2_3:block{role=\"fill_jtj\", threads=64}\n");
  EXPECT_THAT(split.dropped, IsEmpty());
}

TEST(CarryOver, GivesAMergedPartWhatAllAgreeOnAndTellsTheRest) {
  const Edited merged = placed(
      "r.near:strategy('Jt[Jp]')\nr.fit:strategy('Jt[Jp]')\n"
      "r.near:reorder{h, w}\nr.edge:strategy('[JtJ]p')\n",
      "near[1]", WithFit);
  EXPECT_EQ(merged.text,
            "r.near:split_merge{[1]=\"fit[1]\"}\n"
            "r.edge:strategy(\"[JtJ]p\")\n"
            "r.fit_near:strategy(\"Jt[Jp]\")\n");
  EXPECT_THAT(merged.dropped,
              ElementsAre("r.near:reorder{h, w}: r.near and r.fit differ in this, and are merged"));
}

TEST(CarryOver, KeepsTheDecisionsOfAPartThatResidualsJoinAndLeave) {
  const Edited joined =
      placed("r.near:strategy('Jt[Jp]')\nr.fit:strategy('[JtJ]p')\n", "near[3]", WithFit);
  EXPECT_EQ(joined.text,
            "r.near:split_merge{[3]=\"fit[1]\"}\n"
            "r.fit_near_3:strategy(\"[JtJ]p\")\n"
            "r.near_1_2:strategy(\"Jt[Jp]\")\n");
  EXPECT_THAT(joined.dropped, IsEmpty());
  const std::string text = "r.near:strategy(\"[JtJ]p\")\nr.near:reorder{h, w}\n";
  const Edited split = placed(text, "near[2]", InOwnPart);
  EXPECT_EQ(placed(split.text, "near[2]", {"stay", {}}).text, text);
}

}  // namespace
}  // namespace thallo
