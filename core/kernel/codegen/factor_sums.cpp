#include "core/kernel/codegen/expression_passes.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/kernel/codegen/kernel_expressions.h"

namespace thallo {
namespace {

// coefficient * product of base^exponent
struct Monomial {
  double coefficient = 1;
  std::vector<std::pair<ExprId, int>> powers;
};

class Factoring {
 public:
  Factoring(std::span<const Field> fields, ExprGraph& graph) : fields_(fields), g_(graph) {}

  // All roots at once, so that a sum is factored alike wherever it is used.
  std::vector<ExprId> operator()(std::span<const ExprId> roots) {
    const std::vector<ExprId> nodes = g_.reachable(roots);
    for (const ExprId id : nodes) {
      if (g_[id].op == Op::PowI) is_raised_.insert(ExprId(g_[id].a));
    }
    for (const ExprId id : nodes) memo_.emplace(id, rewritten(id));
    std::vector<ExprId> result;
    for (const ExprId root : roots) result.push_back(memo_.at(root));
    return result;
  }

 private:
  ExprId rewritten(ExprId id) {
    const ExprNode node = g_[id];
    std::vector<ExprId> operands = g_.operands(id);
    for (ExprId& operand : operands) operand = memo_.at(operand);
    if (node.op == Op::Add) return bounded(sum(monomials(operands), is_raised_.contains(id)));
    if (operands.empty()) return id;
    if (node.op == Op::Sum && g_.sum_kind(id) == SumKind::Working)
      return loop(g_.sum_domains(id), operands.front());
    return g_.with_operands(id, operands);
  }

  // Takes out of a Sum the factors that are the same in all its terms.
  ExprId loop(std::vector<DomainId> domains, ExprId summand) {
    if (g_[summand].op != Op::Mul) return g_.sum(domains, summand);
    const std::vector<ExprId> factors = g_.operands(summand);
    const bool has_mask = std::ranges::any_of(factors, [&](ExprId f) { return g_.is_boolean(f); });
    std::vector<ExprId> outside;
    std::vector<ExprId> inside;
    for (const ExprId factor : factors) {
      const std::vector<DomainId>& free = g_.free_domains(factor);
      const bool varies = std::ranges::any_of(
          domains, [&](DomainId domain) { return std::ranges::binary_search(free, domain); });
      const bool may_leave = g_.is_boolean(factor) || !has_mask || is_finite(factor);
      (varies || !may_leave ? inside : outside).push_back(factor);
    }
    if (outside.empty() || inside.empty()) return g_.sum(domains, summand);
    outside.push_back(g_.sum(std::move(domains), g_.mul(inside)));
    return g_.mul(outside);
  }

  // A sum that has become a product of many factors is one factor from now on. In a chain of sums
  // each would else repeat all factors of those before it.
  ExprId bounded(ExprId sum) {
    constexpr std::size_t MaxFactors = 32;
    const bool is_long = g_[sum].op == Op::Mul && g_.operands(sum).size() > MaxFactors;
    return is_long ? g_.unary(Op::Identity, sum) : sum;
  }

  std::vector<Monomial> monomials(const std::vector<ExprId>& terms) const {
    std::vector<Monomial> result;
    for (const ExprId term : terms) {
      Monomial m;
      const std::vector<ExprId> factors =
          g_[term].op == Op::Mul ? g_.operands(term) : std::vector{term};
      for (const ExprId factor : factors) {
        if (g_.is_constant(factor)) {
          m.coefficient *= g_.constant_value(factor);
        } else if (g_[factor].op == Op::PowI) {
          m.powers.emplace_back(ExprId(g_[factor].a), g_.exponent(factor));
        } else {
          m.powers.emplace_back(factor, 1);
        }
      }
      result.push_back(std::move(m));
    }
    return result;
  }

  ExprId product(const Monomial& m) {
    std::vector<ExprId> factors = {g_.constant(m.coefficient)};
    for (const auto& [base, exponent] : m.powers) factors.push_back(g_.powi(base, exponent));
    return g_.mul(factors);
  }

  struct Candidate {
    ExprId base;
    bool positive = true;
    int uses = 0;
    int exponent = 0;  // the common part
    // True if a term without a mask has the factor, which then counts whatever the masks are.
    bool is_unmasked = false;
  };

  bool is_masked(const Monomial& term) const {
    return std::ranges::any_of(term.powers,
                               [&](const auto& power) { return g_.is_boolean(power.first); });
  }

  // True if the value is a finite number where the solver's vectors and the params are, whatever
  // the data are.
  bool is_finite(ExprId id) {
    const auto known = finite_.find(id);
    if (known != finite_.end()) return known->second;
    const bool finite =
        has_finite_result(id) &&
        std::ranges::all_of(g_.operands(id), [&](ExprId o) { return is_finite(o); });
    finite_.emplace(id, finite);
    return finite;
  }

