#include "core/kernel/lowering/stages.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/kernel/construct_lowering.h"
#include "core/kernel/lowering/accumulate.h"
#include "core/kernel/lowering/block_jtj.h"
#include "core/kernel/lowering/gather_product.h"
#include "core/kernel/lowering/matrix_j.h"
#include "core/kernel/lowering/operators.h"
#include "core/kernel/lowering/part_expressions.h"
#include "core/kernel/lowering/pieces.h"
#include "core/kernel/lowering/schur.h"
#include "core/kernel/lowering/solver_kernels.h"
#include "core/schedule/storage_format.h"

namespace thallo {
namespace {

// The kernel `cost` of a part: state.CostSum += 0.5 |F|^2 over the part's points. The kernel of the
// last part moves the sum to state.Cost.
void lower_cost(ProgramBuilder& b, const PartExpressions& e, bool is_last) {
  ExprGraph& g = b.graph();
  Kernel kernel = part_kernel(*e.part, Role::Cost, "cost");
  kernel.sections.push_back({.domains = e.domains()});
  const auto sum = [&](StateSlot slot, StateSlot accumulator, const std::vector<ExprId>& costs) {
    const ExprId cost = g.mul(g.constant(0.5), g.add(costs));
    kernel.sections.back().body.push_back(b.reduce(accumulator, cost));
    if (!is_last) return;
    kernel.epilogue.push_back(b.store_state(slot, b.state(accumulator)));
    kernel.epilogue.push_back(b.store_state(accumulator, g.constant(0)));
  };
  sum(StateSlot::Cost, StateSlot::CostSum, e.costs);
  if (b.program().minimized_cost == StateSlot::MinimizedCost)
    sum(StateSlot::MinimizedCost, StateSlot::MinimizedSum, e.minimized_costs);
  const std::size_t id = b.add_kernel(std::move(kernel));
  b.launch(Phase::Cost, id);
  b.launch(Phase::TrialCost, id, {}, b.at_trial());
}

// The kernel `jtf` of a part, which linearizes: b -= dF F (b = -JtF), d += dF^2 (the diagonal of
// JtJ), and, for block_jacobi, the preconditioner's blocks += dF dF of one element's channels. It
// scatters from residual points, or as `gather_jtf` gathers at the elements of the unknowns. In
// mixed precision, in which b is in double and blocks are not, `gather_blocks` gathers these: a
// thread that holds the sums of both needs twice the registers, and blocks need no double.
class JtfLowering {
 public:
  JtfLowering(ProgramBuilder& builder, const PartExpressions& e) : b_(builder), e_(e) {}

  void run(Block also, ComputeType compute) {
    for (const Target& t : e_.targets) {
      add_gradient(t);
      // Blocks have the diagonal, from where `finish_linearize` takes it.
      if (b_.factors_members() || !b_.block_row(t.unknown, t.channel)) add_diagonal(t);
    }
    const std::vector<Target> targets = b_.factors_members() ? summed_targets() : e_.targets;
    for (std::size_t s = 0; s < b_.program().spaces.size(); ++s) {
      if (b_.program().spaces[s].blocks) add_blocks(s, targets);
    }
    auto [gathered, scattered] = accumulated(b_, std::move(addends_), e_.part->jtf);
    std::vector<Addend> blocks;
    if (b_.options().precision == Precision::Mixed) {
      const auto is_kept = [this](const Addend& addend) { return !is_of_block(addend.field); };
      const auto first = std::ranges::stable_partition(gathered, is_kept);
      std::ranges::move(first, std::back_inserter(blocks));
      gathered.erase(first.begin(), gathered.end());
    }
    launch_gather("gather_jtf", gathered, compute);
    launch_gather("gather_blocks", blocks, compute);
    Kernel scattering = part_kernel(*e_.part, Role::JtF, also.empty() ? "jtf" : "jtf_jtj");
    scattering.compute = compute;
    scatter(scattering, e_.domains(), scattered, std::move(also));
    launch(std::move(scattering));
  }

