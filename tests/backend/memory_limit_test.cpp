// A schedule that stores more than the limit allows is refused before anything is allocated.

#include "core/backend/memory_limit.h"

#include <gtest/gtest.h>

#include "core/backend/backend.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "tests/support/energies.h"

namespace thallo {
namespace {

class MemoryLimit : public testing::Test {
 protected:
  static Energy make_energy() {
    EnergyBuilder e("line");
    const DimId W = e.dim("W");
    const auto X = e.unknown("X", {W});
    const IndexExpr x = e.domain(W, "x");
    e.residual("r", X(x) - X(x + 1));
    return test::build(std::move(e));
  }

  Binding line(std::size_t width) const {
    Binding binding(energy_);
    EXPECT_TRUE(binding.set_extent("W", static_cast<std::int64_t>(width)));
    EXPECT_TRUE(binding.set_field("X", std::vector<double>(width)));
    return binding;
  }

  // Binds W unknowns whose JtJ is stored dense.
  Expected<void> bind(std::size_t width, const CompileOptions& options) {
    Plan plan = default_plan(energy_);
    plan.parts.front().strategy = Strategy::StoredJtJ;
    plan.parts.front().jtj_format = StorageFormat::Dense;
    executable_ = make_interpreter_backend()
                      .value()
                      ->compile(generate(make_program(energy_, plan, {})), options)
                      .value();
    return executable_->bind(line(width));
  }

  Energy energy_ = make_energy();
  std::unique_ptr<Executable> executable_;
};

TEST_F(MemoryLimit, IsNamedWithWhatDoesNotFit) {
  EXPECT_TRUE(bind(100, {.memory_limit = 100 * 100 * 8}));
  EXPECT_FALSE(bind(100, {.memory_limit = 100 * 100 * 8 - 1}));
  const Expected<void> bound = bind(1 << 20, {});
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().what,
            "what this schedule stores takes 8 TiB (JtJ of it 8 TiB), the memory limit is 8 GiB");
  ASSERT_FALSE(bind(1 << 20, {}));
  EXPECT_TRUE(executable_->bind(line(10)));
}

TEST_F(MemoryLimit, CountsTheWorkspacesOfLibraries) {
  ASSERT_TRUE(bind(100, {}));
  const ProgramSizes sizes = ProgramSizes::make(executable_->program(), line(100)).value();
  const auto check = [&](std::int64_t limit) {
    return check_memory_limit(executable_->program(), sizes, Precision::Double, limit, 4096);
  };
  EXPECT_TRUE(check(100 * 100 * 8 + 4096));
  const Expected<void> refused = check(100 * 100 * 8 + 4095);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "what this schedule stores takes 82.1 KiB (JtJ of it 78.1 KiB, workspaces of libraries "
            "4 KiB), the memory limit is 82.1 KiB");
}

}  // namespace
}  // namespace thallo
