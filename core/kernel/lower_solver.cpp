// The solver's own kernels (semantics.md E.3, E.4). Vectors: b = -JtF, d = diag JtJ, x = delta, r,
// z = M^-1 r (r itself without preconditioner), p, Ap, inverse_diagonal (the jacobi preconditioner;
// 0 where excluded), damping (D) and scale (s = (1 + sqrt d0)^2) for Levenberg-Marquardt.
//
// Kernels that treat every scalar alike run flat over `unknown_scalars`; those that need blocks or
// the unknowns themselves run over the elements of the unknown spaces, one section each.
// Reductions go through the accumulator slots SumA..SumC, Largest, which every epilogue leaves at
// zero.

#include <algorithm>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "core/kernel/program_builder.h"

namespace thallo {
namespace {

constexpr Gate while_running{StateSlot::Stop, 0};
constexpr Gate while_resetting{StateSlot::Resetting, 1};

// The inverse diagonal is 0 at excluded entries and nowhere else, in float too.
constexpr double smallest_inverse = 1e-37;

// A linear solve whose r.z fell below this is finished: what follows would divide by numbers
// without reciprocal, and changes nothing.
constexpr double smallest_rz = 1e-250;

// Every block of a kernel that reduces ends with two atomics on the state, one after the other:
// with larger blocks there are fewer. Kernels that compute little have the registers for it.
constexpr int flat_block_size = 512;

class SolverLowering {
 public:
  explicit SolverLowering(ProgramBuilder& builder) : b_(builder), g_(builder.graph()) {}

  void run() {
    lower_masks();
    lower_finish_linearize();
    if (b_.damped()) lower_save_scale();
    lower_damp();
    if (b_.options().linear_solver == LinearSolverKind::Pcg) {
      lower_direction();
      lower_update();
      if (b_.damped()) lower_reset();
    } else {
      lower_dense_solve();
    }
    lower_retract();
    lower_accept();
  }

 private:
  using Slot = StateSlot;

  ExprId constant(double value) { return g_.constant(value); }
  ExprId less(ExprId a, ExprId b) { return g_.binary(Op::Less, a, b); }
  ExprId less_eq(ExprId a, ExprId b) { return g_.binary(Op::LessEq, a, b); }
  ExprId either(ExprId a, ExprId b) { return g_.binary(Op::Or, a, b); }

  // Runs `body(unknown, index)` for every unknown, one section per unknown, over its own dims.
  template <class Body>
  void for_each_unknown(Kernel& kernel, Body body) {
    for (const FieldId unknown : b_.energy().unknowns()) {
      const std::vector<DomainId> domains = b_.element_of(b_.energy().field(unknown).dims);
      Section section{.domains = domains, .body = {}};
      body(section.body, unknown, g_.indices().intern(domains));
      kernel.sections.push_back(std::move(section));
    }
  }

  // One section over every scalar of the unknown vector.
  IndexId flat_section(Kernel& kernel) {
    const std::vector<DomainId> i = b_.element_of({b_.program().unknown_scalars});
    kernel.sections.push_back({.domains = i, .body = {}});
    return g_.indices().intern(i);
  }
  ExprId flat(const std::string& vector, IndexId i) { return b_.read(b_.flat(vector), i); }
  Statement store_flat(const std::string& vector, IndexId i, ExprId value) {
    return {Store{b_.flat(vector), i, 0, value}};
  }

  void clear_in_epilogue(Kernel& kernel, std::initializer_list<Slot> slots) {
    for (const Slot slot : slots) kernel.epilogue.push_back(b_.store_state(slot, constant(0)));
  }
  void set_in_epilogue(Kernel& kernel, Slot slot, ExprId value) {
    kernel.epilogue.push_back(b_.store_state(slot, value));
  }

