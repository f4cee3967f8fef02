// Provides the preconditioner 'scaled_identity', which makes the iterates of conjugate gradients
// that there are without any.
#include <memory>

#include "core/kernel/preconditioner.h"
#include "core/plugin/abi.h"

namespace {

using namespace thallo;

class ScaledIdentity final : public Preconditioner {
 public:
  std::string_view name() const override { return "scaled_identity"; }
  std::string_view doc() const override { return "divides by four"; }
  InverseForm form() const override { return InverseForm::Diagonal; }
  ExprId invert(ExprGraph& graph, const DiagonalEntry&) const override {
    return graph.constant(0.25);
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Preconditioner>("scaled_identity", std::make_unique<ScaledIdentity>());
}

}  // namespace

THALLO_PLUGIN("scaled_identity", "1.0.0", "", register_into);
