#include "core/energy/reweighted_norm.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "core/ir/sign.h"

namespace thallo {
namespace {

// Below this fraction of e, f is as exactly s^2 e^q / 2 as its difference of powers tells.
constexpr double Small = 1e-3;

std::vector<ExprId> operands_of(const ExprGraph& g, ExprId id, Op op) {
  return g[id].op == op ? g.operands(id) : std::vector{id};
}

struct Power {
  ExprId base, exponent;
};

Power power_of(ExprGraph& g, ExprId id) {
  Power power{id, g.constant(1)};
  for (;;) {
    const std::vector<ExprId> operands = g.operands(power.base);
    switch (g[power.base].op) {
      case Op::Abs: break;  // of what is positive
      case Op::Sqrt: power.exponent = g.mul(power.exponent, g.constant(0.5)); break;
      case Op::PowI:
        power.exponent = g.mul(power.exponent, g.constant(g.exponent(power.base)));
        break;
      case Op::Pow: power.exponent = g.mul(power.exponent, operands[1]); break;
      default: return power;
    }
    power.base = operands[0];
  }
}

// size + e, with a constant e > 0.
struct Shifted {
  ExprId size, shift, sum;
};

std::optional<Shifted> shifted(ExprGraph& g, ExprId sum) {
  if (g[sum].op != Op::Add) return {};
  std::vector<ExprId> terms = g.operands(sum);
  const auto constants =
      std::ranges::partition(terms, [&](ExprId term) { return !g.is_constant(term); });
  if (constants.size() != 1 || g.constant_value(constants.front()) <= 0) return {};
  const ExprId shift = constants.front();
  terms.pop_back();
  const ExprId size = g.add(terms);
  return is_nonnegative(g, size) ? std::optional(Shifted{size, shift, sum}) : std::nullopt;
}

// (sum^n - shift^n) / n, or its limit at n = 0.
ExprId power_difference(ExprGraph& g, const Shifted& s, ExprId n) {
  const ExprId logarithm = g.unary(Op::Log, g.div(s.sum, s.shift));
  if (g.is_constant(n, 0)) return logarithm;
  const ExprId powers = g.div(g.sub(g.pow(s.sum, n), g.pow(s.shift, n)), n);
  if (g.is_constant(n)) return powers;
  return g.select(g.binary(Op::Eq, n, g.constant(0)), logarithm, powers);
}

// 2 f / (w s)^2, where the size is s: t (t + e)^q = (t + e)^(q + 1) - e (t + e)^q.
ExprId factor_of_norm(ExprGraph& g, const Shifted& s, ExprId q) {
  const ExprId n = g.add(q, g.constant(1));
  const ExprId f = g.sub(power_difference(g, s, g.add(q, g.constant(2))),
                         g.mul(s.shift, power_difference(g, s, n)));
  return g.div(g.mul(g.constant(2), f), g.mul(g.pow(s.sum, q), g.powi(s.size, 2)));
}

// The same where the size is s^2.
ExprId factor_of_square(ExprGraph& g, const Shifted& s, ExprId q) {
  return g.div(power_difference(g, s, g.add(q, g.constant(1))), g.mul(g.pow(s.sum, q), s.size));
}

}  // namespace

std::vector<std::optional<ExprId>> ReweightedNorms::cost_factors(const ResidualGroup& group) {
  std::vector<std::optional<Weighted>> found;
  for (const ExprId residual : group.residuals) found.push_back(find_weight(residual));
  std::vector<std::optional<ExprId>> factors;
  for (const std::optional<Weighted>& one : found)
    factors.push_back(one && is_complete(*one, found) ? std::optional(one->factor) : std::nullopt);
  return factors;
}

// Do residuals with the same weight and ratio have each term of its norm once?
bool ReweightedNorms::is_complete(const Weighted& one,
                                  const std::vector<std::optional<Weighted>>& all) const {
  if (one.terms.size() == 1) return true;
  std::vector<std::size_t> terms;
  for (const std::optional<Weighted>& other : all)
    if (other && other->weight == one.weight && other->ratio == one.ratio)
      terms.push_back(other->term);
  std::ranges::sort(terms);
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (terms[i] != i) return false;
  return terms.size() == one.terms.size();
}

std::optional<ReweightedNorms::Weighted> ReweightedNorms::find_weight(ExprId residual) {
  std::vector<ExprId> factors = operands_of(g_, inlined_(residual), Op::Mul);
  const auto weights =
      std::ranges::partition(factors, [&](ExprId factor) { return !is_frozen(factor); });
  if (weights.size() != 1) return {};
  const ExprId frozen = thawed(weights.front());
  const Split weight = split(frozen);
  factors.back() = weight.fixed;
  const Power power = power_of(g_, weight.moving);
  const auto s = shifted(g_, power.base);
  if (!s || reads_unknown(power.exponent)) return {};
  const ExprId q = g_.mul(g_.constant(2), power.exponent);
  if (g_.is_constant(q) && g_.constant_value(q) < -2) return {};  // f has no lower bound
  const Split own = split(g_.powi(g_.mul(factors), 2));
  // Looks for what r is without weight among the terms of a square.
  const auto match = [&](const std::vector<ExprId>& terms,
                         ExprId factor) -> std::optional<Weighted> {
    Weighted result{.weight = frozen, .term = terms.size()};
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const Split term = split(terms[i]);
      result.terms.push_back(term.moving);
      if (term.moving != own.moving) continue;
      result.term = i;
      result.ratio = g_.div(own.fixed, term.fixed);
    }
    if (result.term == terms.size()) return {};
    const ExprId is_large = g_.binary(Op::Less, g_.mul(g_.constant(Small), s->shift), s->size);
    result.factor = g_.select(is_large, factor, g_.constant(1));
    return result;
  };
  const ExprId of_norm = factor_of_norm(g_, *s, q), of_square = factor_of_square(g_, *s, q);
  const bool is_root = g_[s->size].op == Op::Sqrt;
  const ExprId square = is_root ? g_.operands(s->size).front() : g_.powi(s->size, 2);
  for (const auto& [terms, factor] : {std::pair(operands_of(g_, square, Op::Add), of_norm),
                                      {std::vector{square}, of_norm},
                                      {operands_of(g_, s->size, Op::Add), of_square},
                                      {std::vector{s->size}, of_square}}) {
    if (const auto found = match(terms, factor)) return found;
  }
  return {};
}