  void lower_masks() {
    Kernel kernel{.role = "masks", .label = "masks"};
    for (const Exclusion& exclusion : b_.energy().exclusions()) {
      const FieldId mask = b_.mask(exclusion.unknown);
      const IndexId here = g_.indices().intern(exclusion.domains);
      kernel.sections.push_back(
          {.domains = exclusion.domains,
           .body = {{Store{mask, here, 0, g_.logical_not(b_.inlined(exclusion.condition))}}}});
    }
    if (!kernel.sections.empty()) b_.launch(Phase::Setup, b_.add_kernel(std::move(kernel)));
  }

  // The gradient's infinity norm, and b = 0 at excluded entries. A maximum skips what is not a
  // number; as infinity it counts, so that nobody takes such a gradient for a small one.
  void lower_finish_linearize() {
    Kernel kernel{.role = "finish_linearize", .label = "finish_linearize"};
    for_each_unknown(kernel, [&](Block& body, FieldId unknown, IndexId here) {
      const FieldId b = b_.vector_view("b", unknown);
      const ExprId free = b_.is_free(unknown, here);
      for (int c = 0; c < b_.energy().field(unknown).tangent_channels(); ++c) {
        const ExprId value = g_.mul(free, b_.read(b, here, c));
        if (!g_.is_constant(free)) body.push_back({Store{b, here, c, value}});
        const ExprId magnitude = g_.unary(Op::Abs, value);
        const ExprId infinity = constant(std::numeric_limits<double>::infinity());
        const ExprId largest = g_.select(less(magnitude, infinity), magnitude, infinity);
        body.push_back(b_.reduce(Slot::Largest, largest, ReduceOp::Max));
      }
    });
    set_in_epilogue(kernel, Slot::BMax, b_.state(Slot::Largest));
    clear_in_epilogue(kernel, {Slot::Largest});
    b_.launch(Phase::Linearize, b_.add_kernel(std::move(kernel)));
  }

  void lower_save_scale() {
    Kernel kernel{.role = "save_scale", .label = "save_scale"};
    const IndexId i = flat_section(kernel);
    const ExprId root = g_.unary(Op::Sqrt, flat("d", i));
    kernel.sections.back().body.push_back(
        store_flat("scale", i, g_.powi(g_.add(constant(1), root), 2)));
    b_.launch(Phase::SaveScale, b_.add_kernel(std::move(kernel)));
  }

  // D = clamp(d, s min, s max) / radius
  ExprId damping(ExprId d, ExprId scale) {
    const ExprId low = g_.mul(scale, b_.state(Slot::MinDiagonal));
    const ExprId high = g_.mul(scale, b_.state(Slot::MaxDiagonal));
    const ExprId clamped = g_.select(less(d, low), low, g_.select(less(high, d), high, d));
    return g_.div(clamped, b_.state(Slot::Radius));
  }

  // The start of a linear solve: damping, preconditioner, x = p = 0, r = b, z = M^-1 r.
  void lower_damp() {
    Kernel kernel{.role = "damp", .label = "damp", .compute = ComputeType::Double};
    for (std::size_t s = 0; s < b_.program().spaces.size(); ++s) {
      const std::vector<DomainId> domains = b_.element_of(b_.program().spaces[s].dims);
      kernel.sections.push_back({.domains = domains, .body = {}});
      damp_element(kernel.sections.back().body, s, g_.indices().intern(domains));
    }
    const ExprId rz = b_.state(Slot::SumA);
    set_in_epilogue(kernel, Slot::Rz, rz);
    set_in_epilogue(kernel, Slot::BNorm2, b_.state(Slot::SumB));
    set_in_epilogue(kernel, Slot::FailedBlocks, b_.state(Slot::SumC));
    set_in_epilogue(kernel, Slot::Stop, g_.logical_not(less(constant(smallest_rz), rz)));
    set_in_epilogue(kernel, Slot::ResetCountdown, b_.state(Slot::ResetPeriod));
    clear_in_epilogue(kernel, {Slot::LinearIteration, Slot::Beta, Slot::Alpha, Slot::Q, Slot::PAp,
                               Slot::Resetting, Slot::SumA, Slot::SumB, Slot::SumC});
    b_.launch(Phase::Damp, b_.add_kernel(std::move(kernel)));
  }

