#include "core/kernel/preconditioner.h"

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/kernel/lowering/preconditioners/block_jacobi.h"
#include "core/kernel/lowering/preconditioners/multigrid.h"

namespace thallo {
namespace {

class NoPreconditioner final : public Preconditioner {
 public:
  std::string_view name() const override { return "none"; }
  std::string_view doc() const override { return "the cheapest iterations, and the most of them"; }
  InverseForm form() const override { return InverseForm::Identity; }
  double expected_iterations(const LinearCase& the_case) const override {
    return 2 * the_case.diagonal_iterations();
  }
  ExprId invert(ExprGraph& graph, const DiagonalEntry&) const override { return graph.constant(1); }
};

// The inverse of an entry is that which others fall back to (Preconditioner::invert).
class Jacobi final : public Preconditioner {
 public:
  std::string_view name() const override { return "jacobi"; }
  std::string_view doc() const override {
    return "divides by the diagonal: for unknowns of different scales";
  }
  InverseForm form() const override { return InverseForm::Diagonal; }
};

}  // namespace

Expected<void> Preconditioner::check_solver(const LinearSolver& solver) const {
  if (solver.eliminates()) {
    return fail("linear_solver {} has no preconditioner {}; use block_jacobi or leave it unset",
                solver.name(), name());
  }
  if (solver.is_direct() && form() == InverseForm::Steps) {
    return fail("linear_solver {} has no preconditioner {}; use linear_solver pcg", solver.name(),
                name());
  }
  return {};
}

ExprId Preconditioner::invert(ExprGraph& graph, const DiagonalEntry& entry) const {
  return entry.damping.valid() ? graph.powi(graph.add(entry.d, entry.damping), -1)
                               : graph.powi(entry.length, -2);
}

BlockInverse Preconditioner::invert_block(ExprGraph&, std::size_t,
                                          const std::vector<ExprId>&) const {
  throw InternalError(fmt::format("the preconditioner {} inverts no block", name()), __FILE__,
                      __LINE__);
}

void add_preconditioners(PreconditionerRegistry& registry) {
  const auto add = [&](std::unique_ptr<const Preconditioner> preconditioner) {
    const std::string name(preconditioner->name());
    const auto added = registry.add(name, std::move(preconditioner), "thallo");
    THALLO_ASSERT(added.has_value(), "the preconditioner {} is there twice", name);
  };
  add(std::make_unique<NoPreconditioner>());
  add(std::make_unique<Jacobi>());
  add(std::make_unique<BlockJacobi>());
  add(std::make_unique<MultigridPreconditioner>());
}

const PreconditionerRegistry& own_preconditioners() {
  static const PreconditionerRegistry registry = [] {
    PreconditionerRegistry own("preconditioner");
    add_preconditioners(own);
    return own;
  }();
  return registry;
}

const Preconditioner* no_preconditioner() { return own_preconditioners().find("none"); }
const Preconditioner* jacobi_preconditioner() { return own_preconditioners().find("jacobi"); }
const Preconditioner* block_jacobi_preconditioner() {
  return own_preconditioners().find("block_jacobi");
}
const Preconditioner* multigrid_preconditioner() { return own_preconditioners().find("multigrid"); }

}  // namespace thallo
