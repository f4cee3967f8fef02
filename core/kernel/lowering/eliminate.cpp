#include "core/kernel/lowering/eliminate.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/kernel/lowering/apply.h"
#include "core/kernel/lowering/solver_kernels.h"

namespace thallo {
namespace {

// W^T p_F of a part, which is added to Ap.
void lower_eliminated_rows(ProgramBuilder& b, PartExpressions e) {
  std::erase_if(e.jp_targets, [&](const Target& t) { return b.is_eliminated(t.unknown); });
  std::erase_if(e.targets, [&](const Target& t) { return !b.is_eliminated(t.unknown); });
  if (e.jp_targets.empty() || e.targets.empty()) return;
  const std::vector<Addend> addends =
      transposed_addends(b, e, weighted(b, e, jacobian_product(b, e)));
  const bool has_jt = stores_jp(e.part->strategy);
  const bool at_output = (has_jt ? e.part->jt : e.part->jtjp) == ComputeAt::Output;
  Kernel kernel = part_kernel(*e.part, has_jt ? Role::Jt : Role::JtJp,
                              at_output ? "gather_eliminated" : "apply_eliminated");
  if (at_output) {
    gather(b, kernel, addends, added_to_memory(b));
  } else {
    scatter(kernel, e.domains(), addends);
  }
  // At the start x is 0 in kept rows.
  b.launch_apply(std::move(kernel), false);
}

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
    if (addends_.empty()) return;
    const bool at_output = e_.part->jtf == ComputeAt::Output;
    Kernel kernel = part_kernel(*e_.part, Role::JtF,
                                at_output ? "gather_eliminated_blocks" : "eliminated_blocks");
    if (at_output) {
      gather(b_, kernel, addends_, added_to_memory(b_));
    } else {
      scatter(kernel, e_.domains(), addends_);
    }
    b_.keep_block_step(
        LaunchKernel{.kernel = b_.add_kernel(std::move(kernel)), .gate = {}, .rebind = {}});
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
      const int row = std::max(i, j);
      return b_.read(b_.block_inverse(eliminated.space), eliminated.index,
                     row * (row + 1) / 2 + std::min(i, j));
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
                            i * (i + 1) / 2 + j,
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

class EliminateLowering : public SolverKernels {
 public:
  using SolverKernels::SolverKernels;

  void run() {
    lower(
        "eliminate",
        [this](Block& body, std::size_t space, IndexId here) { eliminate(body, space, here); },
        Phase::Apply, while_running);
    if (!b_.damped()) return;
    lower(
        "solve_eliminated",
        [this](Block& body, std::size_t space, IndexId here) { solve(body, space, here); },
        Phase::ResetApply, while_resetting);
  }

 private:
  template <class Body>
  void lower(const char* name, Body body, Phase phase, Gate gate) {
    Kernel kernel{.role = name, .label = name};
    for (std::size_t s = 0; s < b_.program().spaces.size(); ++s) {
      if (!b_.program().spaces[s].is_eliminated) continue;
      const std::vector<DomainId> domains = b_.element_of(b_.program().spaces[s].dims);
      kernel.sections.push_back({.domains = domains, .body = {}});
      body(kernel.sections.back().body, s, g_.indices().intern(domains));
    }
    b_.launch(phase, b_.add_kernel(std::move(kernel)), gate);
  }

  // p = -V^-1 Ap, and the share of D in p.Ap.
  void eliminate(Block& body, std::size_t space, IndexId here) {
    const std::vector<ElementScalar> element = scalars_of(space);
    std::vector<ExprId> rows;
    for (const ElementScalar& s : element) rows.push_back(read(Vector::Ap, s, here));
    std::vector<ExprId> damped;
    for (std::size_t i = 0; i < element.size(); ++i) {
      const ExprId p = g_.neg(block_inverse_times(space, here, i, rows));
      body.push_back(store(Vector::P, element[i], here, p));
      if (b_.damped())
        damped.push_back(g_.mul(read(Vector::Damping, element[i], here), g_.powi(p, 2)));
    }
    if (damped.empty()) return;
    for (Statement& share : b_.share_of_product(g_.add(damped))) body.push_back(std::move(share));
  }

  // x = V^-1 (b - Ap), without the rounding of the iterations so far.
  void solve(Block& body, std::size_t space, IndexId here) {
    const std::vector<ElementScalar> element = scalars_of(space);
    std::vector<ExprId> rows;
    for (const ElementScalar& s : element)
      rows.push_back(g_.sub(read(Vector::B, s, here), read(Vector::Ap, s, here)));
    for (std::size_t i = 0; i < element.size(); ++i)
      body.push_back(store(Vector::X, element[i], here, block_inverse_times(space, here, i, rows)));
  }
};

}  // namespace

void lower_eliminating_operator(ProgramBuilder& b, const std::vector<PartExpressions>& pieces,
                                ProductGathers& gathers) {
  for (const UnknownSpace& space : b.program().spaces)
    if (space.eliminated_blocks) b.keep_block_step(ClearBuffer{*space.eliminated_blocks});
  for (const PartExpressions& e : pieces) EliminatedBlocks(b, e).lower();
  for (const PartExpressions& e : pieces) lower_eliminated_rows(b, e);
  EliminateLowering(b).run();
  for (PartExpressions e : pieces) {
    std::erase_if(e.targets, [&](const Target& t) { return b.is_eliminated(t.unknown); });
    if (!gathers_product(b.energy(), *e.part)) gathers.launch();
    lower_apply(b, e, gathers);
  }
  gathers.launch();
}

}  // namespace thallo
