// The energy's own kernels, one per part and product, at residual: every residual point computes
// its values and scatters.
//
//   cost     state.CostSum += 0.5 F^2
//   jtf      b -= dF F,  d += dF^2,  blocks += dF dF of the same element        (b = -JtF)
//   jtjp     jp = J p;  Ap += dF jp,  state.PAp += jp^2
//   jtj      JtJ[u][v] += dF_u dF_v, for the dense solver
//
// Residuals of a group with a robust loss have a weight w = rho'(|F|^2), |F|^2 over the whole
// group, in every product; the group's cost 0.5 rho is added by the part that has its first
// residual.
//
// A partial inside Sums has loops: its contributions are scattered from serial loops over them, and
// the points of the Sum count separately in d. Contributions of all residuals of a part to one
// place are added before they are scattered.

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/diff/gradient.h"
#include "core/kernel/program_builder.h"

namespace thallo {
namespace {

struct Term {
  std::size_t residual = 0;  // within the part
  ExprId derivative;
};

// All partials of a part at one unknown scalar.
struct Target {
  FieldId unknown;
  IndexId index;
  int channel = 0;
  std::vector<Term> terms;
};

struct PartExpressions {
  std::vector<ExprId> residuals;
  std::vector<ExprId> weights;  // of each residual; constant 1 without a loss
  std::vector<ExprId> costs;    // twice the cost is their sum
  // Targets by the loops they sit in.
  std::map<std::vector<DomainId>, std::vector<Target>> targets;
};

class ProductLowering {
 public:
  explicit ProductLowering(ProgramBuilder& builder)
      : b_(builder), differentiator_(builder.graph(), builder.energy()) {}

  void run() {
    const std::vector<Part>& parts = b_.plan().parts;
    lower_clears();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const PartExpressions part = expressions(parts[i]);
      lower_cost(parts[i], part, i + 1 == parts.size());
      lower_jtf(parts[i], part);
      lower_jtjp(parts[i], part);
      if (b_.options().linear_solver == LinearSolverKind::Dense) lower_jtj(parts[i], part);
    }
  }

 private:
  PartExpressions expressions(const Part& part) {
    PartExpressions result;
    using Place = std::tuple<FieldId, Hash128, int>;
    std::map<std::vector<DomainId>, std::map<Place, std::size_t>> positions;
    for (std::size_t r = 0; r < part.residuals.size(); ++r) {
      const auto [group, residual] = part.residuals[r];
      const ExprId expression = b_.energy().groups()[group].residuals[residual];
      result.residuals.push_back(b_.inlined(expression));
      add_loss(b_.energy().groups()[group], residual, result);
      for (const Partial& p : differentiator_.gradient(expression)) {
        std::vector<Target>& targets = result.targets[p.loops];
        const Place place{p.unknown, b_.graph().indices().hash(p.index), p.channel};
        const auto [it, inserted] = positions[p.loops].try_emplace(place, targets.size());
        if (inserted) targets.push_back({p.unknown, p.index, p.channel, {}});
        targets[it->second].terms.push_back({r, b_.inlined(p.value)});
      }
    }
    return result;
  }

  // The weight and the cost of the residual that was added last.
  void add_loss(const ResidualGroup& group, std::size_t residual, PartExpressions& part) {
    ExprGraph& g = b_.graph();
    if (!group.loss) {
      part.weights.push_back(g.constant(1));
      part.costs.push_back(g.powi(part.residuals.back(), 2));
      return;
    }
    std::vector<ExprId> squares;
    for (const ExprId f : group.residuals) squares.push_back(g.powi(b_.inlined(f), 2));
    const ExprId squared_norm = g.add(squares);
    part.weights.push_back(loss_weight(g, *group.loss, squared_norm));
    if (residual == 0) part.costs.push_back(loss_rho(g, *group.loss, squared_norm));
  }

  void lower_clears() {
    clear(b_.vector("b"));
    clear(b_.vector("d"));
    if (b_.options().preconditioner == PreconditionerKind::BlockJacobi) {
      for (std::size_t s = 0; s < b_.program().spaces.size(); ++s) {
        if (!has_block(b_.program().spaces[s])) continue;
        b_.element_blocks("blocks", s);
        clear(b_.program().find_buffer(fmt::format("blocks.{}", s)));
      }
    }
    if (b_.options().linear_solver == LinearSolverKind::Dense) {
      b_.matrix();
      clear(b_.program().find_buffer("JtJ"));
    }
  }
  void clear(std::size_t buffer) { b_.step(Phase::Linearize, ClearBuffer{buffer}); }

