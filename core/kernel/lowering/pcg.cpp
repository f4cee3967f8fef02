// Preconditioned conjugate gradients (docs/algorithms.md, "The linear solve"): everything that a
// linear iteration does except applying the operator.
//
//   p = z + beta p,  Ap = (JtJ + D) p      `direction`, then the kernels of the operator
//   alpha = r.z / p.Ap
//   x += alpha p,  r -= alpha Ap,  z = M^-1 r,  beta = r.z / (r.z before)           `update`
//
// The rows are those of the unknowns that the linear solver keeps: of a flat kernel over all
// scalars, or of one over elements, where some are eliminated or M^-1 couples the scalars of one.

#include "core/kernel/lowering/stages.h"

#include <optional>
#include <utility>
#include <vector>

#include "core/kernel/lowering/solver_kernels.h"

namespace thallo {
namespace {

// Every block of a kernel that reduces ends with two atomics on the state, one after the other, so
// larger blocks mean fewer atomics. Kernels that compute little have the registers for them.
constexpr int flat_block_size = 512;

class PcgLowering : public SolverKernels {
 public:
  using SolverKernels::SolverKernels;

  void run() {
    if (starts_later()) lower_start();
    lower_direction();
    lower_update();
    if (b_.options().resets_residual()) lower_reset();
  }

 private:
  // Where unknowns are eliminated, r begins with their solution for x = 0 in the others. With
  // x_E = V^-1 (b_E - W^T x_F), x.(r+b) is that of the start plus x_F.(r_F + its start).
  void lower_start() {
    Kernel kernel{.role = "start", .label = "start"};
    if (b_.eliminates()) {
      b_.add_kept(ProgramBuilder::Later::Products, Phase::Damp, if_loop_follows());
      for_each_element(kernel, false, [&](const Rows& rows) {
        std::vector<Updated> updated;
        for (const Scalar& s : rows.scalars) {
          const ExprId r = g_.mul(is_free(s), g_.sub(read(Vector::B, s), read(Vector::Ap, s)));
          if (b_.damped()) rows.body.push_back(store(Vector::ReducedB, s, r));
          updated.push_back({.x = constant(0), .r = r});
        }
        finish_rows(rows, updated);
      });
    } else {
      for (Step& step : b_.preconditioner().steps_to_invert(b_.program()))
        b_.step(Phase::Damp, std::move(step));
      kernel = product_by_steps(Phase::Damp, "start", {});
    }
    set_start(kernel);
    if (b_.eliminates() && b_.damped())
      set_in_epilogue(kernel, Slot::Q, b_.state(Slot::EliminatedQ));
    clear_in_epilogue(kernel, {Slot::PAp, Slot::SumA, Slot::SumB, Slot::SumC});
    b_.launch(Phase::Damp, b_.add_kernel(std::move(kernel)), if_loop_follows());
  }

  // A kernel of the operator may start Ap instead, and eliminated rows of p follow later.
  void lower_direction() {
    Kernel kernel{.role = "direction", .label = "direction"};
    for_each_kept(kernel, [this](const Rows& rows) {
      std::vector<ExprId> shares;
      for (const Scalar& s : rows.scalars) {
        if (delays_x()) {
          const ExprId step = g_.mul(b_.state(Slot::Alpha), read(Vector::P, s));
          rows.body.push_back(store(Vector::X, s, g_.add(read(Vector::X, s), step)));
        }
        const ExprId z = read(has_z() ? Vector::Z : Vector::R, s);
        const ExprId p = g_.add(z, g_.mul(b_.state(Slot::Beta), read(Vector::P, s)));
        rows.body.push_back(store(Vector::P, s, p));
        if (b_.product_is_started()) continue;
        const ExprId dp = b_.damped() ? g_.mul(read(Vector::Damping, s), p) : constant(0);
        rows.body.push_back(store(Vector::Ap, s, dp));
        if (b_.damped()) shares.push_back(g_.mul(p, dp));
      }
      add_share_of_product(rows.body, shares);
    });
    b_.launch(Phase::Direction, b_.add_kernel(std::move(kernel)), while_running);
  }

