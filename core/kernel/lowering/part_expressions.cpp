#include "core/kernel/lowering/part_expressions.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/energy/loss.h"
#include "core/ir/sign.h"
#include "core/kernel/lowering/sum.h"

namespace thallo {
namespace {

// Squares a residual for the cost. The simplification of products takes sqrt(a)^2 for a, as it
// takes x / x for 1, but the cost must not be a number where the residual is none: a step to a
// negative a would lower it below zero.
ExprId squared(ExprGraph& g, ExprId residual) {
  const auto is_opaque = [&](ExprId factor) {
    const ExprId base = g[factor].op == Op::PowI ? ExprId(g[factor].a) : factor;
    return g[base].op == Op::Sqrt && !is_nonnegative(g, ExprId(g[base].a));
  };
  std::vector<ExprId> factors = {residual};
  if (g[residual].op == Op::Mul) factors = g.operands(residual);
  if (std::ranges::none_of(factors, is_opaque)) return g.powi(residual, 2);
  for (ExprId& factor : factors) {
    if (is_opaque(factor)) factor = g.unary(Op::Identity, factor);
    factor = g.powi(factor, 2);
  }
  return g.mul(factors);
}

// Collects partials by the unknown scalar they belong to.
class TargetCollector {
 public:
  TargetCollector(ProgramBuilder& builder, const Part& part) : b_(builder), part_(part) {}

  void add(std::size_t residual, const Gradient& gradient) {
    for (const Partial& found : gradient) {
      const Partial p = with_loops_named(b_.graph(), found, part_.order);
      std::vector<Target>& targets = targets_[p.loops];
      const Place place{p.loops, p.unknown, b_.graph().indices().hash(p.index), p.channel};
      const auto [it, inserted] = positions_.try_emplace(place, targets.size());
      if (inserted) targets.push_back({p.unknown, p.index, p.channel, p.loops, {}});
      add_entry(targets[it->second].entries, {residual, b_.inlined(p.value)});
    }
  }

  std::vector<Target> take() && {
    std::vector<Target> result;
    for (auto& [loops, targets] : targets_) std::ranges::move(targets, std::back_inserter(result));
    return result;
  }

 private:
  // All partials of a residual are added before those of the next, so only the last entry can be of
  // the same residual.
  void add_entry(std::vector<JacobianEntry>& entries, const JacobianEntry& entry) {
    if (entries.empty() || entries.back().residual != entry.residual) {
      entries.push_back(entry);
    } else {
      entries.back().derivative = b_.graph().add(entries.back().derivative, entry.derivative);
    }
  }

  using Place = std::tuple<std::vector<DomainId>, FieldId, Hash128, int>;

  ProgramBuilder& b_;
  const Part& part_;
  std::map<std::vector<DomainId>, std::vector<Target>> targets_;  // by loops
  std::map<Place, std::size_t> positions_;
};

// Makes the expressions of one part.
class PartReader {
 public:
  PartReader(ProgramBuilder& builder, const Part& part)
      : b_(builder), part_(part), targets_(builder, part), jp_targets_(builder, part) {
    result_.part = &part;
  }

  PartExpressions run() && {
    for (std::size_t r = 0; r < part_.residuals.size(); ++r) {
      const auto [group, residual] = part_.residuals[r];
      const ResidualGroup& owner = b_.energy().groups()[group];
      const DomainSubstitution names = names_in_part(owner);
      const ExprId expression = in_part(owner.residuals[residual], names);
      result_.residuals.push_back(b_.inlined(expression));
      add_loss(owner, residual, names);
      add_minimized_cost(b_.cost_factor(part_.residuals[r]), names);
      targets_.add(r, b_.differentiator().gradient(expression));
      const Gradient direct = b_.direct_differentiator().gradient(expression);
      jp_targets_.add(r, direct);
      result_.has_parallel_sums =
          result_.has_parallel_sums || std::ranges::any_of(direct, [this](const Partial& p) {
            return b_.find_stored_sum(p.unknown) != nullptr;
          });
    }
    result_.targets = std::move(targets_).take();
    result_.jp_targets = std::move(jp_targets_).take();
    return std::move(result_);
  }

 private:
  // A residual as the part computes it: over the part's domains, with parallel Sums read.
  ExprId in_part(ExprId residual, const DomainSubstitution& names) {
    return b_.graph().substitute(b_.with_stored_sums(residual), names);
  }

  // What the group's domains are called in the part; empty if the part's order names these very
  // domains.
  DomainSubstitution names_in_part(const ResidualGroup& group) const {
    DomainSubstitution names;
    if (std::ranges::is_permutation(group.domains, part_.order)) return names;
    THALLO_ASSERT_EQ(group.domains.size(), owner_domains().size());
    for (std::size_t i = 0; i < group.domains.size(); ++i) {
      names[group.domains[i]] = b_.graph().indices().component(owner_domains()[i]);
    }
    return names;
  }

