// How much schedules of the problems store, before they are lowered. slow_stored_figures_test.cpp
// draws many more.

#include "tests/problems/stored_figures.h"

#include <gtest/gtest.h>

namespace thallo {
namespace {

TEST(StoredFigures, AreThoseOfTheProgram) {
  for (const test::SmallInstance& instance : test::small_instances())
    test::expect_equal_figures(instance, 4);
}

}  // namespace
}  // namespace thallo