 private:
  void launch_gather(const char* name, const std::vector<Addend>& addends, ComputeType compute) {
    Kernel kernel = part_kernel(*e_.part, Role::JtF, name);
    kernel.compute = compute;
    gather(b_, kernel, addends, added_to_memory(b_));
    launch(std::move(kernel));
  }
  void launch(Kernel kernel) {
    if (!kernel.sections.empty()) b_.launch(Phase::Linearize, b_.add_kernel(std::move(kernel)));
  }
  bool is_of_block(FieldId field) {
    const std::vector<UnknownSpace>& spaces = b_.program().spaces;
    for (std::size_t s = 0; s < spaces.size(); ++s)
      if (spaces[s].blocks && b_.blocks(s) == field) return true;
    return false;
  }

  void add(const Target& t, FieldId field, int channel, ExprId value) {
    if (b_.graph().is_constant(value, 0)) return;
    addends_.push_back(
        {field, t.index, channel, e_.domains(), t.loops, value, e_.has_parallel_sums});
  }

  void add_gradient(const Target& t) {
    ExprGraph& g = b_.graph();
    const ExprId gradient = transposed_product(g, t, [&](const JacobianEntry& entry) {
      return g.mul(e_.weights[entry.residual], e_.residuals[entry.residual]);
    });
    add(t, b_.vector_view(SolverVector::B, t.unknown), t.channel, g.neg(gradient));
  }

  void add_diagonal(const Target& t) {
    ExprGraph& g = b_.graph();
    const ExprId diagonal = transposed_product(g, t, [&](const JacobianEntry& entry) {
      return g.mul(e_.weights[entry.residual], entry.derivative);
    });
    add(t, b_.vector_view(SolverVector::D, t.unknown), t.channel, diagonal);
  }

  // The points of Sums around a member's unknowns are all at its element: JtJ has products of their
  // sums, where a preconditioner makes do with sums of their products.
  std::vector<Target> summed_targets() const {
    std::vector<Target> targets = e_.targets;
    for (Target& target : targets) {
      for (JacobianEntry& entry : target.entries)
        entry.derivative = b_.graph().sum(target.loops, entry.derivative);
      target.loops.clear();
    }
    return targets;
  }

  // Products of partials at the same element of an unknown space, lower triangle.
  void add_blocks(std::size_t space, const std::vector<Target>& targets) {
    for (const Target& row : targets) {
      for (const Target& col : targets) {
        if (row.index != col.index || row.loops != col.loops) continue;
        const std::optional<int> i = block_channel(space, row);
        const std::optional<int> j = block_channel(space, col);
        if (!i || !j || *i < *j) continue;
        add(row, b_.blocks(space), triangle_position(*i, *j),
            normal_entry(b_.graph(), e_, row, col));
      }
    }
  }

  std::optional<int> block_channel(std::size_t space, const Target& target) const {
    const auto place = b_.block_row(target.unknown, target.channel);
    return place && place->space == space ? std::optional(place->row) : std::nullopt;
  }

