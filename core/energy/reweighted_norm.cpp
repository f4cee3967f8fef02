#include "core/energy/reweighted_norm.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/ir/sign.h"

namespace thallo {
namespace {

// Below this fraction of e, f(s) is as exactly s^2 e^(p - 2) / 2 as its difference of powers tells.
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

// s + e, with a constant e > 0.
struct Shifted {
  ExprId norm, shift, sum;
};

std::optional<Shifted> shifted_norm(ExprGraph& g, ExprId sum) {
  if (g[sum].op != Op::Add) return {};
  std::vector<ExprId> terms = g.operands(sum);
  const auto constants =
      std::ranges::partition(terms, [&](ExprId term) { return !g.is_constant(term); });
  if (constants.size() != 1 || g.constant_value(constants.front()) <= 0) return {};
  const ExprId shift = constants.front();
  terms.pop_back();
  const ExprId norm = g.add(terms);
  return is_nonnegative(g, norm) ? std::optional(Shifted{norm, shift, sum}) : std::nullopt;
}

// f(s) where p is neither 1 nor 0, 1, and 0.
ExprId integral(ExprGraph& g, const Shifted& s, ExprId p) {
  const auto difference = [&](ExprId exponent) {
    const ExprId powers = g.sub(g.pow(s.sum, exponent), g.pow(s.shift, exponent));
    return g.div(powers, exponent);
  };
  return g.sub(difference(p), g.mul(s.shift, difference(g.sub(p, g.constant(1)))));
}
ExprId logarithm(ExprGraph& g, const Shifted& s) { return g.unary(Op::Log, g.div(s.sum, s.shift)); }
ExprId integral_of_1(ExprGraph& g, const Shifted& s) {
  return g.sub(s.norm, g.mul(s.shift, logarithm(g, s)));
}
ExprId integral_of_0(ExprGraph& g, const Shifted& s) {
  return g.sub(logarithm(g, s), g.div(s.norm, s.sum));
}

ExprId minimized(ExprGraph& g, const Shifted& s, ExprId p) {
  if (g.is_constant(p, 1)) return integral_of_1(g, s);
  if (g.is_constant(p, 0)) return integral_of_0(g, s);
  if (g.is_constant(p)) return integral(g, s, p);
  const auto is = [&](double value) { return g.binary(Op::Eq, p, g.constant(value)); };
  const ExprId other = g.select(is(0), integral_of_0(g, s), integral(g, s, p));
  return g.select(is(1), integral_of_1(g, s), other);
}

}  // namespace

std::optional<ExprId> ReweightedNorms::cost_factor(ExprId residual) {
  std::vector<ExprId> factors = operands_of(g_, inlined_(residual), Op::Mul);
  const auto weights =
      std::ranges::partition(factors, [&](ExprId factor) { return !is_frozen(factor); });
  if (weights.size() != 1) return {};
  const Power weight = power_of(g_, thawed(weights.front()));
  factors.pop_back();
  const auto s = shifted_norm(g_, weight.base);
  if (!s || reads_unknown(weight.exponent)) return {};
  if (!is_norm_of(s->norm, moving_factors(factors, 2))) return {};
  const ExprId exponent = g_.mul(g_.constant(2), weight.exponent);
  const ExprId f = minimized(g_, *s, g_.add(exponent, g_.constant(2)));
  const ExprId square = g_.mul(g_.pow(s->sum, exponent), g_.powi(s->norm, 2));
  const ExprId is_large = g_.binary(Op::Less, g_.mul(g_.constant(Small), s->shift), s->norm);
  return g_.select(is_large, g_.div(g_.mul(g_.constant(2), f), square), g_.constant(1));
}

// True if the norm is the root of a sum that has `squared` as a term, but for factors that read no
// unknown.
bool ReweightedNorms::is_norm_of(ExprId norm, ExprId squared) {
  const bool is_root = g_[norm].op == Op::Sqrt || g_[norm].op == Op::Abs;
  const ExprId inside = is_root ? g_.operands(norm).front() : norm;
  const ExprId square = g_[norm].op == Op::Sqrt ? inside : g_.powi(inside, 2);
  return std::ranges::any_of(operands_of(g_, square, Op::Add), [&](ExprId term) {
    return moving_factors(operands_of(g_, term, Op::Mul), 1) == squared;
  });
}

ExprId ReweightedNorms::moving_factors(const std::vector<ExprId>& factors, int exponent) {
  std::vector<ExprId> moving;
  for (const ExprId factor : factors)
    if (reads_unknown(factor)) moving.push_back(g_.powi(factor, exponent));
  return g_.mul(moving);
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
