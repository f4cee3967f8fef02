// The solver's kernels before and after a linear solve: masks, the gradient's norm, the trial point
// with the decrease that the model predicts (docs/algorithms.md, "Levenberg-Marquardt"), and its
// acceptance. The linear solve itself is in damping.cpp and pcg.cpp, or here if it is direct.

#include "core/kernel/lowering/stages.h"

#include <limits>

#include "core/energy/inlining.h"
#include "core/kernel/lowering/preconditioners/block_jacobi.h"
#include "core/kernel/lowering/schur.h"
#include "core/kernel/lowering/solver_kernels.h"

namespace thallo {
namespace {

class SolverLowering : public SolverKernels {
 public:
  using SolverKernels::SolverKernels;

  void run() {
    lower_masks();
    lower_finish_linearize();
    lower_damping(b_);
    lower_linear_solve();
    lower_retract();
    lower_copies();
  }

 private:
  // Runs `body(unknown, index)` for every unknown, one section per unknown, over its own dims.
  template <class Body>
  void for_each_unknown(Kernel& kernel, Body body) {
    for (const FieldId unknown : b_.energy().unknowns()) {
      const std::vector<DomainId> domains = b_.element_of(b_.energy().field(unknown).dims);
      Section section{.domains = domains};
      body(section.body, unknown, g_.indices().intern(domains));
      kernel.sections.push_back(std::move(section));
    }
  }

  // Intermediates in the conditions are written out: none is stored yet when masks are computed.
  void lower_masks() {
    Kernel kernel{.role = "masks", .label = "masks"};
    Inlining written_out(g_, b_.energy());
    for (const Exclusion& exclusion : b_.energy().exclusions()) {
      const FieldId mask = b_.mask(exclusion.unknown);
      const IndexId here = g_.indices().intern(exclusion.domains);
      kernel.sections.push_back(
          {.domains = exclusion.domains,
           .body = {{Store{mask, here, 0, g_.logical_not(written_out(exclusion.condition))}}}});
    }
    if (!kernel.sections.empty()) b_.launch(Phase::Setup, b_.add_kernel(std::move(kernel)));
  }

  // Computes the gradient's infinity norm and sets b = 0 at excluded entries; takes the diagonal of
  // JtJ out of blocks. Since a maximum skips
  // NaN, an entry that is NaN counts as infinity; else such a gradient could pass for a small one.
  void lower_finish_linearize() {
    Kernel kernel{.role = "finish_linearize", .label = "finish_linearize"};
    for_each_unknown(kernel, [&](Block& body, FieldId unknown, IndexId here) {
      const FieldId b = b_.vector_view(Vector::B, unknown);
      const FieldId d = b_.vector_view(Vector::D, unknown);
      const ExprId free = b_.is_free(unknown, here);
      for (int c = 0; c < b_.energy().field(unknown).tangent_channels(); ++c) {
        const ExprId value = g_.mul(free, b_.read(b, here, c));
        if (!g_.is_constant(free)) body.push_back({Store{b, here, c, value}});
        ExprId diagonal = b_.read(d, here, c);
        if (const auto row = b_.block_row(unknown, c); row && !b_.factors_members()) {
          diagonal = b_.read(b_.blocks(row->space), here, row->diagonal());
          body.push_back({Store{d, here, c, diagonal}});
        }
        const ExprId magnitude = g_.unary(Op::Abs, value);
        const ExprId infinity = constant(std::numeric_limits<double>::infinity());
        const ExprId largest = g_.select(less(magnitude, infinity), magnitude, infinity);
        body.push_back(b_.reduce(Slot::Largest, largest, ReduceOp::Max));
        const ExprId relative = g_.div(magnitude, g_.unary(Op::Sqrt, diagonal));
        body.push_back(b_.reduce(Slot::RelativeLargest,
                                 g_.select(less(constant(0), diagonal), relative, constant(0)),
                                 ReduceOp::Max));
      }
    });
    set_in_epilogue(kernel, Slot::BMax, b_.state(Slot::Largest));
    set_in_epilogue(kernel, Slot::RelativeBMax, b_.state(Slot::RelativeLargest));
    clear_in_epilogue(kernel, {Slot::Largest, Slot::RelativeLargest});
    b_.launch(Phase::Linearize, b_.add_kernel(std::move(kernel)));
  }

  void lower_linear_solve() {
    if (b_.has_linear_loop()) lower_pcg(b_);
    if (b_.factors_members()) return lower_member_solve();
    if (b_.forms_schur_complement()) return lower_schur_solve(b_);
    if (b_.options().linear_solver->is_direct()) lower_direct_solve();
  }