  void lower_update() {
    Kernel kernel{.role = "update", .label = "update"};
    const ExprId p_ap = b_.state(Slot::PAp);
    // Identity keeps the test inside alpha, which stays one uniform scalar; without it the test
    // would become a mask on every product with alpha.
    const ExprId alpha =
        g_.unary(Op::Identity, g_.mul(less(constant(0), p_ap), g_.div(b_.state(Slot::Rz), p_ap)));
    for_each_updated(kernel, [&](Block& body, const Scalar& s) {
      Updated updated;
      if (!delays_x()) {
        updated.x = g_.add(read(Vector::X, s), g_.mul(alpha, read(Vector::P, s)));
        body.push_back(store(Vector::X, s, updated.x));
      }
      updated.r =
          g_.mul(is_free(s), g_.sub(read(Vector::R, s), g_.mul(alpha, read(Vector::Ap, s))));
      return updated;
    });
    if (has_steps()) {
      b_.launch(Phase::Update, b_.add_kernel(std::move(kernel)), while_running);
      kernel = product_by_steps(Phase::Update, "finish", while_running);
    }
    if (delays_x()) set_in_epilogue(kernel, Slot::Alpha, alpha);
    const ExprId iteration = g_.add(b_.state(Slot::LinearIteration), constant(1));
    set_in_epilogue(kernel, Slot::LinearIteration, iteration);
    ExprId decide = g_.boolean(true);
    if (b_.options().resets_residual()) {
      const ExprId countdown = g_.sub(b_.state(Slot::ResetCountdown), constant(1));
      set_in_epilogue(kernel, Slot::ResetCountdown, countdown);
      const ExprId due = g_.binary(Op::Eq, countdown, constant(0));
      set_in_epilogue(kernel, Slot::Resetting, due);
      decide = g_.logical_not(due);
    }
    finish_iteration(kernel, iteration, decide);
    b_.launch(Phase::Update, b_.add_kernel(std::move(kernel)), while_running);
  }

  // r = b - (JtJ + D) x with the true operator, in place of the recurrence, every
  // residual_reset_period iterations.
  void lower_reset() {
    if (!b_.product_is_started()) {
      Kernel direction{.role = "reset_direction", .label = "reset_direction"};
      for_each_kept(direction, [this](const Rows& rows) {
        for (const Scalar& s : rows.scalars) {
          const ExprId dx = g_.mul(read(Vector::Damping, s), read(Vector::X, s));
          rows.body.push_back(store(Vector::Ap, s, dx));
        }
      });
      b_.launch(Phase::ResetDirection, b_.add_kernel(std::move(direction)), while_resetting);
    }
    Kernel update{.role = "reset_update", .label = "reset_update"};
    for_each_updated(update, [&](Block&, const Scalar& s) -> Updated {
      return {.x = read(Vector::X, s),
              .r = g_.mul(is_free(s), g_.sub(read(Vector::B, s), read(Vector::Ap, s)))};
    });
    set_in_epilogue(update, Slot::ResetCountdown, b_.state(Slot::ResetPeriod));
    clear_in_epilogue(update, {Slot::Resetting});
    finish_iteration(update, b_.state(Slot::LinearIteration), g_.boolean(true));
    b_.launch(Phase::ResetUpdate, b_.add_kernel(std::move(update)), while_resetting);
  }

  struct Updated {
    ExprId x;  // invalid where nobody needs it
    ExprId r;
  };
  // Calls `update` for every scalar, which returns its new x and r, and finishes them. The kernel
  // runs by elements where a block of M^-1 couples the scalars of one, and where only the mask, one
  // byte an element, has to be read.
  template <class Update>
  void for_each_updated(Kernel& kernel, Update update) {
    const auto finish = [&](const Rows& rows) {
      std::vector<Updated> updated;
      for (const Scalar& s : rows.scalars) updated.push_back(update(rows.body, s));
      finish_rows(rows, updated);
    };
    const InverseForm form = b_.preconditioner().form();
    if (form == InverseForm::Blocks || (form == InverseForm::Identity && b_.holds_scalars())) {
      for_each_element(kernel, false, finish);
    } else {
      kernel.shape.threads_per_block = flat_block_size;
      for_each_scalar(kernel, finish);
    }
  }

