// Provides the linear solver 'breaks', whose third factorization fails as a device does.
#include <memory>
#include <span>

#include "core/base/error.h"
#include "core/linear/linear_solver.h"
#include "core/plugin/abi.h"

namespace {

// Steps by the diagonal alone.
class Breaking final : public thallo::Factorization {
 public:
  bool factorize(std::span<const double>) override {
    if (++num_factors_ == 3) throw thallo::DeviceError("breakDown", "LOST (7)");
    return true;
  }
  void solve(std::span<double>) override {}

 private:
  int num_factors_ = 0;
};

class Breaks final : public thallo::LinearSolver {
 public:
  std::string_view name() const override { return "breaks"; }
  std::string_view doc() const override { return "fails in the middle"; }
  thallo::MatrixForm form() const override { return thallo::MatrixForm::Csr; }
  std::unique_ptr<thallo::Factorization> analyze(const thallo::MatrixPattern&) const override {
    return std::make_unique<Breaking>();
  }
};

thallo::Expected<void> register_into(thallo::Registrar& registrar) {
  return registrar.add<thallo::LinearSolver>("breaks", std::make_unique<Breaks>());
}

}  // namespace

THALLO_PLUGIN("breaks", "1.0.0", "", register_into);