  // The products have made the matrix.
  void lower_direct_solve() {
    SolveDirect solve{.solver = b_.options().linear_solver,
                      .free = b_.vector(Vector::InverseDiagonal),
                      .b = b_.vector(Vector::B),
                      .x = b_.vector(Vector::X)};
    if (solve.solver->form() == MatrixForm::Csr) {
      const StoredMatrix& matrix = b_.program().matrices.back();
      solve.matrix = matrix.values;
      solve.offsets = matrix.offsets;
      solve.columns = matrix.columns;
    } else {
      solve.matrix = b_.buffer_of(b_.matrix());
    }
    if (b_.damped()) solve.damping = b_.vector(Vector::Damping);
    b_.step(Phase::DirectSolve, solve);
    Kernel kernel{.role = "clear_residual", .label = "clear_residual"};
    for_each_scalar(kernel, [&](const Rows& rows) {
      rows.body.push_back(store(Vector::R, rows.scalars.front(), constant(0)));
    });
    b_.launch(Phase::DirectSolve, b_.add_kernel(std::move(kernel)));
  }

  // (JtJ + D) x = b of each member of a batch, whose scalars are those of an element, as
  // DirectSolve solves it: with unit diagonal, and the identity in excluded and in empty rows.
  void lower_member_solve() {
    Kernel kernel{.role = "solve_member", .label = "solve_member", .compute = ComputeType::Double};
    for_each_element(kernel, false, [&](const Rows& rows) {
      const std::vector<Scalar>& scalars = rows.scalars;
      const auto entry = [&](std::size_t i, std::size_t j) {
        return b_.read(b_.blocks(*rows.space), rows.here(),
                       static_cast<int>(triangle_position(i, j)));
      };
      std::vector<ExprId> scale, block, right;
      for (std::size_t i = 0; i < scalars.size(); ++i) {
        ExprId diagonal = entry(i, i);
        if (b_.damped()) diagonal = g_.add(diagonal, read(Vector::Damping, scalars[i]));
        const ExprId has_row = g_.mul(is_free(scalars[i]), less(constant(0), diagonal));
        scale.push_back(g_.select(has_row, g_.powi(g_.unary(Op::Sqrt, diagonal), -1), constant(0)));
        right.push_back(g_.mul(scale[i], read(Vector::B, scalars[i])));
        for (std::size_t j = 0; j < i; ++j)
          block.push_back(g_.mul(std::vector{scale[i], entry(i, j), scale[j]}));
        block.push_back(constant(1));
      }
      const CholeskySolution solution = solve_by_cholesky(g_, block, right);
      for (std::size_t i = 0; i < scalars.size(); ++i) {
        const ExprId x = g_.mul(scale[i], solution.x[i]);
        rows.body.push_back(
            store(Vector::X, scalars[i], g_.select(solution.is_valid, x, constant(0))));
        rows.body.push_back(store(Vector::R, scalars[i], constant(0)));
      }
      rows.body.push_back(b_.reduce(Slot::SumA, g_.logical_not(solution.is_valid)));
    });
    set_in_epilogue(kernel, Slot::DirectFailed, b_.state(Slot::SumA));
    clear_in_epilogue(kernel, {Slot::SumA});
    b_.launch(Phase::DirectSolve, b_.add_kernel(std::move(kernel)));
  }

