// The start of a linear solve (docs/algorithms.md, "Levenberg-Marquardt" and "Preconditioners").

#include "core/kernel/lowering/damping.h"

#include <vector>

#include "core/kernel/lowering/solver_kernels.h"

namespace thallo {
namespace {

// Lower limit of the inverse diagonal where entries are free: it is 0 at excluded entries and
// nowhere else, in float too.
constexpr double smallest_inverse = 1e-37;

// Limits of what is added to the length of a column of J.
constexpr double smallest_length = 1e-15, largest_length = 1;

class DampingLowering : public SolverKernels {
 public:
  using SolverKernels::SolverKernels;

  void run() {
    if (b_.damped()) lower_save_scale();
    lower_damp();
  }

 private:
  // s = (l + sqrt d)^2
  void lower_save_scale() {
    Kernel kernel{.role = "save_scale", .label = "save_scale"};
    const IndexId i = flat_section(kernel);
    kernel.sections.back().body.push_back(
        store_flat(Vector::Scale, i, scale_power(flat(Vector::D, i), 2)));
    b_.launch(Phase::SaveScale, b_.add_kernel(std::move(kernel)));
  }

  // (l + sqrt d)^exponent. The published l is 1, which hides columns of J that are much shorter. So
  // where all residuals together are smaller, l is their length: what is measured in other units
  // is solved alike. Must be called at X, where the state has its cost.
  ExprId scale_power(ExprId d, int exponent) {
    const ExprId length = g_.unary(Op::Sqrt, g_.mul(constant(2), b_.state(Slot::Cost)));
    const ExprId least = constant(smallest_length), most = constant(largest_length);
    const ExprId l =
        g_.select(less(length, least), least, g_.select(less(length, most), length, most));
    return g_.powi(g_.add(l, g_.unary(Op::Sqrt, d)), exponent);
  }

  // D = clamp(d, s min, s max) / radius
  ExprId damping(ExprId d, ExprId scale) {
    const ExprId low = g_.mul(scale, b_.state(Slot::MinDiagonal));
    const ExprId high = g_.mul(scale, b_.state(Slot::MaxDiagonal));
    const ExprId clamped = g_.select(less(d, low), low, g_.select(less(high, d), high, d));
    return g_.div(clamped, b_.state(Slot::Radius));
  }

  // The start of a linear solve: damping, preconditioner, x = p = 0, r = b, z = M^-1 r. Where
  // unknowns are eliminated, theirs is x = V^-1 b, and `start` computes r, z and r.z (pcg.cpp), or
  // the Schur complement is formed (schur.cpp). With multigrid `start` computes r.z.
  void lower_damp() {
    if (b_.eliminates()) {
      Kernel kernel = damp_elements("damp_eliminated", true);
      if (b_.damped()) {
        const ExprId q = g_.mul(constant(0.5), b_.state(Slot::SumA));
        set_in_epilogue(kernel, Slot::EliminatedQ, q);
        clear_in_epilogue(kernel, {Slot::SumA});
      }
      b_.launch(Phase::Damp, b_.add_kernel(std::move(kernel)));
      b_.fill_eliminated_blocks();
    }
    Kernel kernel = damp_elements("damp", false);
    const ExprId rz = b_.state(Slot::SumA);
    if (!b_.eliminates() && !b_.has_multigrid()) {
      set_in_epilogue(kernel, Slot::Rz, rz);
      set_in_epilogue(kernel, Slot::Stop, g_.logical_not(less(constant(SmallestRz), rz)));
    }
    set_in_epilogue(kernel, Slot::BNorm2, b_.state(Slot::SumB));
    set_in_epilogue(kernel, Slot::FailedBlocks, b_.state(Slot::SumC));
    set_in_epilogue(kernel, Slot::ResetCountdown, b_.state(Slot::ResetPeriod));
    clear_in_epilogue(kernel, {Slot::LinearIteration, Slot::Beta, Slot::Alpha, Slot::Q, Slot::PAp,
                               Slot::Resetting, Slot::SumA, Slot::SumB, Slot::SumC});
    b_.launch(Phase::Damp, b_.add_kernel(std::move(kernel)));
  }

