// Preconditioned conjugate gradients (docs/algorithms.md, "The linear solve"): everything that a
// linear iteration does except applying the operator.

#include "core/kernel/lowering/pcg.h"

#include <algorithm>
#include <functional>
#include <iterator>
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
    if (b_.eliminates()) lower_start();
    if (b_.has_multigrid()) lower_start_of_multigrid();
    lower_direction();
    lower_update();
    if (b_.damped() && !b_.has_multigrid()) lower_reset();
  }

 private:
  // p = z + beta p; Ap = D p and its share of p.Ap, unless a kernel of the operator starts Ap.
  // Eliminated rows of p follow later.
  void lower_direction() {
    Kernel kernel{.role = "direction", .label = "direction"};
    if (!b_.eliminates()) {
      const IndexId i = flat_section(kernel);
      Block& body = kernel.sections.back().body;
      const Scalar s = flat_scalar(body, i);
      delay_x(s);
      if (const auto share = direct(s))
        std::ranges::move(b_.share_of_product(*share), std::back_inserter(body));
    } else {
      for_each_element(kernel, [this](Block& body, std::size_t space, IndexId here) {
        direct_element(body, space, here);
      });
    }
    b_.launch(Phase::Direction, b_.add_kernel(std::move(kernel)), while_running);
  }

  // Eliminated elements are left out.
  template <class Body>
  void for_each_element(Kernel& kernel, Body body) {
    for (std::size_t k = 0; k < b_.program().spaces.size(); ++k) {
      if (b_.program().spaces[k].is_eliminated) continue;
      const std::vector<DomainId> domains = b_.element_of(b_.program().spaces[k].dims);
      kernel.sections.push_back({.domains = domains, .body = {}});
      body(kernel.sections.back().body, k, g_.indices().intern(domains));
    }
  }

  void direct_element(Block& body, std::size_t space, IndexId here) {
    std::vector<ExprId> shares;
    for (const ElementScalar& scalar : scalars_of(space)) {
      const Scalar s = element_scalar(body, scalar, here);
      if (const auto share = direct(s)) shares.push_back(*share);
    }
    if (!shares.empty())
      std::ranges::move(b_.share_of_product(g_.add(shares)), std::back_inserter(body));
  }

  // A scalar of the unknowns, in a kernel that runs flat or by elements.
  struct Scalar {
    std::function<ExprId(Vector)> read;
    std::function<void(Vector, ExprId)> write;
    ExprId free;
  };
  Scalar flat_scalar(Block& body, IndexId i) {
    return {.read = [this, i](Vector v) { return flat(v, i); },
            .write = [this, &body, i](Vector v, ExprId e) { body.push_back(store_flat(v, i, e)); },
            .free = {}};
  }
  Scalar element_scalar(Block& body, const ElementScalar& scalar, IndexId here) {
    return {.read = [=, this](Vector v) { return read(v, scalar, here); },
            .write = [=, this, &body](Vector v,
                                      ExprId e) { body.push_back(store(v, scalar, here, e)); },
            .free = b_.is_free(scalar.unknown, here)};
  }

  void delay_x(const Scalar& s) {
    if (!delays_x()) return;
    s.write(Vector::X, g_.add(s.read(Vector::X), g_.mul(b_.state(Slot::Alpha), s.read(Vector::P))));
  }

  // Returns the share of p.Ap, if there is one.
  std::optional<ExprId> direct(const Scalar& s) {
    const ExprId z = s.read(preconditioned() ? Vector::Z : Vector::R);
    const ExprId p = g_.add(z, g_.mul(b_.state(Slot::Beta), s.read(Vector::P)));
    s.write(Vector::P, p);
    if (b_.product_is_started()) return {};
    const ExprId dp = b_.damped() ? g_.mul(s.read(Vector::Damping), p) : constant(0);
    s.write(Vector::Ap, dp);
    if (!b_.damped()) return {};
    return g_.mul(p, dp);
  }

  // `x` is invalid when nobody needs it.
  struct Updated {
    Scalar scalar;
    ExprId x, r;
  };
  // Calls `step` for every scalar, which returns the scalar's new x and r; then applies the
  // preconditioner, stores r and z, and reduces r.z, r.r and, when damped, x.(r+b). The kernel runs
  // flat or by elements, as preconditioner and exclusions require.
  template <class Step>
  void for_each_scalar_with_preconditioner(Kernel& kernel, Step step) {
    const bool has_exclusions = !b_.energy().exclusions().empty();
    if (b_.options().preconditioner == PreconditionerKind::Jacobi || b_.has_multigrid() ||
        (!preconditioned() && !has_exclusions)) {
      kernel.shape.threads_per_block = flat_block_size;
      const IndexId i = flat_section(kernel);
      Block& body = kernel.sections.back().body;
      const ExprId inverse = flat(Vector::InverseDiagonal, i);
      const ExprId is_excluded = g_.binary(Op::Eq, inverse, constant(0));
      Scalar s = flat_scalar(body, i);
      s.free = has_exclusions ? g_.logical_not(is_excluded) : g_.boolean(true);
      const auto [x, r] = step(s);
      std::vector<ExprId> z;
      if (!b_.has_multigrid()) z.push_back(preconditioned() ? g_.mul(inverse, r) : r);
      finish_scalars(body, {{s, x, r}}, z);
      return;
    }
    // By elements: a block couples the channels of an element, and one byte of the mask holds for
    // all of them.
    for_each_element(kernel, [&](Block& body, std::size_t space, IndexId here) {
      std::vector<Updated> element;
      for (const ElementScalar& scalar : scalars_of(space)) {
        const Scalar s = element_scalar(body, scalar, here);
        const auto [x, r] = step(s);
        element.push_back({s, x, r});
      }
      finish_scalars(body, element, preconditioner_times(element, space, here));
    });
  }

  // z of the scalars of an element.
  std::vector<ExprId> preconditioner_times(const std::vector<Updated>& element, std::size_t space,
                                           IndexId here) {
    std::vector<ExprId> residuals;
    for (const Updated& u : element) residuals.push_back(u.r);
    if (!preconditioned()) return residuals;
    std::vector<ExprId> z;
    for (std::size_t i = 0; i < element.size(); ++i) {
      z.push_back(uses_blocks(space)
                      ? block_inverse_times(space, here, i, residuals)
                      : g_.mul(element[i].scalar.read(Vector::InverseDiagonal), element[i].r));
    }
    return z;
  }

  // `z` is empty where multigrid computes it, and another kernel r.z.
  void finish_scalars(Block& body, const std::vector<Updated>& scalars,
                      const std::vector<ExprId>& z) {
    std::vector<ExprId> rz;
    std::vector<ExprId> rr;
    std::vector<ExprId> q;
    for (std::size_t i = 0; i < scalars.size(); ++i) {
      const Updated& u = scalars[i];
      u.scalar.write(Vector::R, u.r);
      if (!z.empty()) {
        if (preconditioned()) u.scalar.write(Vector::Z, z[i]);
        rz.push_back(g_.mul(u.r, z[i]));
      }
      rr.push_back(g_.powi(u.r, 2));
      if (b_.damped()) {
        const Vector start = b_.has_reduced_b() ? Vector::ReducedB : Vector::B;
        q.push_back(g_.mul(u.x, g_.add(u.r, u.scalar.read(start))));
      }
    }
    if (!rz.empty()) body.push_back(b_.reduce(Slot::SumA, g_.add(rz)));
    if (b_.damped()) body.push_back(b_.reduce(Slot::SumB, g_.add(q)));
    if (preconditioned()) body.push_back(b_.reduce(Slot::SumC, g_.add(rr)));
  }

  // The start of a solve that eliminates unknowns, from their solution for x = 0 in the others.
  // With x_E = V^-1 (b_E - W^T x_F), x.(r+b) is that of the start plus x_F.(r_F + its start).
  void lower_start() {
    b_.multiply_at_start();
    Kernel kernel{.role = "start", .label = "start"};
    for_each_element(kernel, [&](Block& body, std::size_t space, IndexId here) {
      std::vector<Updated> element;
      for (const ElementScalar& scalar : scalars_of(space)) {
        const Scalar s = element_scalar(body, scalar, here);
        const ExprId r = g_.mul(s.free, g_.sub(s.read(Vector::B), s.read(Vector::Ap)));
        if (b_.damped()) s.write(Vector::ReducedB, r);
        element.push_back({s, constant(0), r});
      }
      finish_scalars(body, element, preconditioner_times(element, space, here));
    });
    const ExprId rz = b_.state(Slot::SumA);
    set_in_epilogue(kernel, Slot::Rz, rz);
    set_in_epilogue(kernel, Slot::Stop, g_.logical_not(less(constant(SmallestRz), rz)));
    if (b_.damped()) set_in_epilogue(kernel, Slot::Q, b_.state(Slot::EliminatedQ));
    clear_in_epilogue(kernel, {Slot::PAp, Slot::SumA, Slot::SumB, Slot::SumC});
    b_.launch(Phase::Damp, b_.add_kernel(std::move(kernel)));
  }

  // z = M^-1 r, and a kernel that sums up r.z.
  Kernel multigrid_cycle(Phase phase, const char* name, std::optional<Gate> gate) {
    b_.step(phase, RunMultigrid{.pass = RunMultigrid::Pass::Cycle, .gate = gate});
    Kernel kernel{.role = name, .label = name};
    kernel.shape.threads_per_block = flat_block_size;
    const IndexId i = flat_section(kernel);
    const ExprId product = g_.mul(flat(Vector::R, i), flat(Vector::Z, i));
    kernel.sections.back().body.push_back(b_.reduce(Slot::SumA, product));
    return kernel;
  }

  void lower_start_of_multigrid() {
    b_.step(Phase::Damp, RunMultigrid{.pass = RunMultigrid::Pass::Build, .gate = {}});
    Kernel kernel = multigrid_cycle(Phase::Damp, "start", {});
    const ExprId rz = b_.state(Slot::SumA);
    set_in_epilogue(kernel, Slot::Rz, rz);
    set_in_epilogue(kernel, Slot::Stop, g_.logical_not(less(constant(SmallestRz), rz)));
    clear_in_epilogue(kernel, {Slot::SumA});
    b_.launch(Phase::Damp, b_.add_kernel(std::move(kernel)));
  }

  // x += alpha p, r -= alpha Ap, z = M^-1 r; the stopping test, which multigrid's r.z precedes.
  void lower_update() {
    Kernel kernel{.role = "update", .label = "update"};
    const ExprId p_ap = b_.state(Slot::PAp);
    // Identity keeps the test inside alpha, which stays one uniform scalar; without it the test
    // would become a mask on every product with alpha.
    const ExprId alpha =
        g_.unary(Op::Identity, g_.mul(less(constant(0), p_ap), g_.div(b_.state(Slot::Rz), p_ap)));
    for_each_scalar_with_preconditioner(kernel, [&](const Scalar& s) {
      ExprId x;
      if (!delays_x()) {
        x = g_.add(s.read(Vector::X), g_.mul(alpha, s.read(Vector::P)));
        s.write(Vector::X, x);
      }
      const ExprId r = g_.mul(s.free, g_.sub(s.read(Vector::R), g_.mul(alpha, s.read(Vector::Ap))));
      return std::pair(x, r);
    });
    if (b_.has_multigrid()) {
      b_.launch(Phase::Update, b_.add_kernel(std::move(kernel)), while_running);
      kernel = multigrid_cycle(Phase::Update, "finish", while_running);
    }
    if (delays_x()) set_in_epilogue(kernel, Slot::Alpha, alpha);
    const ExprId iteration = g_.add(b_.state(Slot::LinearIteration), constant(1));
    set_in_epilogue(kernel, Slot::LinearIteration, iteration);
    if (b_.damped() && !b_.has_multigrid()) {
      const ExprId countdown = g_.sub(b_.state(Slot::ResetCountdown), constant(1));
      set_in_epilogue(kernel, Slot::ResetCountdown, countdown);
      const ExprId due = g_.binary(Op::Eq, countdown, constant(0));
      set_in_epilogue(kernel, Slot::Resetting, due);
      finish_iteration(kernel, iteration, g_.logical_not(due));
    } else {
      finish_iteration(kernel, iteration, g_.boolean(true));
    }
    b_.launch(Phase::Update, b_.add_kernel(std::move(kernel)), while_running);
  }

  // beta and the stopping tests, where `decide` holds; accumulators are cleared in any case.
  void finish_iteration(Kernel& kernel, ExprId iteration, ExprId decide) {
    const auto set = [&](Slot slot, ExprId value) {
      set_in_epilogue(kernel, slot, g_.select(decide, value, b_.state(slot)));
    };
    const ExprId rz = b_.state(Slot::SumA);
    const ExprId rr = b_.state(preconditioned() ? Slot::SumC : Slot::SumA);
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

  // r = b - (JtJ + D) x with the true operator, in place of the recurrence, every
  // residual_reset_period iterations.
  void lower_reset() {
    if (!b_.product_is_started()) {
      Kernel direction{.role = "reset_direction", .label = "reset_direction"};
      const auto damp = [&](const Scalar& s) {
        s.write(Vector::Ap, g_.mul(s.read(Vector::Damping), s.read(Vector::X)));
      };
      if (!b_.eliminates()) {
        const IndexId i = flat_section(direction);
        damp(flat_scalar(direction.sections.back().body, i));
      } else {
        for_each_element(direction, [&](Block& body, std::size_t space, IndexId here) {
          for (const ElementScalar& scalar : scalars_of(space))
            damp(element_scalar(body, scalar, here));
        });
      }
      b_.launch(Phase::ResetDirection, b_.add_kernel(std::move(direction)), while_resetting);
    }
    Kernel update{.role = "reset_update", .label = "reset_update"};
    for_each_scalar_with_preconditioner(update, [&](const Scalar& s) {
      return std::pair(s.read(Vector::X),
                       g_.mul(s.free, g_.sub(s.read(Vector::B), s.read(Vector::Ap))));
    });
    set_in_epilogue(update, Slot::ResetCountdown, b_.state(Slot::ResetPeriod));
    clear_in_epilogue(update, {Slot::Resetting});
    finish_iteration(update, b_.state(Slot::LinearIteration), g_.boolean(true));
    b_.launch(Phase::ResetUpdate, b_.add_kernel(std::move(update)), while_resetting);
  }
};

}  // namespace

void lower_pcg(ProgramBuilder& builder) { PcgLowering(builder).run(); }

}  // namespace thallo
