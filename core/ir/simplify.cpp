// Simplification on construction: every node that apply() or powi() makes is made here, so an
// unsimplified form of it cannot exist. Leaves, Sums and samples are made in graph.cpp.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "core/base/error.h"
#include "core/ir/graph.h"

namespace thallo {
namespace {

constexpr std::uint32_t MostOperands = 128;
constexpr std::uint32_t MostOperandsOfMultiple = 24;

// True if the operands of `id` become operands of the sum or product (`op`) around it. A long sum
// or product stays one operand: where an expression grows step by step, as in e = e + e * a, each
// step would else repeat all operands of those before it. Masks always stay in sight, since one
// that is false makes all of the product around it 0.
bool dissolves(const ExprGraph& graph, ExprId id, Op op, std::uint32_t most = MostOperands) {
  const ExprNode& node = graph[id];
  if (node.op != op) return false;
  return node.b <= most ||
         (op == Op::Mul && std::ranges::any_of(graph.operands(id), [&](ExprId factor) {
            return graph.is_boolean(factor);
          }));
}

}  // namespace

ExprId ExprGraph::apply(Op op, std::span<const ExprId> operands) {
  const int expected = info(op).num_operands;
  THALLO_ASSERT(expected == -1 || static_cast<std::size_t>(expected) == operands.size());
  switch (op) {
    case Op::Add: return simplify_add(operands);
    case Op::Mul: return simplify_mul(operands);
    case Op::Select: {
      const auto [c, a, b] = std::array{operands[0], operands[1], operands[2]};
      if (is_constant(c)) return constant_value(c) != 0 ? a : b;
      if (a == b) return a;
      if (is_constant(b, 0) && is_boolean(c)) return mul(c, a);
      if (is_constant(a, 0) && is_boolean(c)) return mul(logical_not(c), b);
      if ((*this)[c].op == Op::Not) return select(ExprId((*this)[c].a), b, a);
      return make({.op = op,
                   .is_boolean = is_boolean(a) && is_boolean(b),
                   .channel = 0,
                   .a = c.value(),
                   .b = a.value(),
                   .c = b.value()});
    }
    default: break;
  }
  return expected == 1 ? simplify_unary(op, operands[0])
                       : simplify_binary(op, operands[0], operands[1]);
}

std::pair<ExprId, double> ExprGraph::split_coefficient(ExprId term) {
  if ((*this)[term].op != Op::Mul) return {term, 1};
  std::vector<ExprId> factors = operands(term);
  if (!is_constant(factors.front())) return {term, 1};
  const double coefficient = constant_value(factors.front());
  factors.erase(factors.begin());
  if (factors.size() == 1) return {factors.front(), coefficient};
  const bool boolean = std::ranges::all_of(factors, [this](ExprId f) { return is_boolean(f); });
  return {
      make({.op = Op::Mul, .is_boolean = boolean, .channel = 0, .a = 0, .b = 0, .c = 0}, factors),
      coefficient};
}

std::optional<ExprId> ExprGraph::append_term(ExprId sum, ExprId term) {
  if (is_constant(term) || (*this)[term].op == Op::Add) return {};
  // The term without its coefficient, as a list of factors.
  const auto factors_of = [this](const ExprId& of) -> std::span<const ExprId> {
    if ((*this)[of].op != Op::Mul) return std::span(&of, 1);
    const std::span<const ExprId> factors = nary_operands(of);
    return is_constant(factors.front()) ? factors.subspan(1) : factors;
  };
  const std::span<const ExprId> factors = factors_of(term);
  if (factors.size() == 1 && (*this)[factors.front()].op == Op::Add) return {};
  const bool is_alike = std::ranges::any_of(nary_operands(sum), [&](const ExprId& other) {
    return std::ranges::equal(factors_of(other), factors);
  });
  if (is_alike) return {};
  return appended(sum, term, false);
}

std::optional<ExprId> ExprGraph::append_factor(ExprId product, ExprId factor) {
  const Op op = (*this)[factor].op;
  if (op == Op::Constant || op == Op::Mul) return {};
  const auto base_of = [this](ExprId of) {
    return (*this)[of].op == Op::PowI ? ExprId((*this)[of].a) : of;
  };
  const auto excludes = [this](ExprId a, ExprId b) {
    return (*this)[a].op == Op::Not && ExprId((*this)[a].a) == b;
  };
  const ExprId base = base_of(factor);
  const bool is_alike = std::ranges::any_of(nary_operands(product), [&](ExprId other) {
    const ExprId its = base_of(other);
    return its == base || excludes(its, base) || excludes(base, its);
  });
  if (is_alike) return {};
  return appended(product, factor, is_boolean(product) && is_boolean(factor));
}

ExprId ExprGraph::appended(ExprId to, ExprId operand, bool is_boolean) {
  const std::span<const ExprId> before = nary_operands(to);
  const auto first = before.begin() + (is_constant(before.front()) ? 1 : 0);
  const auto at = std::upper_bound(first, before.end(), operand,
                                   [this](ExprId a, ExprId b) { return hash(a) < hash(b); });
  std::vector<ExprId> operands(before.begin(), at);
  operands.push_back(operand);
  operands.insert(operands.end(), at, before.end());
  const Op op = (*this)[to].op;
  return make({.op = op, .is_boolean = is_boolean, .channel = 0, .a = 0, .b = 0, .c = 0}, operands);
}

ExprId ExprGraph::simplify_add(std::span<const ExprId> terms) {
  if (terms.size() == 2) {
    for (const auto& [sum, term] : {std::pair(terms[0], terms[1]), std::pair(terms[1], terms[0])}) {
      if (!dissolves(*this, sum, Op::Add)) continue;
      if (const auto result = append_term(sum, term)) return *result;
    }
  }
  // Terms are collected as (expression, coefficient), one per distinct expression. A constant
  // multiple of a sum is distributed over it, so that differences of sums cancel. All multiples but
  // 1 and -1 make new terms, so they are distributed over shorter sums only.
  double constant_part = 0;
  std::vector<std::pair<ExprId, double>> collected;
  std::unordered_map<ExprId, std::size_t> position;
  const auto collect = [&](ExprId term, double scale) {
    if (is_constant(term)) {
      constant_part += scale * constant_value(term);
      return;
    }
    const auto [rest, coefficient] = split_coefficient(term);
    const auto [it, inserted] = position.try_emplace(rest, collected.size());
    if (inserted) collected.emplace_back(rest, 0);
    collected[it->second].second += scale * coefficient;
  };
  for (const ExprId term : terms) collect(term, 1);
  for (std::size_t i = 0; i < collected.size(); ++i) {
    const auto [sum, coefficient] = collected[i];
    const std::uint32_t most = std::abs(coefficient) == 1 ? MostOperands : MostOperandsOfMultiple;
    if (coefficient == 0 || !dissolves(*this, sum, Op::Add, most)) continue;
    collected[i].second = 0;
    for (const ExprId inner : operands(sum)) collect(inner, coefficient);
  }

  std::vector<ExprId> result;
  for (const auto& [rest, coefficient] : collected) {
    if (coefficient != 0)
      result.push_back(coefficient == 1 ? rest : mul(constant(coefficient), rest));
  }
  if (result.empty()) return constant(constant_part);
  if (constant_part != 0) result.push_back(constant(constant_part));
  if (result.size() == 1) return result.front();
  sort_by_hash(result);
  return make({.op = Op::Add, .is_boolean = false, .channel = 0, .a = 0, .b = 0, .c = 0}, result);
}

ExprId ExprGraph::simplify_mul(std::span<const ExprId> factors) {
  if (factors.size() == 2) {
    for (const auto& [product, factor] :
         {std::pair(factors[0], factors[1]), std::pair(factors[1], factors[0])}) {
      if (!dissolves(*this, product, Op::Mul)) continue;
      if (const auto result = append_factor(product, factor)) return *result;
    }
  }
  double coefficient = 1;
  std::vector<std::pair<ExprId, int>> collected;  // base, exponent
  std::unordered_map<ExprId, std::size_t> position;
  const auto collect = [&](const auto& self, ExprId factor) -> void {
    if (is_constant(factor)) {
      coefficient *= constant_value(factor);
      return;
    }
    if (dissolves(*this, factor, Op::Mul)) {
      for (const ExprId inner : operands(factor)) self(self, inner);
      return;
    }
    const bool is_power = (*this)[factor].op == Op::PowI;
    const ExprId base = is_power ? ExprId((*this)[factor].a) : factor;
    const int power = is_power ? exponent(factor) : 1;
    const auto [it, inserted] = position.try_emplace(base, collected.size());
    if (inserted) {
      collected.emplace_back(base, power);
    } else {
      collected[it->second].second += power;
    }
  };
  for (const ExprId factor : factors) collect(collect, factor);
  if (coefficient == 0) return constant(0);

  std::vector<ExprId> result;
  bool again = false;  // a collected power may itself be a product or a constant
  for (const auto& [base, power] : collected) {
    if (power == 0) continue;
    if (is_boolean(base)) {
      if ((*this)[base].op == Op::Not && position.contains(ExprId((*this)[base].a)))
        return constant(0);
      result.push_back(power > 0 ? base : powi(base, power));
      continue;
    }
    const ExprId factor = powi(base, power);
    again = again || is_constant(factor) || dissolves(*this, factor, Op::Mul) ||
            ((*this)[factor].op == Op::PowI ? ExprId((*this)[factor].a) : factor) != base;
    result.push_back(factor);
  }
  if (coefficient != 1) result.push_back(constant(coefficient));
  if (again) return simplify_mul(result);
  if (result.empty()) return constant(1);
  if (result.size() == 1) return result.front();
  sort_by_hash(result);
  const bool boolean = std::ranges::all_of(result, [this](ExprId f) { return is_boolean(f); });
  return make({.op = Op::Mul, .is_boolean = boolean, .channel = 0, .a = 0, .b = 0, .c = 0}, result);
}

ExprId ExprGraph::powi(ExprId base, int n) {
  if (n == 0) return constant(1);
  if (n == 1) return base;
  const ExprNode node = (*this)[base];
  if (node.op == Op::Constant) return constant(evaluate_powi(constant_value(base), n));
  if (node.is_boolean && n > 0) return base;
  if (node.op == Op::PowI) {
    const std::int64_t product = std::int64_t{exponent(base)} * n;
    if (std::abs(product) <= std::numeric_limits<int>::max()) {
      return powi(ExprId(node.a), static_cast<int>(product));
    }
  }
  if (n % 2 == 0) {
    if (node.op == Op::Sqrt) return powi(ExprId(node.a), n / 2);
    if (node.op == Op::Abs) return powi(ExprId(node.a), n);
  }
  if (node.op == Op::Mul) {
    // A positive power distributes over the factors. From a negative power only the constant is
    // taken out, because one reciprocal is cheaper than many.
    std::vector<ExprId> factors = operands(base);
    if (n > 0) {
      for (ExprId& factor : factors) factor = powi(factor, n);
      return simplify_mul(factors);
    }
    if (is_constant(factors.front())) {
      const auto [rest, coefficient] = split_coefficient(base);
      return mul(constant(evaluate_powi(coefficient, n)), powi(rest, n));
    }
  }
  return make({.op = Op::PowI,
               .is_boolean = false,
               .channel = 0,
               .a = base.value(),
               .b = static_cast<std::uint32_t>(n),
               .c = 0});
}

ExprId ExprGraph::simplify_unary(Op op, ExprId a) {
  const ExprNode node = (*this)[a];
  if (op == Op::Freeze || op == Op::Identity) {
    if (node.op == Op::Constant) return a;
    if (op == Op::Freeze && node.op == Op::Freeze) return a;
    return make(
        {.op = op, .is_boolean = node.is_boolean, .channel = 0, .a = a.value(), .b = 0, .c = 0});
  }
  if (node.op == Op::Constant) {
    const double value = evaluate(op, constant_value(a));
    if (!std::isnan(value)) return constant(value);
  }
  if (op == Op::Not && node.op == Op::Not && is_boolean(ExprId(node.a))) return ExprId(node.a);
  if (op == Op::Abs && (node.op == Op::Abs || node.op == Op::Sqrt || node.is_boolean)) return a;
  if (op == Op::Sqrt && node.op == Op::PowI && exponent(a) == 2)
    return unary(Op::Abs, ExprId(node.a));
  if (op == Op::Sqrt && node.is_boolean) return a;
  return make(
      {.op = op, .is_boolean = info(op).is_boolean, .channel = 0, .a = a.value(), .b = 0, .c = 0});
}

ExprId ExprGraph::simplify_binary(Op op, ExprId a, ExprId b) {
  if (is_constant(a) && is_constant(b)) {
    const double value = evaluate(op, constant_value(a), constant_value(b));
    if (!std::isnan(value)) return constant(value);
  }
  if (op == Op::Pow && is_constant(b)) {
    const double exponent_value = constant_value(b);
    if (exponent_value == std::floor(exponent_value) && std::abs(exponent_value) <= 64) {
      return powi(a, static_cast<int>(exponent_value));
    }
    if (exponent_value == 0.5) return unary(Op::Sqrt, a);
    if (exponent_value == -0.5) return powi(unary(Op::Sqrt, a), -1);
  }
  if (op == Op::Or) {
    if (a == b) return is_boolean(a) ? a : logical_not(logical_not(a));
    for (const auto& [x, other] : {std::pair(a, b), std::pair(b, a)}) {
      if (is_constant(x))
        return constant_value(x) != 0 ? boolean(true) : logical_not(logical_not(other));
    }
  }
  if (op == Op::Less && a == b) return boolean(false);
  std::array ordered = {a, b};
  if ((op == Op::Or || op == Op::Eq) && hash(b) < hash(a)) std::swap(ordered[0], ordered[1]);
  return make({.op = op,
               .is_boolean = info(op).is_boolean,
               .channel = 0,
               .a = ordered[0].value(),
               .b = ordered[1].value(),
               .c = 0});
}

}  // namespace thallo
