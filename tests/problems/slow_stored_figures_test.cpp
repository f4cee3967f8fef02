// How much many schedules of the problems store, before they are lowered.

#include "tests/problems/stored_figures.h"

#include <gtest/gtest.h>

namespace thallo {
namespace {

class ManyStoredFigures : public testing::TestWithParam<test::SmallInstance> {};

TEST_P(ManyStoredFigures, AreThoseOfThePrograms) { test::expect_equal_figures(GetParam(), 200); }

INSTANTIATE_TEST_SUITE_P(Problems, ManyStoredFigures, testing::ValuesIn(test::small_instances()));

}  // namespace
}  // namespace thallo