  struct ElementChannel {
    FieldId unknown;
    int channel = 0;
    ExprId free, b, d, damping, jacobi;
  };

  void damp_element(Block& body, std::size_t space_id, IndexId here) {
    const UnknownSpace space = b_.program().spaces[space_id];
    std::vector<ElementChannel> element;
    for (const FieldId unknown : space.unknowns) {
      for (int c = 0; c < b_.energy().field(unknown).tangent_channels(); ++c) {
        ElementChannel e{.unknown = unknown, .channel = c};
        e.free = b_.is_free(unknown, here);
        e.b = b_.read(b_.vector_view("b", unknown), here, c);
        e.d = b_.read(b_.vector_view("d", unknown), here, c);
        if (b_.damped()) {
          e.damping = damping(e.d, b_.read(b_.vector_view("scale", unknown), here, c));
          body.push_back({Store{b_.vector_view("damping", unknown), here, c, e.damping}});
        }
        e.jacobi = g_.mul(e.free, at_least_smallest(jacobi(e)));
        element.push_back(e);
      }
    }
    const bool blocks = uses_blocks(space_id);
    std::vector<ExprId> z =
        blocks ? apply_block_inverse(body, element, space_id, here) : std::vector<ExprId>();
    std::vector<ExprId> rz;
    std::vector<ExprId> bb;
    for (std::size_t i = 0; i < element.size(); ++i) {
      const ElementChannel& e = element[i];
      const auto store = [&](const std::string& vector, ExprId value) {
        body.push_back({Store{b_.vector_view(vector, e.unknown), here, e.channel, value}});
      };
      store("inverse_diagonal", e.jacobi);
      if (!blocks) z.push_back(g_.mul(e.jacobi, e.b));
      store("x", constant(0));
      store("r", e.b);
      if (b_.options().linear_solver == LinearSolverKind::Pcg) {
        store("p", constant(0));
        if (preconditioned()) store("z", z[i]);
      }
      rz.push_back(g_.mul(e.b, z[i]));
      bb.push_back(g_.powi(e.b, 2));
    }
    body.push_back(b_.reduce(Slot::SumA, g_.add(rz)));
    body.push_back(b_.reduce(Slot::SumB, g_.add(bb)));
  }

  ExprId jacobi(const ElementChannel& e) {
    if (b_.options().preconditioner == PreconditionerKind::None) return constant(1);
    if (b_.damped()) return g_.powi(g_.add(e.d, e.damping), -1);
    return g_.powi(g_.add(constant(1), g_.unary(Op::Sqrt, e.d)), -2);
  }

  ExprId at_least_smallest(ExprId inverse) {
    const ExprId smallest = constant(smallest_inverse);
    return g_.select(less(inverse, smallest), smallest, inverse);
  }

