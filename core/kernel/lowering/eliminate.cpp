#include "core/kernel/lowering/operators.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/kernel/lowering/solver_kernels.h"

namespace thallo {
namespace {

// The rows W^T p_F of a part.
class EliminatedRows {
 public:
  EliminatedRows(ProgramBuilder& builder, const PartExpressions& e)
      : part_(e.part), domains_(e.domains()) {
    const std::vector<UnknownSpace>& spaces = builder.program().spaces;
    const auto eliminated = std::ranges::find_if(spaces, &UnknownSpace::is_eliminated);
    are_gathered_ = (has_jt() ? part_->jt : part_->jtjp)
                        .gathers_at(static_cast<std::size_t>(eliminated - spaces.begin()));
    PartExpressions rows = e;
    std::erase_if(rows.jp_targets,
                  [&](const Target& t) { return builder.is_eliminated(t.unknown); });
    std::erase_if(rows.targets, [&](const Target& t) { return !builder.is_eliminated(t.unknown); });
    if (rows.jp_targets.empty() || rows.targets.empty()) return;
    addends_ =
        transposed_addends(builder, rows, weighted(builder, rows, jacobian_product(builder, rows)));
  }

  bool are_zero() const { return addends_.empty(); }
  bool are_gathered() const { return are_gathered_; }
  const std::vector<DomainId>& domains() const { return domains_; }
  const std::vector<Addend>& addends() const { return addends_; }
  Kernel kernel(const char* name) const {
    return part_kernel(*part_, has_jt() ? Role::Jt : Role::JtJp, name);
  }

 private:
  bool has_jt() const { return stores_jp(part_->strategy); }

  const Part* part_;
  std::vector<DomainId> domains_;
  std::vector<Addend> addends_;
  bool are_gathered_ = false;
};

// What a part takes from the blocks of kept elements: W V^-1 W^T at each of its points, of the rows
// outside of Sums. Where several points join the same two elements, the products of two different
// points are left out. That keeps blocks positive definite, since at each point W V^-1 W^T is at
// most the share that the point has in the block of JtJ.
class EliminatedBlocks {
 public:
  EliminatedBlocks(ProgramBuilder& builder, const PartExpressions& e)
      : b_(builder), g_(builder.graph()), e_(e) {
    for (const Target& t : e.targets) {
      const auto place = b_.block_row(t.unknown, t.channel);
      if (!place || !t.loops.empty()) continue;
      auto& elements = b_.is_eliminated(t.unknown) ? eliminated_ : kept_;
      elements[{place->space, t.index}][place->row] = &t;
    }
  }

  void lower() {
    for (const auto& [kept, rows] : kept_) {
      for (const auto& [eliminated, columns] : eliminated_)
        add_products(kept, rows, eliminated, columns);
    }
    const auto [gathered, scattered] = accumulated(b_, std::move(addends_), e_.part->jtf);
    Kernel gathering = part_kernel(*e_.part, Role::JtF, "gather_eliminated_blocks");
    gather(b_, gathering, gathered, added_to_memory(b_));
    Kernel scattering = part_kernel(*e_.part, Role::JtF, "eliminated_blocks");
    scatter(scattering, e_.domains(), scattered);
    for (Kernel* kernel : {&gathering, &scattering}) {
      if (!kernel->sections.empty())
        b_.keep(ProgramBuilder::Later::EliminatedBlocks, std::move(*kernel));
    }
  }

 private:
  struct Element {
    std::size_t space = 0;
    IndexId index;
    auto operator<=>(const Element&) const = default;
  };
  using Rows = std::map<int, const Target*>;  // by row of the element's block

  void add_products(const Element& kept, const Rows& rows, const Element& eliminated,
                    const Rows& columns) {
    const auto inverse = [&](int i, int j) {
      return b_.read(b_.block_inverse(eliminated.space), eliminated.index, triangle_position(i, j));
    };
    std::map<std::pair<int, int>, ExprId> w, w_inverse;
    for (const auto& [i, row] : rows) {
      for (const auto& [j, column] : columns) w[{i, j}] = normal_entry(g_, e_, *row, *column);
      for (const auto& [j, column] : columns) {
        std::vector<ExprId> terms;
        for (const auto& [k, other] : columns) terms.push_back(g_.mul(w[{i, k}], inverse(k, j)));
        w_inverse[{i, j}] = g_.add(terms);
      }
    }
    for (const auto& [i, row] : rows) {
      for (const auto& [j, column] : rows) {
        if (j > i) break;
        std::vector<ExprId> terms;
        for (const auto& [k, other] : columns)
          terms.push_back(g_.mul(w_inverse[{i, k}], w[{j, k}]));
        const ExprId value = g_.add(terms);
        if (g_.is_constant(value, 0)) continue;
        addends_.push_back({b_.eliminated_blocks(kept.space),
                            kept.index,
                            triangle_position(i, j),
                            e_.domains(),
                            {},
                            value});
      }
    }
  }