  // The part's domains in the order in which its groups declare theirs.
  const std::vector<DomainId>& owner_domains() const {
    for (const ResidualRef member : part_.residuals) {
      const std::vector<DomainId>& domains = b_.energy().groups()[member.group].domains;
      if (std::ranges::is_permutation(domains, part_.order)) return domains;
    }
    THALLO_UNREACHABLE();
  }

  // Adds the weight and the cost of the residual that was added last.
  void add_loss(const ResidualGroup& group, std::size_t residual, const DomainSubstitution& names) {
    ExprGraph& g = b_.graph();
    if (!group.loss) {
      result_.weights.push_back(g.constant(1));
      result_.costs.push_back(squared(g, result_.residuals.back()));
      return;
    }
    std::vector<ExprId> squares, costs;
    for (const ExprId f : group.residuals) {
      const ExprId inlined = b_.inlined(in_part(f, names));
      squares.push_back(g.powi(inlined, 2));
      costs.push_back(squared(g, inlined));
    }
    const Loss& loss = *group.loss;
    result_.weights.push_back(applied(g, loss, b_.differentiator().slope(loss), g.add(squares)));
    result_.costs.push_back(residual == 0 ? applied(g, loss, loss.rho, g.add(costs))
                                          : g.constant(0));
  }

  void add_minimized_cost(std::optional<ExprId> factor, const DomainSubstitution& names) {
    const ExprId cost = result_.costs.back();
    result_.minimized_costs.push_back(
        factor ? b_.graph().mul(cost, b_.inlined(in_part(*factor, names))) : cost);
  }

  ProgramBuilder& b_;
  const Part& part_;
  PartExpressions result_;
  TargetCollector targets_, jp_targets_;
};

}  // namespace

PartExpressions part_expressions(ProgramBuilder& builder, const Part& part) {
  return PartReader(builder, part).run();
}

ExprId transposed_product(ExprGraph& graph, const Target& target,
                          const std::function<ExprId(const JacobianEntry&)>& factor) {
  std::vector<ExprId> terms;
  for (const JacobianEntry& entry : target.entries)
    terms.push_back(graph.mul(entry.derivative, factor(entry)));
  return graph.add(terms);
}

namespace {

// The product of the targets' derivatives with what `direction` returns of each, for each residual.
template <class Direction>
std::vector<ExprId> product_of(ExprGraph& g, std::size_t num_residuals,
                               const std::vector<Target>& targets, const Direction& direction) {
  std::vector<std::map<std::vector<DomainId>, std::vector<ExprId>>> terms(num_residuals);
  for (const Target& t : targets) {
    const ExprId p = direction(t);
    for (const JacobianEntry& entry : t.entries)
      terms[entry.residual][t.loops].push_back(g.mul(entry.derivative, p));
  }
  std::vector<ExprId> result;
  for (const auto& by_loops : terms) {
    std::vector<ExprId> sums;
    for (const auto& [loops, products] : by_loops) sums.push_back(g.sum(loops, g.add(products)));
    result.push_back(g.add(sums));
  }
  return result;
}

}  // namespace

std::vector<ExprId> jacobian_product(ProgramBuilder& builder, const PartExpressions& e) {
  return product_of(builder.graph(), e.residuals.size(), e.jp_targets, [&](const Target& t) {
    return read_direction(builder, t.unknown, t.index, t.channel);
  });
}

std::vector<ExprId> jacobian_times_move(ProgramBuilder& builder, const PartExpressions& e) {
  return product_of(builder.graph(), e.residuals.size(), e.targets, [&](const Target& t) {
    return builder.read(builder.vector_view(SolverVector::Move, t.unknown), t.index, t.channel);
  });
}

ExprId normal_entry(ExprGraph& graph, const PartExpressions& e, const Target& row,
                    const Target& col) {
  std::vector<ExprId> products;
  for (const JacobianEntry& x : row.entries) {
    for (const JacobianEntry& y : col.entries) {
      if (x.residual != y.residual) continue;
      const ExprId factors[] = {e.weights[x.residual], x.derivative, y.derivative};
      products.push_back(graph.mul(factors));
    }
  }
  return graph.add(products);
}

std::vector<Target> with_fresh_loops(ProgramBuilder& builder, std::vector<Target> targets) {
  IndexTable& indices = builder.graph().indices();
  std::map<DomainId, DomainId> fresh;
  DomainSubstitution renamed;
  for (Target& t : targets) {
    if (t.loops.empty()) continue;
    for (DomainId& loop : t.loops) {
      const auto [it, inserted] = fresh.try_emplace(loop);
      if (inserted) {
        const Domain domain = indices.domain(loop);
        it->second = builder.fresh_domain(domain.dim, domain.name + "'");
        renamed[loop] = indices.component(it->second);
      }
      loop = it->second;
    }
    t.index = indices.substitute(t.index, renamed);
    for (JacobianEntry& entry : t.entries)
      entry.derivative = builder.graph().substitute(entry.derivative, renamed);
  }
  return targets;
}

Kernel part_kernel(const Part& part, Role role, const std::string& name) {
  return {.role = name,
          .label = fmt::format("{} [{}]", name, part.name),
          .part = part.name,
          .part_role = role};
}

}  // namespace thallo