  // trial = X (+) x, the decrease the model predicts, and norms. All in double, where the square of
  // a small step does not underflow. Both norms of X take each channel with the d of that number:
  // of poses, whose rotations have other channels than their steps, that is right for positions,
  // which are what may be large. |X| leaves out what no residual sees (d is 0): that may be
  // anything.
  void lower_retract() {
    Kernel kernel{.role = "retract", .label = "retract", .compute = ComputeType::Double};
    for_each_unknown(kernel, [&](Block& body, FieldId unknown, IndexId here) {
      const Field& field = b_.energy().field(unknown);
      std::vector<ExprId> values;
      std::vector<ExprId> x_norm;
      for (int c = 0; c < field.channels; ++c) values.push_back(b_.read(unknown, here, c));
      std::vector<ExprId> steps;
      std::vector<ExprId> decrease;
      std::vector<ExprId> step_norm;
      std::vector<ExprId> scaled_norm;
      std::vector<ExprId> damped_norm;
      for (int c = 0; c < field.tangent_channels(); ++c) {
        const auto read = [&](Vector v) { return b_.read(b_.vector_view(v, unknown), here, c); };
        ExprId x = read(Vector::X);
        if (delays_x()) x = g_.add(x, g_.mul(b_.state(Slot::Alpha), read(Vector::P)));
        ExprId twice = g_.add(read(Vector::B), read(Vector::R));
        // t x lowers the model by t/2 x.((b + r) + (1 - t) (b - r) + t D x), since
        // (JtJ + D) x = b - r.
        const ExprId t = b_.state(Slot::StepFactor);
        const ExprId a_x = g_.sub(read(Vector::B), read(Vector::R));
        twice = g_.add(twice, g_.mul(g_.sub(constant(1), t), a_x));
        x = g_.mul(t, x);
        if (b_.damped()) {
          const ExprId d_x = g_.mul(read(Vector::Damping), x);
          twice = g_.add(twice, d_x);
          damped_norm.push_back(g_.mul(x, d_x));
        }
        steps.push_back(x);
        decrease.push_back(g_.mul(g_.mul(constant(0.5), x), twice));
        step_norm.push_back(g_.powi(x, 2));
      }
      for (int c = 0; c < field.channels; ++c) {
        const ExprId square = g_.powi(values[static_cast<std::size_t>(c)], 2);
        const bool has_d = c < field.tangent_channels();
        const ExprId d = has_d ? b_.read(b_.vector_view(Vector::D, unknown), here, c) : ExprId();
        x_norm.push_back(has_d ? g_.select(less(constant(0), d), square, constant(0)) : square);
        if (has_d) scaled_norm.push_back(g_.mul(d, square));
      }
      const std::vector<ExprId> trial = moved(unknown, here, values, steps);
      for (int c = 0; c < field.channels; ++c) {
        body.push_back(
            {Store{b_.trial_values(unknown), here, c, trial[static_cast<std::size_t>(c)]}});
      }
      body.push_back(b_.reduce(Slot::SumA, g_.add(decrease)));
      body.push_back(b_.reduce(Slot::SumB, g_.add(step_norm)));
      body.push_back(b_.reduce(Slot::SumC, g_.add(x_norm)));
      body.push_back(b_.reduce(Slot::SumD, g_.add(scaled_norm)));
      if (b_.damped()) body.push_back(b_.reduce(Slot::SumE, g_.add(damped_norm)));
    });
    set_in_epilogue(kernel, Slot::ModelDecrease, b_.state(Slot::SumA));
    set_in_epilogue(kernel, Slot::StepNorm2, b_.state(Slot::SumB));
    set_in_epilogue(kernel, Slot::XNorm2, b_.state(Slot::SumC));
    set_in_epilogue(kernel, Slot::ScaledXNorm2, b_.state(Slot::SumD));
    clear_in_epilogue(kernel, {Slot::SumA, Slot::SumB, Slot::SumC, Slot::SumD});
    if (b_.damped()) {
      set_in_epilogue(kernel, Slot::DampedNorm2, b_.state(Slot::SumE));
      clear_in_epilogue(kernel, {Slot::SumE});
    }
    b_.launch(Phase::Retract, b_.add_kernel(std::move(kernel)));
  }

  // X (+) x of an element. Excluded poses keep their values to the last bit, which the formula with
  // a step of 0 does not promise.
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

  void lower_copies() {
    Kernel accept{.role = "accept", .label = "accept"};
    for (const FieldId values : b_.point_values()) copy(accept, b_.trial_values(values), values);
    b_.launch(Phase::Accept, b_.add_kernel(std::move(accept)));
    if (!b_.options().keeps_point) return;
    Kernel keep{.role = "keep", .label = "keep"}, go_back{.role = "go_back", .label = "go_back"};
    for (const FieldId unknown : b_.energy().unknowns()) {
      copy(keep, unknown, b_.kept_values(unknown));
      copy(go_back, b_.kept_values(unknown), unknown);
    }
    b_.launch(Phase::Keep, b_.add_kernel(std::move(keep)));
    b_.launch(Phase::GoBack, b_.add_kernel(std::move(go_back)));
  }

  void copy(Kernel& kernel, FieldId from, FieldId to) {
    const Field field = b_.program().field(to);
    Section section{.domains = b_.element_of(field.dims)};
    const IndexId here = g_.indices().intern(section.domains);
    for (int c = 0; c < field.channels; ++c)
      section.body.push_back({Store{to, here, c, b_.read(from, here, c)}});
    kernel.sections.push_back(std::move(section));
  }
};

}  // namespace

void lower_solver(ProgramBuilder& builder) { SolverLowering(builder).run(); }

}  // namespace thallo
