// Tiles of points that blocks compute, and the windows that they load.

#include "core/kernel/tiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/kernel/emit.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "tests/support/energies.h"
#include "tests/support/loaded_constructs.h"
#include "tests/support/nvrtc.h"

namespace thallo {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A convolution, and differences of neighbors.
class Tiles : public testing::Test {
 protected:
  static Energy make_energy() {
    EnergyBuilder e("blur");
    const DimId W = e.dim("W"), H = e.dim("H"), K = e.dim("K");
    const auto X = e.unknown("X", {W, H});
    const auto T = e.array("T", {K, K});
    const auto A = e.array("A", {W, H});
    const auto x = e.domain(W, "x"), y = e.domain(H, "y");
    const auto k = e.domain(K, "k"), l = e.domain(K, "l");
    e.residual("blur",
               Expr(e.sum({k, l}, Expr(T(k, l)) * Expr(X(x - k + 1, y - l + 1)))) - Expr(A(x, y)));
    e.residual("near", Expr(X(x, y)) - Expr(X(x, y + 1)));
    return test::build(std::move(e));
  }

  Tiles() {
    for (Part& part : plan_.parts) part.jtf = part.jtjp = part.jt = ComputeAt::Output;
    plan_.parts.front().strategy = Strategy::StoredJp;
  }

  void decide(const std::string& role, std::int64_t rows) {
    test::decide_block(plan_, energy_, role, {{"threads", 256}, {"rows", rows}, {"width", 32}});
  }
  KernelCode kernel(const std::string& label) {
    generated_ = generate(make_program(energy_, plan_, {}));
    for (const KernelCode& code : generated_.codes)
      if (code.label == label) return code;
    ADD_FAILURE() << "no kernel " << label;
    return {};
  }
  std::string text(const KernelCode& code, EmitOptions options = {.dialect = Dialect::Cuda}) {
    return emit(generated_.program, code, options);
  }
  Energy energy_ = make_energy();
  Plan plan_ = default_plan(energy_);
  GeneratedProgram generated_;
};

TEST_F(Tiles, ReadWhatALoopReadsFromWindowsWithoutBounds) {
  decide("blur.jp", 4);
  const KernelCode code = kernel("apply_jp [blur]");
  ASSERT_EQ(code.sections.size(), 1U);
  EXPECT_EQ(code.sections.front().windows.size(), 2U);  // X and T
  const std::string cuda = text(code);
  EXPECT_THAT(cuda, AllOf(HasSubstr("extern __shared__"), HasSubstr("__syncthreads()"),
                          HasSubstr("window0["), HasSubstr("window1["), Not(HasSubstr("? f"))));
  EXPECT_THAT(text(code, {.dialect = Dialect::C}), Not(HasSubstr("window")));
  EXPECT_THAT(text(code, {.dialect = Dialect::Cuda, .has_windows = false}),
              AllOf(Not(HasSubstr("window")), HasSubstr("threadIdx.x / 32")));
}

// The four rows share one loop.
TEST_F(Tiles, ComputeRowsSideBySide) {
  decide("blur.jp", 4);
  const KernelCode code = kernel("apply_jp [blur]");
  const auto loops = std::ranges::count_if(code.sections.front().block, [](const CodeItem& item) {
    return std::holds_alternative<LoopItem>(item.node);
  });
  EXPECT_EQ(loops, 1);
  const DimId rows = code.sections.front().extents[1];
  ASSERT_EQ(generated_.program.grouped_dims.size(), 1U);
  EXPECT_EQ(generated_.program.grouped_dims.front().groups, rows);
  EXPECT_EQ(generated_.program.dims[rows.index()].name, "H/4");
}

TEST_F(Tiles, LeaveAFewReadsToCaches) {
  decide("near.jtjp", 1);
  const KernelCode code = kernel("gather_jtjp [near]");
  EXPECT_TRUE(code.sections.front().windows.empty());
  EXPECT_THAT(text(code),
              AllOf(HasSubstr("threadIdx.x % 32"), Not(HasSubstr("extern __shared__"))));
}

TEST_F(Tiles, CompileWithoutAWarning) {
  for (const std::int64_t rows : {1, 4}) {
    plan_.extensions.clear();
    for (const char* role : {"blur.jp", "blur.jt", "blur.jtf", "blur.cost", "near.jtjp"})
      decide(role, rows);
    kernel("apply_jp [blur]");
    for (const KernelCode& code : generated_.codes) {
      if (code.shape.tile_width == 0) continue;
      for (const int bits : {32, 64}) {
        const std::string source = text(code, {.dialect = Dialect::Cuda, .index_bits = bits});
        THALLO_COMPILE_OR_SKIP(result, source);
        EXPECT_TRUE(result.ok) << source << result.log;
        EXPECT_EQ(result.log, "") << source;
      }
    }
  }
}

}  // namespace
}  // namespace thallo