bool ReweightedNorms::has_frozen_parts(ExprId residual) {
  const std::vector<ExprId> parts = g_.reachable(std::vector{inlined_(residual)});
  std::set<ExprId> held;
  for (const ExprId id : parts) {
    if (g_[id].op != Op::Select) continue;
    const std::vector<ExprId> operands = g_.operands(id);
    if (g_[operands[1]].op == Op::Freeze && g_.operands(operands[1]).front() == operands[2])
      held.insert(operands[1]);
  }
  return std::ranges::any_of(parts, [&](ExprId id) {
    return g_[id].op == Op::Freeze && !held.contains(id) && reads_unknown(id);
  });
}

ReweightedNorms::Split ReweightedNorms::split(ExprId product) {
  std::vector<ExprId> moving, fixed;
  for (const ExprId factor : operands_of(g_, product, Op::Mul))
    (reads_unknown(factor) ? moving : fixed).push_back(factor);
  return {g_.mul(moving), g_.mul(fixed)};
}

bool ReweightedNorms::reads_unknown(ExprId expression) {
  return std::ranges::any_of(g_.reachable(std::vector{expression}), [&](ExprId id) {
    return g_[id].op == Op::Access && energy_.field(g_.field(id)).kind == FieldKind::Unknown;
  });
}

bool ReweightedNorms::is_frozen(ExprId expression) {
  std::map<ExprId, ExprId> parts;
  for (const ExprId id : g_.reachable(std::vector{expression}))
    if (g_[id].op == Op::Freeze) parts.emplace(id, g_.constant(1));
  return !parts.empty() && reads_unknown(expression) &&
         !reads_unknown(g_.replace(expression, parts));
}

ExprId ReweightedNorms::thawed(ExprId expression) {
  std::map<ExprId, ExprId> parts;
  for (const ExprId id : g_.reachable(std::vector{expression}))
    if (g_[id].op == Op::Freeze) parts.emplace(id, g_.operands(id).front());
  return g_.replace(expression, parts);
}

}  // namespace thallo