  ProgramBuilder& b_;
  const PartExpressions& e_;
  std::vector<Addend> addends_;
};

// `also`: further statements at a residual point, the entries of a JtJ. They run only in a kernel
// that scatters, which is then called `jtf_jtj`, and in whose type all of it is computed.
void lower_jtf(ProgramBuilder& builder, const PartExpressions& e, Block also = {},
               ComputeType compute = ComputeType::Working) {
  JtfLowering(builder, e).run(std::move(also), compute);
}

// A J of format structured, which the kernel `fill_j` fills at every linearization, is values only:
// for every target a field over the residual points (and the points of the Sums around it) with a
// channel for each residual. They include the square root of the residual's weight, and constants
// are not stored. The result is `e` with its derivatives replaced by reads of them.
PartExpressions lower_stored_j(ProgramBuilder& b, const PartExpressions& e) {
  ExprGraph& g = b.graph();
  PartExpressions stored = e;
  for (ExprId& weight : stored.weights) weight = g.constant(1);

  std::map<std::vector<DomainId>, Block> stores;  // by the domains they run over
  for (Target& t : stored.targets) {
    std::vector<DomainId> domains = e.domains();
    domains.insert(domains.end(), t.loops.begin(), t.loops.end());
    std::vector<ExprId*> to_store;
    for (JacobianEntry& entry : t.entries) {
      const ExprId root = g.unary(Op::Sqrt, e.weights[entry.residual]);
      entry.derivative = g.mul(root, entry.derivative);
      if (!g.is_constant(entry.derivative)) to_store.push_back(&entry.derivative);
    }
    if (to_store.empty()) continue;
    const FieldId field =
        b.stored_field(BufferKind::Product, fmt::format("J.{}", e.part->name), domains,
                       static_cast<int>(to_store.size()), e.part->j_type);
    const IndexId here = g.indices().intern(domains);
    for (std::size_t c = 0; c < to_store.size(); ++c) {
      const int channel = static_cast<int>(c);
      stores[domains].push_back({Store{field, here, channel, *to_store[c]}});
      *to_store[c] = b.read(field, here, channel);
    }
  }
  stored.jp_targets = stored.targets;
  if (stores.empty()) return stored;
  Kernel kernel = part_kernel(*e.part, Role::FillJ, "fill_j");
  for (auto& [domains, block] : stores)
    kernel.sections.push_back({.domains = domains, .body = std::move(block)});
  b.launch(Phase::Linearize, b.add_kernel(std::move(kernel)));
  return stored;
}

// The kernel `dot`: state.PAp = p.Ap, for operators whose kernels do not know all shares of it.
// Rows of Ap that are eliminated are 0.
class DotLowering : public SolverKernels {
 public:
  using SolverKernels::SolverKernels;

  void run() {
    Kernel kernel{.role = "dot", .label = "dot"};
    for_each_kept(kernel, [&](const Rows& rows) {
      std::vector<ExprId> products;
      for (const Scalar& s : rows.scalars)
        products.push_back(g_.mul(read(Vector::P, s), read(Vector::Ap, s)));
      rows.body.push_back(b_.reduce(Slot::PAp, g_.add(products)));
    });
    b_.launch(Phase::Apply, b_.add_kernel(std::move(kernel)), while_running);
  }
};

class ProductLowering {
 public:
  explicit ProductLowering(ProgramBuilder& builder) : b_(builder), gathers_(builder) {
    for (const Part& part : b_.plan().parts) parts_.push_back(&part);
    // Gathers first: the first of them starts Ap, to which scatters add.
    std::ranges::stable_partition(
        parts_, [this](const Part* part) { return gathers_product(b_.energy(), *part); });
  }

  void run() {
    lower_clears();
    if (b_.forms_schur_complement()) return lower_schur_complement();
    if (solver_form() == MatrixForm::Csr) return lower_for_csr_solver();
    const bool has_steps = b_.preconditioner().form() == InverseForm::Steps;
    Pieces all_pieces;  // where the preconditioner wants them
    for (const Part* part : parts_) {
      if (!gathers_product(b_.energy(), *part)) gathers_.launch();
      const PartExpressions whole = part_expressions(b_, *part);
      const Pieces pieces = in_pieces(whole);
      for (const PartExpressions& e : pieces)
        lower_costs(e, part == parts_.back() && &e == &pieces.back());
      const bool fills_both = fills_jtj_with_jtf(whole);
      for (const PartExpressions& e : pieces)
        lower_jtf(b_, e, fills_both ? dense_jtj_entries(b_, e) : Block());
      if (fills_both) {
        has_halves_ = true;
      } else if (solves_dense()) {
        for (const PartExpressions& e : pieces) lower_dense_jtj(b_, e);
      } else if (!b_.factors_members()) {
        lower_operator(whole, pieces);
      }
      if (has_steps) std::ranges::copy(pieces, std::back_inserter(all_pieces));
    }
    gathers_.launch();
    if (has_steps) b_.preconditioner().lower_matrix(b_, all_pieces);
    finish_operator();
  }