  // Inverts the element's block of JtJ (+ D) by Cholesky, stores the inverse and returns its
  // product with b. Rows of excluded channels are identity in the factorisation and zero in the
  // inverse. A block that is not positive definite is replaced by the jacobi diagonal and counted.
  std::vector<ExprId> apply_block_inverse(Block& body, const std::vector<ElementChannel>& element,
                                          std::size_t space, IndexId here) {
    const std::size_t n = element.size();
    const FieldId blocks = b_.element_blocks("blocks", space);
    const auto position = [](std::size_t i, std::size_t j) { return i * (i + 1) / 2 + j; };

    std::vector<ExprId> l(position(n, 0));  // Cholesky factor
    std::vector<ExprId> inverse_pivot(n);   // 1 / l_jj
    ExprId ok = g_.boolean(true);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i < n; ++i) {
        ExprId a = b_.read(blocks, here, static_cast<int>(position(i, j)));
        if (i == j && b_.damped()) a = g_.add(a, element[i].damping);
        const ExprId both_free = g_.mul(element[i].free, element[j].free);
        a = g_.select(both_free, a, constant(i == j ? 1 : 0));
        std::vector<ExprId> terms = {a};
        for (std::size_t k = 0; k < j; ++k) {
          terms.push_back(g_.neg(g_.mul(l[position(i, k)], l[position(j, k)])));
        }
        const ExprId reduced = g_.add(terms);
        if (i == j) {
          // A pivot that lost all its digits to cancellation is not one.
          const ExprId positive = less(g_.mul(constant(1e-14), a), reduced);
          ok = g_.mul(ok, positive);
          l[position(j, j)] = g_.unary(Op::Sqrt, reduced);
          inverse_pivot[j] = g_.powi(l[position(j, j)], -1);
        } else {
          l[position(i, j)] = g_.mul(reduced, inverse_pivot[j]);
        }
      }
    }
    // Inverse of the factor, then M^-1 = L^-T L^-1.
    std::vector<ExprId> li(position(n, 0));
    for (std::size_t j = 0; j < n; ++j) {
      li[position(j, j)] = inverse_pivot[j];
      for (std::size_t i = j + 1; i < n; ++i) {
        std::vector<ExprId> terms;
        for (std::size_t k = j; k < i; ++k)
          terms.push_back(g_.mul(l[position(i, k)], li[position(k, j)]));
        li[position(i, j)] = g_.neg(g_.mul(inverse_pivot[i], g_.add(terms)));
      }
    }
    std::vector<ExprId> inverse(position(n, 0));
    const FieldId stored = b_.element_blocks("block_inverse", space);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        std::vector<ExprId> terms;
        for (std::size_t k = i; k < n; ++k)
          terms.push_back(g_.mul(li[position(k, i)], li[position(k, j)]));
        const ExprId both_free = g_.mul(element[i].free, element[j].free);
        const ExprId fallback = i == j ? element[i].jacobi : constant(0);
        inverse[position(i, j)] = g_.mul(both_free, g_.select(ok, g_.add(terms), fallback));
        body.push_back(
            {Store{stored, here, static_cast<int>(position(i, j)), inverse[position(i, j)]}});
      }
    }
    body.push_back(b_.reduce(Slot::SumC, g_.logical_not(ok)));

    std::vector<ExprId> z;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<ExprId> terms;
      for (std::size_t j = 0; j < n; ++j) {
        terms.push_back(g_.mul(inverse[i >= j ? position(i, j) : position(j, i)], element[j].b));
      }
      z.push_back(g_.add(terms));
    }
    return z;
  }

  bool preconditioned() const { return b_.options().preconditioner != PreconditionerKind::None; }

  // Gauss-Newton needs x only when the linear solve is over. x += alpha p then waits for the next
  // direction kernel, which reads p anyway, and the last one for the retraction.
  bool delays_x() const {
    return !b_.damped() && b_.options().linear_solver == LinearSolverKind::Pcg;
  }

  // p = z + beta p; Ap = D p and its share of p.Ap, unless a kernel of the operator starts Ap.
  void lower_direction() {
    Kernel kernel{.role = "direction", .label = "direction"};
    const IndexId i = flat_section(kernel);
    Block& body = kernel.sections.back().body;
    const ExprId last = flat("p", i);
    if (delays_x()) {
      const ExprId x = g_.add(flat("x", i), g_.mul(b_.state(Slot::Alpha), last));
      body.push_back(store_flat("x", i, x));
    }
    const ExprId z = flat(preconditioned() ? "z" : "r", i);
    const ExprId p = g_.add(z, g_.mul(b_.state(Slot::Beta), last));
    body.push_back(store_flat("p", i, p));
    if (!b_.product_is_started()) {
      const ExprId dp = b_.damped() ? g_.mul(flat("damping", i), p) : constant(0);
      body.push_back(store_flat("Ap", i, dp));
      if (b_.damped())
        std::ranges::move(b_.share_of_product(g_.mul(p, dp)), std::back_inserter(body));
    }
    b_.launch(Phase::Direction, b_.add_kernel(std::move(kernel)), while_running);
  }

  bool uses_blocks(std::size_t space) const {
    return b_.options().preconditioner == PreconditionerKind::BlockJacobi &&
           has_block(b_.program().spaces[space]);
  }

  // Runs `step` on every scalar, which answers with its new x (invalid when nobody needs it) and r,
  // and applies the preconditioner: stores r, z and reduces r.z, r.r and (damped) x.(r+b). A Scalar
  // reads flat or element vectors, as the preconditioner wants them.
  using Reader = std::function<ExprId(const std::string&)>;
  using Writer = std::function<void(const std::string&, ExprId)>;
  struct Scalar {
    Reader read;
    Writer write;
    ExprId free;
  };
  template <class Step>
  void for_each_scalar_with_preconditioner(Kernel& kernel, Step step) {
    const bool has_exclusions = !b_.energy().exclusions().empty();
    if (b_.options().preconditioner == PreconditionerKind::Jacobi ||
        (!preconditioned() && !has_exclusions)) {
      kernel.threads_per_block = flat_block_size;
      const IndexId i = flat_section(kernel);
      Block& body = kernel.sections.back().body;
      const ExprId inverse = flat("inverse_diagonal", i);
      const ExprId is_excluded = g_.binary(Op::Eq, inverse, constant(0));
      Scalar s{
          .read = [&](const std::string& v) { return flat(v, i); },
          .write = [&](const std::string& v, ExprId e) { body.push_back(store_flat(v, i, e)); },
          .free = has_exclusions ? g_.logical_not(is_excluded) : g_.boolean(true)};
      const auto [x, r] = step(s);
      finish_scalars(body, {{s, x, r}}, {preconditioned() ? g_.mul(inverse, r) : r});
      return;
    }
    // By elements: a byte of the mask says of all channels whether they are excluded.
    for (std::size_t k = 0; k < b_.program().spaces.size(); ++k) {
      const UnknownSpace space = b_.program().spaces[k];
      const std::vector<DomainId> domains = b_.element_of(space.dims);
      const IndexId here = g_.indices().intern(domains);
      kernel.sections.push_back({.domains = domains, .body = {}});
      Block& body = kernel.sections.back().body;
      std::vector<Updated> element;
      for (const FieldId unknown : space.unknowns) {
        for (int c = 0; c < b_.energy().field(unknown).tangent_channels(); ++c) {
          Scalar s{.read =
                       [this, unknown, here, c](const std::string& v) {
                         return b_.read(b_.vector_view(v, unknown), here, c);
                       },
                   .write =
                       [this, &body, unknown, here, c](const std::string& v, ExprId e) {
                         body.push_back({Store{b_.vector_view(v, unknown), here, c, e}});
                       },
                   .free = b_.is_free(unknown, here)};
          const auto [x, r] = step(s);
          element.push_back({s, x, r});
        }
      }
      std::vector<ExprId> z;
      for (std::size_t i = 0; i < element.size(); ++i) {
        if (!preconditioned()) {
          z.push_back(element[i].r);
          continue;
        }
        if (!uses_blocks(k)) {
          z.push_back(g_.mul(element[i].scalar.read("inverse_diagonal"), element[i].r));
          continue;
        }
        const FieldId inverse = b_.element_blocks("block_inverse", k);
        std::vector<ExprId> terms;
        for (std::size_t j = 0; j < element.size(); ++j) {
          const std::size_t row = std::max(i, j);
          const int position = static_cast<int>(row * (row + 1) / 2 + std::min(i, j));
          terms.push_back(g_.mul(b_.read(inverse, here, position), element[j].r));
        }
        z.push_back(g_.add(terms));
      }
      finish_scalars(body, element, z);
    }
  }

  struct Updated {
    Scalar scalar;
    ExprId x, r;
  };
  void finish_scalars(Block& body, const std::vector<Updated>& scalars,
                      const std::vector<ExprId>& z) {
    std::vector<ExprId> rz;
    std::vector<ExprId> rr;
    std::vector<ExprId> q;
    for (std::size_t i = 0; i < scalars.size(); ++i) {
      const Updated& u = scalars[i];
      u.scalar.write("r", u.r);
      if (preconditioned()) u.scalar.write("z", z[i]);
      rz.push_back(g_.mul(u.r, z[i]));
      rr.push_back(g_.powi(u.r, 2));
      if (b_.damped()) q.push_back(g_.mul(u.x, g_.add(u.r, u.scalar.read("b"))));
    }
    body.push_back(b_.reduce(Slot::SumA, g_.add(rz)));
    if (b_.damped()) body.push_back(b_.reduce(Slot::SumB, g_.add(q)));
    if (preconditioned()) body.push_back(b_.reduce(Slot::SumC, g_.add(rr)));
  }

  // x += alpha p, r -= alpha Ap, z = M^-1 r; the stopping test.
  void lower_update() {
    Kernel kernel{.role = "update", .label = "update"};
    const ExprId p_ap = b_.state(Slot::PAp);
    // Identity keeps the test inside alpha: it is one uniform scalar, not a mask on every product
    // with it.
    const ExprId alpha =
        g_.unary(Op::Identity, g_.mul(less(constant(0), p_ap), g_.div(b_.state(Slot::Rz), p_ap)));
    for_each_scalar_with_preconditioner(kernel, [&](const Scalar& s) {
      ExprId x;
      if (!delays_x()) {
        x = g_.add(s.read("x"), g_.mul(alpha, s.read("p")));
        s.write("x", x);
      }
      const ExprId r = g_.mul(s.free, g_.sub(s.read("r"), g_.mul(alpha, s.read("Ap"))));
      return std::pair(x, r);
    });
    if (delays_x()) set_in_epilogue(kernel, Slot::Alpha, alpha);
    const ExprId iteration = g_.add(b_.state(Slot::LinearIteration), constant(1));
    set_in_epilogue(kernel, Slot::LinearIteration, iteration);
    if (b_.damped()) {
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
                         g_.logical_not(less(constant(smallest_rz), rz)));
    const ExprId tolerance = b_.state(Slot::ResidualTolerance);
    const ExprId small = less_eq(rr, g_.mul(g_.powi(tolerance, 2), b_.state(Slot::BNorm2)));
    stop = either(stop, g_.mul(less(constant(0), tolerance), small));
    if (b_.damped()) {
      const ExprId q = g_.mul(constant(0.5), b_.state(Slot::SumB));
      const ExprId zeta = g_.mul(iteration, g_.div(g_.sub(q, b_.state(Slot::Q)), q));
      const ExprId eta = b_.state(Slot::QTolerance);
      // Also when zeta is NaN or infinite: comparisons with NaN are false.
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
      const IndexId i = flat_section(direction);
      direction.sections.back().body.push_back(
          store_flat("Ap", i, g_.mul(flat("damping", i), flat("x", i))));
      b_.launch(Phase::ResetDirection, b_.add_kernel(std::move(direction)), while_resetting);
    }
    Kernel update{.role = "reset_update", .label = "reset_update"};
    for_each_scalar_with_preconditioner(update, [&](const Scalar& s) {
      return std::pair(s.read("x"), g_.mul(s.free, g_.sub(s.read("b"), s.read("Ap"))));
    });
    set_in_epilogue(update, Slot::ResetCountdown, b_.state(Slot::ResetPeriod));
    clear_in_epilogue(update, {Slot::Resetting});
    finish_iteration(update, b_.state(Slot::LinearIteration), g_.boolean(true));
    b_.launch(Phase::ResetUpdate, b_.add_kernel(std::move(update)), while_resetting);
  }

  void lower_dense_solve() {
    SolveDense solve{.matrix = b_.program().find_buffer("JtJ"),
                     .damping = {},
                     .free = b_.vector("inverse_diagonal"),
                     .b = b_.vector("b"),
                     .x = b_.vector("x")};
    if (b_.damped()) solve.damping = b_.vector("damping");
    b_.step(Phase::DenseSolve, solve);
    Kernel kernel{.role = "clear_residual", .label = "clear_residual"};
    const IndexId i = flat_section(kernel);
    kernel.sections.back().body.push_back(store_flat("r", i, constant(0)));
    b_.launch(Phase::DenseSolve, b_.add_kernel(std::move(kernel)));
  }

  // trial = X (+) x, the decrease the model predicts, and norms: in double, where the square of a
  // small step is not zero.
  void lower_retract() {
    Kernel kernel{.role = "retract", .label = "retract", .compute = ComputeType::Double};
    for_each_unknown(kernel, [&](Block& body, FieldId unknown, IndexId here) {
      const Field& field = b_.energy().field(unknown);
      std::vector<ExprId> values;
      std::vector<ExprId> x_norm;
      for (int c = 0; c < field.channels; ++c) {
        values.push_back(b_.read(unknown, here, c));
        x_norm.push_back(g_.powi(values.back(), 2));
      }
      std::vector<ExprId> steps;
      std::vector<ExprId> decrease;
      std::vector<ExprId> step_norm;
      for (int c = 0; c < field.tangent_channels(); ++c) {
        const auto read = [&](const std::string& v) {
          return b_.read(b_.vector_view(v, unknown), here, c);
        };
        ExprId x = read("x");
        if (delays_x()) x = g_.add(x, g_.mul(b_.state(Slot::Alpha), read("p")));
        ExprId twice = g_.add(read("b"), read("r"));
        if (b_.damped()) twice = g_.add(twice, g_.mul(read("damping"), x));
        steps.push_back(x);
        decrease.push_back(g_.mul(g_.mul(constant(0.5), x), twice));
        step_norm.push_back(g_.powi(x, 2));
      }
      const std::vector<ExprId> trial = moved(unknown, here, values, steps);
      for (int c = 0; c < field.channels; ++c) {
        body.push_back(
            {Store{b_.trial_values(unknown), here, c, trial[static_cast<std::size_t>(c)]}});
      }
      body.push_back(b_.reduce(Slot::SumA, g_.add(decrease)));
      body.push_back(b_.reduce(Slot::SumB, g_.add(step_norm)));
      body.push_back(b_.reduce(Slot::SumC, g_.add(x_norm)));
    });
    set_in_epilogue(kernel, Slot::ModelDecrease, b_.state(Slot::SumA));
    set_in_epilogue(kernel, Slot::StepNorm2, b_.state(Slot::SumB));
    set_in_epilogue(kernel, Slot::XNorm2, b_.state(Slot::SumC));
    clear_in_epilogue(kernel, {Slot::SumA, Slot::SumB, Slot::SumC});
    b_.launch(Phase::Retract, b_.add_kernel(std::move(kernel)));
  }

  // X (+) x of an element. Excluded poses stay what they are to the last bit, which the formula
  // for a step of 0 does not promise.
  std::vector<ExprId> moved(FieldId unknown, IndexId here, const std::vector<ExprId>& values,
                            const std::vector<ExprId>& steps) {
    const Manifold manifold = b_.energy().field(unknown).manifold;
    std::vector<ExprId> result;
    if (manifold == Manifold::Euclidean) {
      for (std::size_t c = 0; c < values.size(); ++c) result.push_back(g_.add(values[c], steps[c]));
      return result;
    }
    result = plus(g_, manifold, values, steps);
    const ExprId free = b_.is_free(unknown, here);
    for (std::size_t c = 0; c < values.size(); ++c)
      result[c] = g_.select(free, result[c], values[c]);
    return result;
  }

  void lower_accept() {
    Kernel kernel{.role = "accept", .label = "accept"};
    for (const FieldId values : b_.point_values()) {
      const Field field = b_.program().field(values);
      const FieldId trial = b_.trial_values(values);
      Section section{.domains = b_.element_of(field.dims), .body = {}};
      const IndexId here = g_.indices().intern(section.domains);
      for (int c = 0; c < field.channels; ++c)
        section.body.push_back({Store{values, here, c, b_.read(trial, here, c)}});
      kernel.sections.push_back(std::move(section));
    }
    b_.launch(Phase::Accept, b_.add_kernel(std::move(kernel)));
  }

  ProgramBuilder& b_;
  ExprGraph& g_;
};

}  // namespace

void lower_solver(ProgramBuilder& builder) { SolverLowering(builder).run(); }

}  // namespace thallo
