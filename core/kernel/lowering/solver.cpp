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

constexpr double Infinity = std::numeric_limits<double>::infinity();

class SolverLowering : public SolverKernels {
 public:
  using SolverKernels::SolverKernels;

  void run() {
    lower_masks();
    if (b_.has_bounds()) lower_start_within_bounds();
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

  // The bounds of an unknown's channels at an element.
  struct Box {
    std::vector<ExprId> lower, upper;
  };
  std::optional<Box> find_box(FieldId unknown, IndexId here) {
    const Bounds* bounds = b_.energy().find_bounds(unknown);
    if (bounds == nullptr) return {};
    Inlining written_out(g_, b_.energy());
    DomainSubstitution at;
    const MultiIndex index = g_.indices()[here];
    for (std::size_t i = 0; i < index.size(); ++i) at[bounds->domains[i]] = index[i];
    const auto read = [&](std::vector<ExprId> side) {
      for (ExprId& bound : side) bound = g_.substitute(written_out(bound), at);
      return side;
    };
    return Box{read(bounds->lower), read(bounds->upper)};
  }
  // Comparisons that are false where there is no bound.
  ExprId is_below(const Box& box, std::size_t c, ExprId x) {
    return g_.is_constant(box.lower[c], -Infinity) ? g_.boolean(false) : less(x, box.lower[c]);
  }
  ExprId is_above(const Box& box, std::size_t c, ExprId x) {
    return g_.is_constant(box.upper[c], Infinity) ? g_.boolean(false) : less(box.upper[c], x);
  }
  ExprId clamped(const Box& box, std::size_t c, ExprId x) {
    return g_.select(is_below(box, c, x), box.lower[c],
                     g_.select(is_above(box, c, x), box.upper[c], x));
  }

  // Excluded entries keep their start, wherever it is.
  void lower_start_within_bounds() {
    Kernel kernel{.role = "start_within_bounds", .label = "start_within_bounds"};
    for_each_unknown(kernel, [&](Block& body, FieldId unknown, IndexId here) {
      const std::optional<Box> box = find_box(unknown, here);
      for (std::size_t c = 0; box && c < box->lower.size(); ++c) {
        const int channel = static_cast<int>(c);
        const ExprId x = b_.read(unknown, here, channel);
        const ExprId inside = g_.select(b_.is_free(unknown, here), clamped(*box, c, x), x);
        const ExprId is_empty = g_.logical_not(less_eq(box->lower[c], box->upper[c]));
        const ExprId cut = g_.unary(Op::Abs, g_.sub(x, inside));
        body.push_back({Store{unknown, here, channel, inside}});
        body.push_back(
            b_.reduce(Slot::Largest, g_.select(is_empty, constant(Infinity), cut), ReduceOp::Max));
      }
    });
    std::erase_if(kernel.sections, [](const Section& section) { return section.body.empty(); });
    set_in_epilogue(kernel, LargestCut, b_.state(Slot::Largest));
    clear_in_epilogue(kernel, {Slot::Largest});
    b_.launch(Phase::Setup, b_.add_kernel(std::move(kernel)));
  }

  // How the negative gradient b moves an entry: is_held if it is at a bound, leads_outside if its
  // own step b/d leads to a bound or over it.
  struct Push {
    ExprId is_held, leads_outside;
  };
  Push push(const Box& box, std::size_t c, ExprId x, ExprId b, ExprId d) {
    const ExprId to = g_.add(x, own_step(b, d));
    const ExprId zero = constant(0);
    const bool is_above = !g_.is_constant(box.lower[c], -Infinity),
               is_below = !g_.is_constant(box.upper[c], Infinity);
    const auto both = [&](ExprId at, ExprId first, ExprId second) {
      const ExprId low = is_above ? g_.mul(less_eq(at, box.lower[c]), first) : g_.boolean(false);
      const ExprId high = is_below ? g_.mul(less_eq(box.upper[c], at), second) : g_.boolean(false);
      return either(low, high);
    };
    const ExprId down = less_eq(b, zero), up = less_eq(zero, b);
    return {both(x, down, up), both(to, down, up)};
  }
  // The step that b asks of an entry alone.
  ExprId own_step(ExprId b, ExprId d) {
    return g_.select(less(constant(0), d), g_.div(b, d), constant(0));
  }

  // Computes the gradient's infinity norm and sets b = 0 at entries that are excluded or held at a
  // bound; takes the diagonal of JtJ out of blocks. Since a maximum skips NaN, an entry that is NaN
  // counts as infinity; else such a gradient could pass for a small one.
  void lower_finish_linearize() {
    Kernel kernel{.role = "finish_linearize", .label = "finish_linearize"};
    for_each_unknown(kernel, [&](Block& body, FieldId unknown, IndexId here) {
      const FieldId b = b_.vector_view(Vector::B, unknown);
      const FieldId d = b_.vector_view(Vector::D, unknown);
      const std::optional<Box> box = find_box(unknown, here);
      for (int c = 0; c < b_.energy().field(unknown).tangent_channels(); ++c) {
        ExprId diagonal = b_.read(d, here, c);
        if (const auto row = b_.block_row(unknown, c); row && !b_.factors_members()) {
          diagonal = b_.read(b_.blocks(row->space), here, row->diagonal());
          body.push_back({Store{d, here, c, diagonal}});
        }
        ExprId free = b_.is_free(unknown, here);
        if (box) {
          const Push pushed = push(*box, static_cast<std::size_t>(c), b_.read(unknown, here, c),
                                   b_.read(b, here, c), diagonal);
          const ExprId stays = g_.mul(free, g_.logical_not(pushed.leads_outside));
          body.push_back({Store{b_.free_channels(unknown), here, c, stays}});
          free = g_.mul(free, g_.logical_not(pushed.is_held));
        }
        const ExprId value = g_.mul(free, b_.read(b, here, c));
        if (!g_.is_constant(free)) body.push_back({Store{b, here, c, value}});
        const ExprId magnitude = g_.unary(Op::Abs, value);
        const ExprId infinity = constant(Infinity);
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
      const std::optional<Box> box = find_box(unknown, here);
      std::vector<ExprId> within;
      for (int c = 0; c < field.tangent_channels(); ++c) {
        const auto read = [&](Vector v) { return b_.read(b_.vector_view(v, unknown), here, c); };
        ExprId x = read(Vector::X);
        if (delays_x()) x = g_.add(x, g_.mul(b_.state(Slot::Alpha), read(Vector::P)));
        if (box) {
          const ExprId free = b_.read(b_.free_channels(unknown), here, c);
          ExprId d = read(Vector::D);
          if (b_.damped()) d = g_.add(d, read(Vector::Damping));
          x = g_.select(g_.binary(Op::Eq, free, constant(0)), own_step(read(Vector::B), d), x);
        }
        // t x lowers the model by t/2 x.((b + r) + (1 - t) (b - r) + t D x), since
        // (JtJ + D) x = b - r. The kernels `model` know what a step within bounds lowers it by.
        const ExprId t = b_.state(Slot::StepFactor);
        ExprId twice = g_.mul(constant(2), read(Vector::B));
        if (!b_.has_bounds()) {
          const ExprId a_x = g_.sub(read(Vector::B), read(Vector::R));
          twice =
              g_.add(g_.add(read(Vector::B), read(Vector::R)), g_.mul(g_.sub(constant(1), t), a_x));
        }
        x = g_.mul(t, x);
        if (box) {
          const Cut cut = cut_at(*box, static_cast<std::size_t>(c), values, x);
          body.push_back(
              b_.reduce(Slot::Largest, g_.unary(Op::Abs, g_.sub(x, cut.step)), ReduceOp::Max));
          x = cut.step;
          within.push_back(cut.trial);
        }
        if (b_.has_bounds())
          body.push_back({Store{b_.vector_view(Vector::Move, unknown), here, c, x}});
        if (b_.damped()) {
          const ExprId d_x = g_.mul(read(Vector::Damping), x);
          if (!b_.has_bounds()) twice = g_.add(twice, d_x);
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
      const std::vector<ExprId> trial = box ? within : moved(unknown, here, values, steps);
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
    if (b_.has_bounds()) {
      set_in_epilogue(kernel, LargestCut, b_.state(Slot::Largest));
      clear_in_epilogue(kernel, {Slot::Largest});
    }
    b_.launch(Phase::Retract, b_.add_kernel(std::move(kernel)));
    b_.add_kept(ProgramBuilder::Later::Model, Phase::Retract);
  }

  // A step that ends at a bound if it leads outside. A step of 0 leads nowhere, even outside.
  struct Cut {
    ExprId step, trial;
  };
  Cut cut_at(const Box& box, std::size_t c, const std::vector<ExprId>& values, ExprId step) {
    const ExprId to = g_.add(values[c], step);
    const ExprId is_low = g_.mul(less(step, constant(0)), is_below(box, c, to));
    const ExprId is_high = g_.mul(less(constant(0), step), is_above(box, c, to));
    const auto either_or = [&](ExprId low, ExprId high, ExprId rest) {
      return g_.select(is_low, low, g_.select(is_high, high, rest));
    };
    return {either_or(g_.sub(box.lower[c], values[c]), g_.sub(box.upper[c], values[c]), step),
            either_or(box.lower[c], box.upper[c], to)};
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
