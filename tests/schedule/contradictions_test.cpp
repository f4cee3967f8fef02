// What a text may say of one thing twice, and what not.

#include <gmock/gmock.h>

#include <string>

#include "tests/schedule/readings.h"

namespace thallo {
namespace {

using test::read_file;
using testing::AllOf, testing::HasSubstr;

TEST(Contradictions, OfTwoStrategiesNameBothStatementsAndTheirLines) {
  EXPECT_EQ(read_file("r.fit:strategy('JtJp')\nr.fit:strategy('[JtJ]p')\n"),
            "test.sched:2:1: r.fit:strategy(\"[JtJ]p\") contradicts r.fit:strategy(\"JtJp\") "
            "(test.sched:1:1); drop one of them");
}

struct Twice {
  const char* name;
  const char* text;
};

class ContradictionOf : public testing::TestWithParam<Twice> {};

TEST_P(ContradictionOf, IsAFaultOfTheLaterStatement) {
  EXPECT_THAT(read_file(GetParam().text),
              AllOf(HasSubstr("test.sched:"), HasSubstr(" contradicts "), HasSubstr("drop one")));
}

INSTANTIATE_TEST_SUITE_P(
    Constructs, ContradictionOf,
    testing::Values(
        Twice{"reorder", "r.fit:reorder{h, w}\nr.fit:reorder{w, h}"},
        Twice{"storage", "r.fit:materializeJ()\nr.fit.J:storage('csr')\nr.fit.J:storage('dense')"},
        Twice{"precision",
              "r.fit:materializeJ()\nr.fit.J:precision('half')\n"
              "r.fit.J:precision('single')"},
        Twice{"layout", "r.vectors:layout('blocked')\nr.vectors:layout('plain')"},
        Twice{"block", "r.fit:block{role='jtf', threads=64}\nr.fit:block{role='jtf', threads=128}"},
        Twice{"names_of_one_part",
              "local both = r:merge(r.fit, r.near)\n"
              "both:reorder{h, w}\nr.fit:reorder{w, h}"}),
    [](const auto& tested) { return std::string(tested.param.name); });

class NoContradictionOf : public testing::TestWithParam<Twice> {};

TEST_P(NoContradictionOf, IsLegal) {
  EXPECT_THAT(read_file(GetParam().text), testing::Not(HasSubstr("test.sched:")));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, NoContradictionOf,
    testing::Values(
        Twice{"one_statement_twice", "r.fit:strategy('[JtJ]p')\nr.fit:strategy('[JtJ]p')"},
        Twice{"switches", "r.fit.J:set_materialize(true)\nr.fit.J:set_materialize(false)"},
        Twice{"a_part_and_its_product",
              "r.fit:compute_at_output(true)\nr.fit.JtF:compute_at_output(false)"},
        Twice{"roles",
              "r.fit:block{role='jtf', threads=64}\nr.fit:block{role='jtjp', threads=128}"},
        Twice{"a_copy",
              "r.near:reorder{h, w}\nr.fit:assume_schedule(r.near)\n"
              "r.fit:reorder{w, h}"},
        Twice{"what_a_split_leaves",
              "r.near:reorder{h, w}\nr:split(r.near, 1)\n"
              "r.near:reorder{w, h}\nr.near_1:reorder{w, h}"}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace thallo