  // Stores r and z = M^-1 r, and reduces r.z, r.r and, when damped, x.(r+b). Where M has steps of
  // its own, they compute z and r.z later.
  void finish_rows(const Rows& rows, const std::vector<Updated>& updated) {
    std::vector<ExprId> z;
    if (!has_steps()) z = times_inverse(rows, updated);
    std::vector<ExprId> rz, rr, q;
    for (std::size_t i = 0; i < updated.size(); ++i) {
      const Scalar& s = rows.scalars[i];
      const auto [x, r] = updated[i];
      rows.body.push_back(store(Vector::R, s, r));
      if (!z.empty()) {
        if (has_z()) rows.body.push_back(store(Vector::Z, s, z[i]));
        rz.push_back(g_.mul(r, z[i]));
      }
      rr.push_back(g_.powi(r, 2));
      if (b_.damped()) {
        const Vector start = b_.has_reduced_b() ? Vector::ReducedB : Vector::B;
        q.push_back(g_.mul(x, g_.add(r, read(start, s))));
      }
    }
    if (!rz.empty()) rows.body.push_back(b_.reduce(Slot::SumA, g_.add(rz)));
    if (b_.damped()) rows.body.push_back(b_.reduce(Slot::SumB, g_.add(q)));
    if (has_z()) rows.body.push_back(b_.reduce(Slot::SumC, g_.add(rr)));
  }

  // M^-1 r in a form that the kernel holds.
  std::vector<ExprId> times_inverse(const Rows& rows, const std::vector<Updated>& updated) {
    std::vector<ExprId> z;
    for (const Updated& u : updated) z.push_back(u.r);
    if (!has_z()) return z;
    const bool has_block = rows.space && b_.program().spaces[*rows.space].block_inverse;
    const std::vector<ExprId> r = z;
    for (std::size_t i = 0; i < r.size(); ++i) {
      z[i] = has_block ? block_inverse_times(rows, i, r)
                       : g_.mul(read(Vector::InverseDiagonal, rows.scalars[i]), r[i]);
    }
    return z;
  }

  // z = M^-1 r by steps, and the kernel that then sums up r.z.
  Kernel product_by_steps(Phase phase, const char* name, std::optional<Gate> gate) {
    for (Step& step : b_.preconditioner().steps_to_apply(b_.program(), gate))
      b_.step(phase, std::move(step));
    Kernel kernel{.role = name, .label = name};
    kernel.shape.threads_per_block = flat_block_size;
    for_each_scalar(kernel, [this](const Rows& rows) {
      std::vector<ExprId> products;
      for (const Scalar& s : rows.scalars)
        products.push_back(g_.mul(read(Vector::R, s), read(Vector::Z, s)));
      rows.body.push_back(b_.reduce(Slot::SumA, g_.add(products)));
    });
    return kernel;
  }

  // beta and the stopping tests, where `decide` holds; accumulators are cleared in any case.
  void finish_iteration(Kernel& kernel, ExprId iteration, ExprId decide) {
    const auto set = [&](Slot slot, ExprId value) {
      set_in_epilogue(kernel, slot, g_.select(decide, value, b_.state(slot)));
    };
    const ExprId rz = b_.state(Slot::SumA);
    const ExprId rr = b_.state(has_z() ? Slot::SumC : Slot::SumA);
    set(Slot::Beta, g_.div(rz, b_.state(Slot::Rz)));
    set(Slot::Rz, rz);

    ExprId stop = either(less_eq(b_.state(Slot::MaxLinearIterations), iteration),
                         g_.logical_not(less(constant(SmallestRz), rz)));
    const ExprId tolerance = b_.state(Slot::ResidualTolerance);
    const ExprId small = less_eq(rr, g_.mul(g_.powi(tolerance, 2), b_.state(Slot::BNorm2)));
    stop = either(stop, g_.mul(less(constant(0), tolerance), small));
    if (b_.damped()) {
      ExprId q = g_.mul(constant(0.5), b_.state(Slot::SumB));
      if (b_.eliminates()) q = g_.add(q, b_.state(Slot::EliminatedQ));
      const ExprId zeta = g_.mul(iteration, g_.div(g_.sub(q, b_.state(Slot::Q)), q));
      const ExprId eta = b_.state(Slot::QTolerance);
      // False also when zeta is infinite or NaN: comparisons with NaN are false.
      const ExprId goes_on = g_.mul(less_eq(eta, zeta), less(zeta, constant(1e300)));
      stop = either(stop, g_.mul(less(constant(0), eta), g_.logical_not(goes_on)));
      set(Slot::Q, q);
    }
    const ExprId stopped = g_.mul(decide, stop);
    set_in_epilogue(kernel, Slot::Stop, stopped);
    clear_in_epilogue(kernel, {Slot::PAp, Slot::SumA, Slot::SumB, Slot::SumC});
    kernel.loop_condition = g_.logical_not(stopped);
  }
};

}  // namespace

void lower_pcg(ProgramBuilder& builder) { PcgLowering(builder).run(); }

}  // namespace thallo