  // Of the spaces that are eliminated, or of all others.
  Kernel damp_elements(const char* name, bool are_eliminated) {
    Kernel kernel{.role = name, .label = name, .compute = ComputeType::Double};
    for (std::size_t s = 0; s < b_.program().spaces.size(); ++s) {
      if (b_.program().spaces[s].is_eliminated != are_eliminated) continue;
      const std::vector<DomainId> domains = b_.element_of(b_.program().spaces[s].dims);
      kernel.sections.push_back({.domains = domains, .body = {}});
      damp_element(kernel.sections.back().body, s, g_.indices().intern(domains));
    }
    return kernel;
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
        e.b = b_.read(b_.vector_view(Vector::B, unknown), here, c);
        e.d = b_.read(b_.vector_view(Vector::D, unknown), here, c);
        if (b_.damped()) {
          e.damping = damping(e.d, b_.read(b_.vector_view(Vector::Scale, unknown), here, c));
          body.push_back({Store{b_.vector_view(Vector::Damping, unknown), here, c, e.damping}});
        }
        e.jacobi = g_.mul(e.free, at_least_smallest(jacobi(e)));
        element.push_back(e);
      }
    }
    const bool blocks = space.block_inverse.has_value();
    std::vector<ExprId> z =
        blocks ? apply_block_inverse(body, element, space_id, here) : std::vector<ExprId>();
    std::vector<ExprId> rz;
    std::vector<ExprId> bb;
    for (std::size_t i = 0; i < element.size(); ++i) {
      const ElementChannel& e = element[i];
      const auto store = [&](Vector vector, ExprId value) {
        body.push_back({Store{b_.vector_view(vector, e.unknown), here, e.channel, value}});
      };
      store(Vector::InverseDiagonal, e.jacobi);
      if (!blocks) z.push_back(g_.mul(e.jacobi, e.b));
      store(Vector::X, space.is_eliminated ? z[i] : constant(0));
      store(Vector::R, space.is_eliminated ? constant(0) : e.b);
      if (!b_.options().linear_solver->is_direct()) {
        store(Vector::P, constant(0));
        if (b_.has_reduced_b() && !b_.eliminates()) store(Vector::ReducedB, e.b);
        if (preconditioned() && !b_.has_multigrid())
          store(Vector::Z, space.is_eliminated ? constant(0) : z[i]);
        if (b_.eliminates()) store(Vector::Ap, constant(0));
      }
      rz.push_back(g_.mul(e.b, z[i]));
      bb.push_back(g_.powi(e.b, 2));
    }
    const bool has_sum = b_.eliminates() ? space.is_eliminated && b_.damped() : !b_.has_multigrid();
    if (has_sum) body.push_back(b_.reduce(Slot::SumA, g_.add(rz)));
    body.push_back(b_.reduce(Slot::SumB, g_.add(bb)));
  }

  ExprId jacobi(const ElementChannel& e) {
    if (b_.options().preconditioner == PreconditionerKind::None) return constant(1);
    if (b_.damped()) return g_.powi(g_.add(e.d, e.damping), -1);
    return scale_power(e.d, -2);
  }

  ExprId at_least_smallest(ExprId inverse) {
    const ExprId smallest = constant(smallest_inverse);
    return g_.select(less(inverse, smallest), smallest, inverse);
  }

  // Inverts the element's block of JtJ (+ D) by Cholesky, stores the inverse and returns its
  // product with b. Rows of excluded channels are those of the identity in the factorization and
  // zero in the inverse. A block that is not positive definite is counted (FailedBlocks), and
  // replaced by the jacobi diagonal, or where it is eliminated by 0, which holds the element.
  std::vector<ExprId> apply_block_inverse(Block& body, const std::vector<ElementChannel>& element,
                                          std::size_t space, IndexId here) {
    const std::size_t n = element.size();
    const FieldId blocks = b_.blocks(space);
    const auto position = [](std::size_t i, std::size_t j) { return i * (i + 1) / 2 + j; };

    std::vector<ExprId> l(position(n, 0));  // Cholesky factor
    std::vector<ExprId> inverse_pivot(n);   // 1 / l_jj
    ExprId ok = g_.boolean(true);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i < n; ++i) {
        ExprId a = b_.read(blocks, here, static_cast<int>(position(i, j)));
        if (i == j && b_.damped()) a = g_.add(a, element[i].damping);
        if (b_.program().spaces[space].eliminated_blocks) {
          const int entry = static_cast<int>(position(i, j));
          a = g_.sub(a, b_.read(b_.eliminated_blocks(space), here, entry));
        }
        const ExprId both_free = g_.mul(element[i].free, element[j].free);
        a = g_.select(both_free, a, constant(i == j ? 1 : 0));
        std::vector<ExprId> terms = {a};
        for (std::size_t k = 0; k < j; ++k) {
          terms.push_back(g_.neg(g_.mul(l[position(i, k)], l[position(j, k)])));
        }
        const ExprId reduced = g_.add(terms);
        if (i == j) {
          // A pivot that lost all its digits to cancellation does not count as positive.
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
    const FieldId stored = b_.block_inverse(space);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        std::vector<ExprId> terms;
        for (std::size_t k = i; k < n; ++k)
          terms.push_back(g_.mul(li[position(k, i)], li[position(k, j)]));
        const ExprId both_free = g_.mul(element[i].free, element[j].free);
        const bool has_fallback = i == j && !b_.program().spaces[space].is_eliminated;
        const ExprId fallback = has_fallback ? element[i].jacobi : constant(0);
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
};

}  // namespace

void lower_damping(ProgramBuilder& builder) { DampingLowering(builder).run(); }

}  // namespace thallo