  Kernel kernel(const Part& part, const std::string& role) const {
    Kernel result{.role = role, .label = fmt::format("{} [{}]", role, part.name)};
    result.sections.push_back({.domains = part.order, .body = {}});
    return result;
  }

  // Puts statements into a serial loop over `loops` (none: into the body itself).
  static void append(Block& body, const std::vector<DomainId>& loops, Block statements) {
    if (statements.empty()) return;
    if (loops.empty()) {
      for (Statement& s : statements) body.push_back(std::move(s));
    } else {
      body.push_back({Loop{loops, std::move(statements)}});
    }
  }

  template <class Factor>
  ExprId sum_of_terms(const Target& target, Factor factor) {
    std::vector<ExprId> terms;
    for (const Term& term : target.terms)
      terms.push_back(b_.graph().mul(term.derivative, factor(term)));
    return b_.graph().add(terms);
  }

  void lower_cost(const Part& part, const PartExpressions& e, bool last) {
    Kernel k = kernel(part, "cost");
    const ExprId cost = b_.graph().mul(b_.graph().constant(0.5), b_.graph().add(e.costs));
    k.sections.front().body.push_back(b_.reduce(StateSlot::CostSum, cost));
    if (last) {
      k.epilogue.push_back(b_.store_state(StateSlot::Cost, b_.state(StateSlot::CostSum)));
      k.epilogue.push_back(b_.store_state(StateSlot::CostSum, b_.graph().constant(0)));
    }
    const std::size_t id = b_.add_kernel(std::move(k));
    b_.launch(Phase::Cost, id);
    std::map<FieldId, FieldId> at_trial;
    for (const FieldId unknown : b_.energy().unknowns())
      at_trial[unknown] = b_.trial_values(unknown);
    for (std::size_t i = 0; i < b_.energy().intermediates().size(); ++i) {
      if (!b_.plan().intermediates[i].value) continue;
      const Intermediate& intermediate = b_.energy().intermediates()[i];
      at_trial[b_.stored_values(intermediate)] = b_.trial_values(intermediate.field);
    }
    b_.launch(Phase::TrialCost, id, {}, std::move(at_trial));
  }

  void lower_jtf(const Part& part, const PartExpressions& e) {
    Kernel k = kernel(part, "jtf");
    for (const auto& [loops, targets] : e.targets) {
      Block statements;
      for (const Target& t : targets) {
        const ExprId gradient = sum_of_terms(t, [&](const Term& term) {
          return b_.graph().mul(e.weights[term.residual], e.residuals[term.residual]);
        });
        const ExprId diagonal = sum_of_terms(t, [&](const Term& term) {
          return b_.graph().mul(e.weights[term.residual], term.derivative);
        });
        statements.push_back({ScatterAdd{b_.vector_view("b", t.unknown), t.index, t.channel,
                                         b_.graph().neg(gradient)}});
        statements.push_back(
            {ScatterAdd{b_.vector_view("d", t.unknown), t.index, t.channel, diagonal}});
      }
      if (b_.options().preconditioner == PreconditionerKind::BlockJacobi)
        add_blocks(e, targets, statements);
      append(k.sections.front().body, loops, std::move(statements));
    }
    b_.launch(Phase::Linearize, b_.add_kernel(std::move(k)));
  }

  // Products of partials at the same element of an unknown space, lower triangle.
  void add_blocks(const PartExpressions& e, const std::vector<Target>& targets, Block& statements) {
    for (std::size_t s = 0; s < b_.program().spaces.size(); ++s) {
      const UnknownSpace space = b_.program().spaces[s];
      if (!has_block(space)) continue;
      for (const Target& row : targets) {
        for (const Target& col : targets) {
          if (row.index != col.index) continue;
          const std::optional<int> i = block_channel(space, row);
          const std::optional<int> j = block_channel(space, col);
          if (!i || !j || *i < *j) continue;
          const ExprId value = product(e, row, col);
          if (b_.graph().is_constant(value, 0)) continue;
          statements.push_back({ScatterAdd{b_.element_blocks("blocks", s), row.index,
                                           *i * (*i + 1) / 2 + *j, value}});
        }
      }
    }
  }

  std::optional<int> block_channel(const UnknownSpace& space, const Target& target) const {
    int first = 0;
    for (const FieldId unknown : space.unknowns) {
      if (unknown == target.unknown) return first + target.channel;
      first += b_.energy().field(unknown).tangent_channels();
    }
    return {};
  }