  ProgramBuilder& b_;
  ExprGraph& g_;
  const PartExpressions& e_;
  std::map<Element, Rows> kept_, eliminated_;
  std::vector<Addend> addends_;
};

// Kernels that compute eliminated unknowns of kept ones. The rows of all parts are added to Ap, but
// for those of the first part that gathers: the last kernel gathers these itself and solves. It
// leaves Ap = 0 in eliminated rows.
class EliminateLowering : public SolverKernels {
 public:
  EliminateLowering(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces)
      : SolverKernels(builder) {
    for (const PartExpressions& e : pieces) {
      EliminatedRows rows(builder, e);
      if (!rows.are_zero()) rows_.push_back(std::move(rows));
    }
    const auto gathered = std::ranges::find_if(rows_, &EliminatedRows::are_gathered);
    if (gathered == rows_.end()) return;
    last_.emplace(std::move(*gathered));
    rows_.erase(gathered);
  }

  void run() {
    for (const EliminatedRows& rows : rows_) add_rows(rows);
    // The direction's: p = -V^-1 W^T p_F.
    const std::size_t eliminate = last_kernel("eliminate", [this](auto&&... of) { direct(of...); });
    for (const std::size_t kernel : added_) b_.launch(Phase::Apply, kernel, while_running);
    b_.launch(Phase::Apply, eliminate, while_running);
    // The step's, in a residual reset and at the end: x = V^-1 (b - W^T x_F).
    const std::size_t solve =
        last_kernel("solve_eliminated", [this](auto&&... of) { step(of...); });
    added_.push_back(solve);
    // Where the Schur complement has no factor, there is no step.
    const auto has_step = b_.forms_schur_complement()
                              ? std::optional(Gate{StateSlot::DirectFailed, 0})
                              : std::nullopt;
    b_.add_kept(ProgramBuilder::Later::Directions, Phase::Retract);
    for (const std::size_t kernel : added_) {
      if (b_.damped()) b_.launch(Phase::ResetApply, kernel, while_resetting, b_.x_for_p());
      b_.launch(Phase::Retract, kernel, has_step, b_.x_for_p());
    }
  }

 private:
  void add_rows(const EliminatedRows& rows) {
    const bool gathers = rows.are_gathered();
    Kernel kernel = rows.kernel(gathers ? "gather_eliminated" : "apply_eliminated");
    if (gathers) {
      gather(b_, kernel, rows.addends(), added_to_memory(b_));
    } else {
      scatter(kernel, rows.domains(), rows.addends());
    }
    added_.push_back(b_.add_kernel(std::move(kernel)));
  }

  // `solve` is given an element and its rows of W^T p_F.
  template <class Solve>
  std::size_t last_kernel(const char* name, Solve solve) {
    Kernel kernel{.role = name, .label = name};
    std::map<std::pair<FieldId, int>, ExprId> sums;  // that the kernel itself gathers
    const auto finish = [&](const Rows& element) {
      std::vector<ExprId> rows;
      for (const Scalar& s : element.scalars) {
        const auto sum = sums.find({view(Vector::Ap, s), s.channel});
        const ExprId gathered = sum == sums.end() ? constant(0) : sum->second;
        rows.push_back(rows_.empty() ? gathered : g_.add(read(Vector::Ap, s), gathered));
      }
      solve(element, rows);
      if (rows_.empty()) return;
      for (const Scalar& s : element.scalars)
        element.body.push_back(store(Vector::Ap, s, constant(0)));
    };
    if (!last_) {
      for_each_element(kernel, true, finish);
      return b_.add_kernel(std::move(kernel));
    }
    kernel = last_->kernel(name);
    IndexId here;
    gather(b_, kernel, last_->addends(),
           [&](Block&, FieldId field, IndexId at, int channel, ExprId sum) {
             here = at;
             sums[{field, channel}] = sum;
           });
    const std::size_t space = eliminated_space();
    finish({kernel.sections.back().body, scalars_of(space, here), space});
    return b_.add_kernel(std::move(kernel));
  }

  void direct(const Rows& element, const std::vector<ExprId>& rows) {
    std::vector<ExprId> damped;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Scalar& s = element.scalars[i];
      const ExprId p = g_.neg(block_inverse_times(element, i, rows));
      element.body.push_back(store(Vector::P, s, p));
      if (b_.damped()) damped.push_back(g_.mul(read(Vector::Damping, s), g_.powi(p, 2)));
    }
    add_share_of_product(element.body, damped);
  }

  void step(const Rows& element, const std::vector<ExprId>& rows) {
    std::vector<ExprId> left;
    for (std::size_t i = 0; i < rows.size(); ++i)
      left.push_back(g_.sub(read(Vector::B, element.scalars[i]), rows[i]));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      element.body.push_back(
          store(Vector::X, element.scalars[i], block_inverse_times(element, i, left)));
    }
  }

  std::vector<EliminatedRows> rows_;  // that kernels of their own add to Ap
  std::optional<EliminatedRows> last_;
  std::vector<std::size_t> added_;  // kernels
};

}  // namespace

void lower_eliminating_operator(ProgramBuilder& b, const std::vector<PartExpressions>& pieces,
                                ProductGathers& gathers) {
  for (const UnknownSpace& space : b.program().spaces)
    if (space.eliminated_blocks)
      b.keep(ProgramBuilder::Later::EliminatedBlocks, ClearBuffer{*space.eliminated_blocks});
  for (const PartExpressions& e : pieces) EliminatedBlocks(b, e).lower();
  EliminateLowering(b, pieces).run();
  for (PartExpressions e : pieces) {
    std::erase_if(e.targets, [&](const Target& t) { return b.is_eliminated(t.unknown); });
    if (!gathers_product(b.energy(), *e.part)) gathers.launch();
    lower_apply(b, e, gathers);
  }
  gathers.launch();
}

}  // namespace thallo
