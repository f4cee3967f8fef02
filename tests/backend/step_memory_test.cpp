#include "core/backend/step_memory.h"

#include <gmock/gmock.h>

#include <set>

#include "core/kernel/lower.h"
#include "tests/backend/springs.h"

namespace thallo {
namespace {

using test::Damped;

class StepMemories : public testing::Test {
 protected:
  void make(const Plan& plan, const ProgramOptions& options = Damped) {
    generated_ = generate(make_program(energy_, plan, options));
  }
  const KernelProgram& program() const { return generated_.program; }
  std::size_t piece(std::size_t buffer) const { return program().unknowns.size() + buffer; }
  // Of all steps of a kind, what `expected` says beside the state.
  template <class Kind, class Expect>
  int check(const Expect& expect) {
    int num_checked = 0;
    for (const auto& [phase, steps] : program().phases) {
      for (const Step& step : steps) {
        const auto* its = std::get_if<Kind>(&step);
        if (its == nullptr) continue;
        expect(*its, memory_of(generated_, step));
        ++num_checked;
      }
    }
    return num_checked;
  }
  // The buffer that the state lies in, as a piece.
  std::size_t state() const {
    for (std::size_t b = 0; b < program().buffers.size(); ++b)
      if (program().buffers[b].kind == BufferKind::State) return piece(b);
    return 0;
  }

  Energy energy_ = test::springs();
  GeneratedProgram generated_;
};

TEST_F(StepMemories, OfAClearIsItsBuffer) {
  make(default_plan(energy_));
  EXPECT_GT(check<ClearBuffer>([&](const ClearBuffer& clear, const StepMemory& memory) {
              EXPECT_THAT(memory.changed,
                          testing::UnorderedElementsAre(state(), piece(clear.buffer)));
              EXPECT_TRUE(memory.maps.empty());
            }),
            0);
}

TEST_F(StepMemories, OfAProductAreTheMatrixAndBothVectors) {
  Plan plan = default_plan(energy_);
  plan.parts[0].strategy = Strategy::StoredJ;
  plan.parts[0].j_format = StorageFormat::Csr;
  make(plan);
  EXPECT_GT(check<MultiplyMatrix>([&](const MultiplyMatrix& product, const StepMemory& memory) {
              EXPECT_THAT(memory.changed, testing::UnorderedElementsAre(state(), piece(product.y)));
              const StoredMatrix& matrix = program().matrices[product.matrix];
              for (const std::size_t buffer : {matrix.values, product.x, product.y})
                for (const FieldId view : program().buffers[buffer].fields)
                  EXPECT_TRUE(memory.fields.contains(view)) << program().buffers[buffer].name;
              EXPECT_THAT(memory.maps,
                          testing::UnorderedElementsAre(matrix.offsets, matrix.columns));
            }),
            0);
}

// A kernel may use other memory than it was generated for.
TEST_F(StepMemories, OfALaunchIsWhatItIsBoundTo) {
  make(default_plan(energy_));
  int num_rebound = 0;
  check<LaunchKernel>([&](const LaunchKernel& launch, const StepMemory& memory) {
    const KernelCode& code = generated_.codes[launch.kernel];
    EXPECT_TRUE(memory.changed.contains(state()));
    for (const FieldId field : code.slots.fields) {
      const auto rebound = launch.rebind.find(field);
      const bool is_rebound = rebound != launch.rebind.end();
      EXPECT_TRUE(memory.fields.contains(is_rebound ? rebound->second : field));
      num_rebound += is_rebound ? 1 : 0;
    }
  });
  EXPECT_GT(num_rebound, 0);
  // Accepting a step is what changes unknowns.
  make(default_plan(energy_));
  std::set<std::size_t> changed;
  check<LaunchKernel>([&](const LaunchKernel&, const StepMemory& memory) {
    for (const std::size_t piece : memory.changed)
      if (piece < program().unknowns.size()) changed.insert(piece);
  });
  EXPECT_EQ(changed.size(), program().unknowns.size());
}

}  // namespace
}  // namespace thallo