  // Weighted sum over residuals of the product of two targets' derivatives.
  ExprId product(const PartExpressions& e, const Target& a, const Target& b) {
    std::vector<ExprId> terms;
    for (const Term& x : a.terms) {
      for (const Term& y : b.terms) {
        if (x.residual != y.residual) continue;
        const ExprId factors[] = {e.weights[x.residual], x.derivative, y.derivative};
        terms.push_back(b_.graph().mul(factors));
      }
    }
    return b_.graph().add(terms);
  }

  void lower_jtjp(const Part& part, const PartExpressions& e) {
    ExprGraph& g = b_.graph();
    std::vector<ExprId> jp(e.residuals.size(), g.constant(0));
    for (const auto& [loops, targets] : e.targets) {
      std::vector<std::vector<ExprId>> terms(e.residuals.size());
      for (const Target& t : targets) {
        const ExprId p = b_.read(b_.vector_view("p", t.unknown), t.index, t.channel);
        for (const Term& term : t.terms) terms[term.residual].push_back(g.mul(term.derivative, p));
      }
      for (std::size_t r = 0; r < jp.size(); ++r)
        jp[r] = g.add(jp[r], g.sum(loops, g.add(terms[r])));
    }
    Kernel k = kernel(part, "apply_jtjp");
    Block& body = k.sections.front().body;
    for (const auto& [loops, targets] : e.targets) {
      Block statements;
      for (const Target& t : targets) {
        const ExprId value = sum_of_terms(t, [&](const Term& term) {
          return g.mul(e.weights[term.residual], jp[term.residual]);
        });
        statements.push_back(
            {ScatterAdd{b_.vector_view("Ap", t.unknown), t.index, t.channel, value}});
      }
      append(body, loops, std::move(statements));
    }
    std::vector<ExprId> squares;
    for (std::size_t r = 0; r < jp.size(); ++r)
      squares.push_back(g.mul(e.weights[r], g.powi(jp[r], 2)));
    body.push_back(b_.reduce(StateSlot::PAp, g.add(squares)));

    const std::size_t id = b_.add_kernel(std::move(k));
    b_.launch(Phase::Apply, id, Gate{StateSlot::Stop, 0});
    std::map<FieldId, FieldId> on_x;
    for (const FieldId unknown : b_.energy().unknowns()) {
      on_x[b_.vector_view("p", unknown)] = b_.vector_view("x", unknown);
    }
    b_.launch(Phase::ResetApply, id, Gate{StateSlot::Resetting, 1}, std::move(on_x));
  }

  void lower_jtj(const Part& part, const PartExpressions& e) {
    Kernel k = kernel(part, "fill_jtj");
    Block& body = k.sections.front().body;
    for (const auto& [row_loops, rows] : e.targets) {
      for (const auto& [col_loops, original_cols] : e.targets) {
        // Both ends may sit in the same Sum: its points are then paired with each other.
        const auto [fresh_loops, cols] = renamed(col_loops, original_cols);
        std::vector<DomainId> loops = row_loops;
        loops.insert(loops.end(), fresh_loops.begin(), fresh_loops.end());
        Block statements;
        for (const Target& row : rows) {
          for (const Target& col : cols) {
            const ExprId value = product(e, row, col);
            if (b_.graph().is_constant(value, 0)) continue;
            statements.push_back({MatrixAdd{b_.matrix(),
                                            {row.unknown, row.index, row.channel},
                                            {col.unknown, col.index, col.channel},
                                            value}});
          }
        }
        append(body, loops, std::move(statements));
      }
    }
    b_.launch(Phase::Linearize, b_.add_kernel(std::move(k)));
  }

  std::pair<std::vector<DomainId>, std::vector<Target>> renamed(std::vector<DomainId> loops,
                                                                std::vector<Target> targets) {
    if (loops.empty()) return {std::move(loops), std::move(targets)};
    DomainSubstitution fresh;
    for (DomainId& loop : loops) {
      const Domain domain = b_.graph().indices().domain(loop);
      const DomainId other = b_.fresh_domain(domain.dim, domain.name + "'");
      fresh[loop] = b_.graph().indices().component(other);
      loop = other;
    }
    for (Target& t : targets) {
      t.index = b_.graph().indices().substitute(t.index, fresh);
      for (Term& term : t.terms) term.derivative = b_.graph().substitute(term.derivative, fresh);
    }
    return {std::move(loops), std::move(targets)};
  }

  ProgramBuilder& b_;
  Differentiator differentiator_;
};

}  // namespace

void lower_products(ProgramBuilder& builder) { ProductLowering(builder).run(); }

}  // namespace thallo