  // True if the operation makes a finite number of finite ones.
  bool has_finite_result(ExprId id) const {
    switch (info(g_[id].op).kind) {
      case OpKind::Arithmetic: return g_[id].op != Op::PowI || g_.exponent(id) > 0;
      case OpKind::Choice:
      case OpKind::Opaque: return true;
      case OpKind::Leaf: break;
      default: return g_[id].op == Op::Sin || g_[id].op == Op::Cos;
    }
    if (g_[id].op != Op::Access) return true;
    const Field& field = fields_[g_.field(id).index()];
    const bool is_whole = field.type == ScalarType::Int32 || field.type == ScalarType::UInt8;
    return is_whole || (field.kind != FieldKind::Array && field.kind != FieldKind::Intermediate);
  }

  bool stays_behind_masks(const Candidate& c) {
    return !g_.is_boolean(c.base) && !c.is_unmasked && !(c.positive && is_finite(c.base));
  }

  // The factor with the largest benefit, with all that are as good: those that all terms have are
  // taken out together, else each would be looked for in turn. None when there is no benefit. A sum
  // that is raised to a power keeps its divisors inside: (x^2/z^2 + y^2/z^2)^4 = (x^2 + y^2)^4 /
  // z^8 is true of numbers, but the right side overflows a float where x and z are 10^5.
  std::vector<Candidate> best_factors(const std::vector<Monomial>& terms, bool is_raised) {
    std::map<std::pair<Hash128, bool>, Candidate> candidates;  // ordered: ties do not depend on ids
    for (const Monomial& term : terms) {
      const bool has_mask = is_masked(term);
      for (const auto& [base, exponent] : term.powers) {
        const bool positive = exponent > 0;
        if (is_raised && !positive) continue;
        Candidate& c = candidates[{g_.hash(base), positive}];
        c.exponent = c.uses == 0 ? exponent
                     : positive  ? std::min(c.exponent, exponent)
                                 : std::max(c.exponent, exponent);
        c.base = base;
        c.positive = positive;
        c.is_unmasked = c.is_unmasked || !has_mask;
        ++c.uses;
      }
    }
    std::erase_if(candidates, [&](const auto& entry) { return stays_behind_masks(entry.second); });
    Candidate best;
    int best_benefit = 0;
    for (const auto& [key, c] : candidates) {
      const int benefit = (c.uses - 1) * (g_.is_boolean(c.base) ? 10 : 1);
      if (benefit > best_benefit) {
        best_benefit = benefit;
        best = c;
      }
    }
    if (best_benefit == 0) return {};
    if (best.uses < static_cast<int>(terms.size())) return {best};
    std::vector<Candidate> shared_by_all;
    for (const auto& [key, c] : candidates) {
      if (c.uses == best.uses && g_.is_boolean(c.base) == g_.is_boolean(best.base))
        shared_by_all.push_back(c);
    }
    return shared_by_all;
  }

  ExprId sum(std::vector<Monomial> terms, bool is_raised) {
    std::vector<Candidate> factors;
    if (terms.size() > 1) factors = best_factors(terms, is_raised);
    if (factors.empty()) {
      std::vector<ExprId> products;
      for (const Monomial& term : terms) products.push_back(product(term));
      return g_.add(products);
    }
    std::vector<Monomial> with;
    std::vector<Monomial> without;
    for (Monomial& term : terms) {
      // A term has one of several factors only if it has them all.
      const bool has_factors = divide(term, factors);
      (has_factors ? with : without).push_back(std::move(term));
    }
    std::vector<ExprId> product;
    for (const Candidate& factor : factors)
      product.push_back(g_.powi(factor.base, factor.exponent));
    product.push_back(sum(std::move(with), is_raised));
    const ExprId inner = g_.mul(product);
    return without.empty() ? inner : g_.add(inner, sum(std::move(without), is_raised));
  }

  // Takes the factors out of the term; false if it has none of them.
  static bool divide(Monomial& term, const std::vector<Candidate>& factors) {
    std::map<std::pair<ExprId, bool>, int> taken;
    for (const Candidate& factor : factors) taken[{factor.base, factor.positive}] = factor.exponent;
    bool has_factors = false;
    for (auto& [base, exponent] : term.powers) {
      const auto factor = taken.find({base, exponent > 0});
      if (factor == taken.end()) continue;
      exponent -= factor->second;
      has_factors = true;
    }
    std::erase_if(term.powers, [](const auto& power) { return power.second == 0; });
    return has_factors;
  }

  std::span<const Field> fields_;
  ExprGraph& g_;
  std::unordered_map<ExprId, bool> finite_;
  std::unordered_set<ExprId> is_raised_;  // bases of integer powers
  std::unordered_map<ExprId, ExprId> memo_;
};

}  // namespace

void factor_sums(std::span<const Field> fields, ExprGraph& graph, Kernel& kernel) {
  rewrite_expressions(kernel, Factoring(fields, graph));
}

}  // namespace thallo
