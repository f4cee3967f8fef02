// The start of a linear solve (docs/algorithms.md, "Levenberg-Marquardt" and "Preconditioners").

#include "core/kernel/lowering/stages.h"

#include <vector>

#include "core/kernel/lowering/preconditioners/block_jacobi.h"
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
    for_each_scalar(kernel, [&](const Rows& rows) {
      for (const Scalar& s : rows.scalars)
        rows.body.push_back(store(Vector::Scale, s, g_.powi(length(read(Vector::D, s)), 2)));
    });
    b_.launch(Phase::SaveScale, b_.add_kernel(std::move(kernel)));
  }

  // l + sqrt d. The published l is 1, which hides columns of J that are much shorter. So where all
  // residuals together are smaller, l is their length: what is measured in other units is solved
  // alike. Must be called at X, where the state has its cost.
  ExprId length(ExprId d) {
    const ExprId cost = g_.unary(Op::Sqrt, g_.mul(constant(2), b_.state(Slot::Cost)));
    const ExprId least = constant(smallest_length), most = constant(largest_length);
    const ExprId l = g_.select(less(cost, least), least, g_.select(less(cost, most), cost, most));
    return g_.add(l, g_.unary(Op::Sqrt, d));
  }

  // D = clamp(d, s min, s max) / radius. Where d is much less than at first, as behind a start far
  // off, the lower limit follows it down to that of l = 1: where residuals end at 0, and d with
  // them, steps are damped to the end.
  ExprId damping(ExprId d, ExprId scale) {
    const ExprId now = g_.powi(g_.add(constant(largest_length), g_.unary(Op::Sqrt, d)), 2);
    const ExprId least = g_.select(less(now, scale), now, scale);
    const ExprId low = g_.mul(least, b_.state(Slot::MinDiagonal));
    const ExprId high = g_.mul(scale, b_.state(Slot::MaxDiagonal));
    const ExprId clamped = g_.select(less(d, low), low, g_.select(less(high, d), high, d));
    return g_.div(clamped, b_.state(Slot::Radius));
  }

  // The start of a linear solve: damping, preconditioner, x = p = 0, r = b, z = M^-1 r. Where
  // unknowns are eliminated, theirs is x = V^-1 b, and `start` computes r, z and r.z (pcg.cpp).
  // Where M has steps of its own, `start` computes r.z.
  void lower_damp() {
    if (b_.eliminates()) {
      Kernel kernel = damp_elements("damp_eliminated", true);
      if (b_.damped()) {
        const ExprId q = g_.mul(constant(0.5), b_.state(Slot::SumA));
        set_in_epilogue(kernel, Slot::EliminatedQ, q);
        clear_in_epilogue(kernel, {Slot::SumA});
      }
      b_.launch(Phase::Damp, b_.add_kernel(std::move(kernel)));
      b_.add_kept(ProgramBuilder::Later::EliminatedBlocks, Phase::Damp, if_loop_follows());
    }
    Kernel kernel = damp_elements("damp", false);
    if (!starts_later()) set_start(kernel);
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
    for_each_element(kernel, are_eliminated, [this](const Rows& rows) { damp_element(rows); });
    return kernel;
  }

  struct Row {
    Scalar scalar;
    ExprId free, b, damping;
    ExprId inverse;  // of the diagonal entry; 0 where excluded
  };

  void damp_element(const Rows& rows) {
    const UnknownSpace space = b_.program().spaces[*rows.space];
    std::vector<Row> element;
    for (const Scalar& s : rows.scalars) {
      Row row{.scalar = s, .free = is_free(s), .b = read(Vector::B, s)};
      if (b_.has_bounds()) row.b = g_.mul(row.free, row.b);
      const ExprId d = read(Vector::D, s);
      if (b_.damped()) {
        row.damping = damping(d, read(Vector::Scale, s));
        rows.body.push_back(store(Vector::Damping, s, row.damping));
      }
      const ExprId inverse = b_.preconditioner().invert(g_, {d, row.damping, length(d)});
      row.inverse = g_.mul(row.free, at_least_smallest(inverse));
      element.push_back(row);
    }
    const std::vector<ExprId> z =
        space.block_inverse ? times_block_inverse(rows, element) : times_diagonal_inverse(element);
    std::vector<ExprId> rz;
    std::vector<ExprId> bb;
    for (std::size_t i = 0; i < element.size(); ++i) {
      const Row& row = element[i];
      const auto start = [&](Vector vector, ExprId value) {
        rows.body.push_back(store(vector, row.scalar, value));
      };
      start(Vector::InverseDiagonal, row.inverse);
      start(Vector::X, space.is_eliminated ? z[i] : constant(0));
      start(Vector::R, space.is_eliminated ? constant(0) : row.b);
      if (b_.has_linear_loop()) {
        start(Vector::P, constant(0));
        if (b_.has_reduced_b() && !b_.eliminates()) start(Vector::ReducedB, row.b);
        if (has_z() && !has_steps()) start(Vector::Z, space.is_eliminated ? constant(0) : z[i]);
        if (b_.eliminates()) start(Vector::Ap, constant(0));
      }
      rz.push_back(g_.mul(row.b, z[i]));
      bb.push_back(g_.powi(row.b, 2));
    }
    if (space.is_eliminated ? b_.damped() : !starts_later())
      rows.body.push_back(b_.reduce(Slot::SumA, g_.add(rz)));
    rows.body.push_back(b_.reduce(Slot::SumB, g_.add(bb)));
  }

  ExprId at_least_smallest(ExprId inverse) {
    const ExprId smallest = constant(smallest_inverse);
    return g_.select(less(inverse, smallest), smallest, inverse);
  }

  std::vector<ExprId> times_diagonal_inverse(const std::vector<Row>& element) {
    std::vector<ExprId> z;
    for (const Row& row : element) z.push_back(g_.mul(row.inverse, row.b));
    return z;
  }

  // Inverts the element's block of JtJ (+ D), stores the inverse and returns its product with b.
  // Rows of excluded channels are those of the identity in the block and zero in the inverse. A
  // block that has no inverse is counted (FailedBlocks), and replaced by the inverse of its
  // diagonal, or where it is eliminated by 0, which holds the element.
  std::vector<ExprId> times_block_inverse(const Rows& rows, const std::vector<Row>& element) {
    const UnknownSpace space = b_.program().spaces[*rows.space];
    const std::size_t n = element.size();
    const auto both_free = [&](std::size_t i, std::size_t j) {
      return g_.mul(element[i].free, element[j].free);
    };
    const auto entry_of = [&](FieldId blocks, std::size_t i, std::size_t j) {
      return b_.read(blocks, rows.here(), static_cast<int>(triangle_position(i, j)));
    };
    std::vector<ExprId> block;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        ExprId a = entry_of(b_.blocks(*rows.space), i, j);
        if (i == j && b_.damped()) a = g_.add(a, element[i].damping);
        if (space.eliminated_blocks)
          a = g_.sub(a, entry_of(b_.eliminated_blocks(*rows.space), i, j));
        block.push_back(g_.select(both_free(i, j), a, constant(i == j ? 1 : 0)));
      }
    }
    const auto [entries, is_valid] = space.is_eliminated
                                         ? invert_by_cholesky(g_, n, block)
                                         : b_.preconditioner().invert_block(g_, n, block);
    std::vector<ExprId> inverse;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const bool has_fallback = i == j && !space.is_eliminated;
        const ExprId fallback = has_fallback ? element[i].inverse : constant(0);
        const ExprId entry = entries[triangle_position(i, j)];
        inverse.push_back(g_.mul(both_free(i, j), g_.select(is_valid, entry, fallback)));
        rows.body.push_back({Store{b_.block_inverse(*rows.space), rows.here(),
                                   static_cast<int>(triangle_position(i, j)), inverse.back()}});
      }
    }
    rows.body.push_back(b_.reduce(Slot::SumC, g_.logical_not(is_valid)));

    std::vector<ExprId> z;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<ExprId> terms;
      for (std::size_t j = 0; j < n; ++j)
        terms.push_back(g_.mul(inverse[triangle_position(i, j)], element[j].b));
      z.push_back(g_.add(terms));
    }
    return z;
  }
};

}  // namespace

void lower_damping(ProgramBuilder& builder) { DampingLowering(builder).run(); }

}  // namespace thallo
