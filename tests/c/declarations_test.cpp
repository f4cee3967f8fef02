// What an energy declares, F and J, and the end of a solve from another thread, through thallo.h.
#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <vector>

#include "core/c/thallo.h"

namespace thallo::test {
namespace {

using testing::ElementsAre, testing::HasSubstr;

constexpr const char* Mixed = R"(
local W, H, E = Dims("W", "H", "E")
Inputs { X = Unknown(thallo_float3, {W, H}), B = Array(uint8, {W, H}), w = Param(double, 4),
         v = Sparse({E}, {W, H}) }
local x, y, e = W(), H(), E()
Residuals { a = w * (X(x, y) - B(x, y)), b = X(v(e)) }
)";

class CDeclarations : public testing::Test {
 protected:
  void SetUp() override {
    const thallo_option backend = {"backend", "interpreter"};
    ASSERT_EQ(thallo_create_from_text(Mixed, "mixed.lua", &backend, 1, &solver_), THALLO_OK)
        << thallo_error_text(nullptr);
  }
  void TearDown() override { thallo_free(solver_); }

  std::string describe(size_t number) {
    thallo_declaration one = {};
    if (thallo_get_declaration(solver_, number, &one) != THALLO_OK)
      return thallo_error_text(solver_);
    std::string text = std::string(one.name) + " " + std::to_string(one.kind) + " " +
                       std::to_string(one.type) + " " + std::to_string(one.channels);
    for (size_t d = 0; d < one.num_dims; ++d) {
      const char* dim = nullptr;
      EXPECT_EQ(thallo_get_declared_dim(solver_, number, d, &dim), THALLO_OK);
      text += std::string(" ") + dim;
    }
    return text;
  }
  // A solve that takes as many iterations as it may.
  void bind_all() {
    const int64_t image[] = {2, 1}, edges[] = {1};
    ASSERT_EQ(thallo_bind_unknown(solver_, "X", THALLO_DOUBLE, x_.data(), image, 2), THALLO_OK);
    ASSERT_EQ(thallo_bind_array(solver_, "B", THALLO_UINT8, b_.data(), image, 2), THALLO_OK);
    ASSERT_EQ(thallo_bind_array(solver_, "v", THALLO_INT32, v_.data(), edges, 1), THALLO_OK);
    ASSERT_EQ(thallo_bind_number(solver_, "w", 2), THALLO_OK);
  }

  thallo_solver* solver_ = nullptr;
  std::vector<double> x_ = {1, 2, 3, 4, 5, 6};
  std::vector<uint8_t> b_ = {1, 4};
  std::vector<int32_t> v_ = {1, 0};
};

TEST_F(CDeclarations, AreListed) {
  size_t count = 0;
  ASSERT_EQ(thallo_count_declarations(solver_, &count), THALLO_OK);
  std::vector<std::string> all;
  for (size_t i = 0; i < count; ++i) all.push_back(describe(i));
  EXPECT_THAT(all, ElementsAre("W 0 2 1", "H 0 2 1", "E 0 2 1", "X 1 4 3 W H", "B 2 3 1 W H",
                               "w 3 1 1", "v 4 2 2 E"));
  EXPECT_EQ(describe(7), "'mixed' has 7 declarations, and none of the number 7");
}

TEST_F(CDeclarations, BadCallsAreRefused) {
  thallo_declaration one = {};
  const char* dim = nullptr;
  size_t count = 0;
  EXPECT_EQ(thallo_count_declarations(solver_, nullptr), THALLO_INVALID_ARGUMENT);
  EXPECT_EQ(thallo_count_declarations(nullptr, &count), THALLO_INVALID_HANDLE);
  EXPECT_EQ(thallo_get_declaration(solver_, 99, &one), THALLO_INVALID_ARGUMENT);
  EXPECT_EQ(thallo_get_declaration(solver_, 0, nullptr), THALLO_INVALID_ARGUMENT);
  EXPECT_EQ(thallo_get_declared_dim(solver_, 0, 0, &dim), THALLO_INVALID_ARGUMENT);
  EXPECT_THAT(thallo_error_text(solver_), HasSubstr("'W' is over 0 dims"));
  EXPECT_EQ(thallo_cancel(nullptr), THALLO_INVALID_HANDLE);
  thallo_jacobian_size size = {};
  EXPECT_EQ(thallo_linearize(solver_, nullptr), THALLO_INVALID_ARGUMENT);
  EXPECT_EQ(thallo_linearize(solver_, &size), THALLO_INVALID_INPUT) << "nothing is bound";
  EXPECT_EQ(thallo_get_jacobian(solver_, nullptr, nullptr, nullptr, nullptr), THALLO_WRONG_ORDER);
}

TEST_F(CDeclarations, TheJacobianIsInCompressedRows) {
  bind_all();
  thallo_jacobian_size size = {};
  ASSERT_EQ(thallo_linearize(solver_, &size), THALLO_OK) << thallo_error_text(solver_);
  ASSERT_EQ(size.rows, 9);
  ASSERT_EQ(size.columns, 6);
  ASSERT_EQ(size.entries, 9);
  std::vector<int64_t> starts(10), columns(9);
  std::vector<double> values(9), residuals(9);
  ASSERT_EQ(
      thallo_get_jacobian(solver_, starts.data(), columns.data(), values.data(), residuals.data()),
      THALLO_OK);
  EXPECT_THAT(starts, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(columns, ElementsAre(0, 1, 2, 3, 4, 5, 3, 4, 5));
  EXPECT_THAT(values, ElementsAre(2, 2, 2, 2, 2, 2, 1, 1, 1));
  EXPECT_THAT(residuals, ElementsAre(0, 2, 4, 0, 2, 4, 4, 5, 6));
  EXPECT_EQ(thallo_get_jacobian(solver_, nullptr, nullptr, nullptr, nullptr), THALLO_OK);
}

// The callback waits for another thread to cancel the solve that it belongs to.
TEST_F(CDeclarations, ASolveIsEndedFromAnotherThread) {
  bind_all();
  ASSERT_EQ(thallo_set_option(solver_, "solver", "gn"), THALLO_OK);
  ASSERT_EQ(thallo_set_option(solver_, "nIterations", "1000"), THALLO_OK);
  const auto cancel = [](const thallo_iteration*, void* solver) {
    std::thread([&] {
      EXPECT_EQ(thallo_cancel(static_cast<thallo_solver*>(solver)), THALLO_OK);
    }).join();
    return 0;
  };
  ASSERT_EQ(thallo_set_callback(solver_, cancel, solver_), THALLO_OK);
  ASSERT_EQ(thallo_solve(solver_), THALLO_OK) << thallo_error_text(solver_);
  const char* termination = nullptr;
  ASSERT_EQ(thallo_summary_text(solver_, "termination", &termination), THALLO_OK);
  EXPECT_STREQ(termination, "Cancelled");
  // The next solve is another one.
  ASSERT_EQ(thallo_set_callback(solver_, nullptr, nullptr), THALLO_OK);
  ASSERT_EQ(thallo_set_option(solver_, "nIterations", "2"), THALLO_OK);
  ASSERT_EQ(thallo_solve(solver_), THALLO_OK);
  ASSERT_EQ(thallo_summary_text(solver_, "termination", &termination), THALLO_OK);
  EXPECT_STRNE(termination, "Cancelled");
}

}  // namespace
}  // namespace thallo::test