 private:
  // Of one part.
  using Pieces = std::vector<PartExpressions>;
  Pieces in_pieces(PartExpressions e) {
    return thallo::in_pieces(b_.graph(), std::move(e), b_.options().max_kernel_nodes);
  }

  void lower_costs(const PartExpressions& e, bool is_last) {
    lower_cost(b_, e, is_last);
    if (b_.has_bounds()) lower_model(b_, e, is_last);
  }

  MatrixForm solver_form() const { return b_.options().linear_solver->form(); }
  bool solves_dense() const { return solver_form() == MatrixForm::Dense && !b_.factors_members(); }

  Pieces pieces_of_all_parts() {
    Pieces pieces;
    for (const Part* part : parts_)
      std::ranges::move(in_pieces(part_expressions(b_, *part)), std::back_inserter(pieces));
    return pieces;
  }

  // The sum of all parts' JtJ as one CSR matrix. The entries of its blocks are known once all parts
  // were looked at.
  void lower_for_csr_solver() {
    const Pieces pieces = pieces_of_all_parts();
    SolverJtJ jtj(b_, pieces);
    for (const PartExpressions& e : pieces) {
      lower_costs(e, &e == &pieces.back());
      if (fills_jtj_with_jtf(e)) {
        lower_jtf(b_, e, jtj.additions(e), ComputeType::Double);
      } else {
        lower_jtf(b_, e);
        jtj.fill(e);
      }
    }
    jtj.finish();
  }

  void lower_schur_complement() {
    const Pieces pieces = pieces_of_all_parts();
    SchurComplement schur(b_, pieces);
    for (const PartExpressions& e : pieces) {
      lower_costs(e, &e == &pieces.back());
      const bool fills_both = fills_jtj_with_jtf(e);
      lower_jtf(b_, e, fills_both ? schur.additions(e) : Block(), ComputeType::Double);
      if (!fills_both) schur.fill(e);
    }
    schur.lower_products();
    if (!b_.has_linear_loop()) return;
    for (const Part* part : parts_) {
      const PartExpressions whole = part_expressions(b_, *part);
      lower_operator(whole, in_pieces(whole));
    }
    finish_operator();
  }
  // What all parts share.
  void finish_operator() {
    if (b_.eliminates()) {
      lower_eliminating_operator(b_, eliminating_, gathers_);
    } else if (std::ranges::any_of(parts_,
                                   [this](const Part* part) { return is_in_matrix(*part); })) {
      finish_matrix();
    }
    if (b_.uses_dot()) DotLowering(b_).run();
  }
  // True if the part adds to a JtJ that all such parts share.
  bool is_in_matrix(const Part& part) const {
    if (b_.factors_members()) return false;
    return solver_form() != MatrixForm::None ||
           (stores_jtj(part.strategy) && jtj_form(b_.energy(), part) == JtJForm::Matrix);
  }

  // JtF and such a JtJ of a part cost little beside the derivatives they are made of, so one
  // kernel computes both where both scatter from the same threads. Not so where the entries lie in
  // Sums, whose loops differ, nor where a schedule says something about the second kernel only.
  bool fills_jtj_with_jtf(const PartExpressions& e) const {
    const Part& part = *e.part;
    return is_in_matrix(part) && (solver_form() != MatrixForm::None || !stores_j(part.strategy)) &&
           part.jtf == ComputeAt::Residual &&
           can_do_both(b_.plan(), {part.name, Role::JtF}, {part.name, Role::FillJtJ}) &&
           std::ranges::all_of(e.targets, [](const Target& t) { return t.loops.empty(); });
  }

  void lower_clears() {
    const auto clear = [&](std::size_t buffer) { b_.step(Phase::Linearize, ClearBuffer{buffer}); };
    clear(b_.vector(SolverVector::B));
    const auto has_block = [&](FieldId unknown) { return b_.block_row(unknown, 0).has_value(); };
    if (b_.factors_members() || !std::ranges::all_of(b_.energy().unknowns(), has_block))
      clear(b_.vector(SolverVector::D));
    for (const UnknownSpace& space : b_.program().spaces)
      if (space.blocks) clear(*space.blocks);
    if (solver_form() == MatrixForm::Csr || b_.forms_schur_complement()) return;
    if (std::ranges::any_of(parts_, [this](const Part* part) { return is_in_matrix(*part); })) {
      clear(b_.buffer_of(b_.matrix()));
    }
  }

  // The kernels or library operations of a part's JtJ p, as its strategy says.
  void lower_operator(const PartExpressions& whole, const Pieces& pieces) {
    const Strategy strategy = whole.part->strategy;
    if (!stores_j(strategy)) return stores_jtj(strategy) ? lower_jtj(pieces) : apply(pieces);
    switch (whole.part->j_format) {
      case StorageFormat::Structured: {
        Pieces stored;
        for (const PartExpressions& e : pieces) stored.push_back(lower_stored_j(b_, e));
        return stores_jtj(strategy) ? lower_jtj(stored) : apply(stored);
      }
      case StorageFormat::Csr: {
        MatrixJ stored = lower_csr_j(b_, whole);
        if (stores_jtj(strategy)) return lower_jtj(in_pieces(std::move(stored.part)));
        return lower_matrix_product(b_, whole, stored.matrices);
      }
      case StorageFormat::Dense: {
        const std::vector<std::size_t> matrices = lower_dense_j(b_, whole);
        if (!stores_jtj(strategy)) return lower_matrix_product(b_, whole, matrices);
        grams_.insert(grams_.end(), matrices.begin(), matrices.end());
        return;
      }
      case StorageFormat::Blocks: break;
    }
    THALLO_UNREACHABLE();
  }

  void apply(const Pieces& pieces) {
    if (b_.eliminates()) {
      eliminating_.insert(eliminating_.end(), pieces.begin(), pieces.end());
      return;
    }
    for (const PartExpressions& e : pieces) lower_apply(b_, e, gathers_);
  }

  void lower_jtj(const Pieces& pieces) {
    switch (jtj_form(b_.energy(), *pieces.front().part)) {
      case JtJForm::Diagonals: return lower_stored_jtj(b_, pieces, gathers_);
      case JtJForm::Blocks: return lower_block_jtj(b_, pieces);
      case JtJForm::Csr: return lower_csr_jtj(b_, pieces);
      case JtJForm::Matrix:
        has_halves_ = true;
        for (const PartExpressions& e : pieces) lower_dense_jtj(b_, e);
    }
  }

  // Completes the dense JtJ, to which all parts have added, and multiplies it with p. If one part
  // asks for the library, the library multiplies for all of them: one product costs less than two.
  void finish_matrix() {
    if (has_halves_ || solves_dense())
      b_.launch(Phase::Linearize, b_.add_kernel(dense_halves(b_, b_.matrix())));
    const std::size_t matrix = b_.buffer_of(b_.matrix());
    for (const std::size_t j : grams_) b_.step(Phase::Linearize, AddGram{j, matrix});
    if (solves_dense()) return;
    const auto by_library = [this](const Part* part) {
      return is_in_matrix(*part) && multiplies_by_library(*part);
    };
    if (std::ranges::none_of(parts_, by_library)) return lower_dense_product(b_);
    b_.program().matrices.push_back({.kind = MatrixKind::Symmetric, .values = matrix});
    b_.multiply({.matrix = b_.program().matrices.size() - 1,
                 .adds = true,
                 .x = b_.vector(SolverVector::P),
                 .y = b_.vector(SolverVector::Ap)});
  }

  ProgramBuilder& b_;
  std::vector<const Part*> parts_;
  ProductGathers gathers_;
  std::vector<std::size_t> grams_;  // matrices: dense J whose J^T J is added to the dense JtJ
  Pieces eliminating_;              // of all parts, where the linear solver eliminates unknowns
  bool has_halves_ = false;         // other parts have added entries of H to the dense JtJ
};

}  // namespace

void lower_products(ProgramBuilder& b) { ProductLowering(b).run(); }

}  // namespace thallo
