#include "core/energy/random/expressions.h"

#include <vector>

namespace thallo::random_energy {
namespace {

// Bounded functions of anything.
Expr random_function(RandomInputs& in, const Expr& a) {
  switch (in.draws.between(0, 11)) {
    case 0: return sqrt(1 + a * a);
    case 1: return sin(a);
    case 2: return exp(0.5 * sin(a));
    case 3: return log(2 + a * a);
    case 4: return 1 / (2 + cos(a));
    case 5: return pow(1.5 + sin(a), 1.7);
    case 6: return atan2(a, 2 + cos(a));
    case 7: return tanh(a);
    case 8: return asin(0.5 * sin(a));
    case 9: return atan(a);
    case 10: return freeze(1 / (1 + a * a)) * a;
    default: return tan(0.5 * sin(a)) + acos(0.5 * cos(a)) * 0.25;
  }
}

// Nothing counts where the sample is -infinity.
Expr random_sample_of_layer(RandomInputs& in) {
  const Expr x = 0.5 * in.any_channel(in.images[0](in.draws.between(0, 1), 0)) + 0.6;
  const Expr y = in.any_channel(in.points[0](0)) * 0.5 + 0.2;
  const int layer = in.draws.between(0, 1);
  const Expr value = in.any_channel(in.e.sample_layer(in.layers->id(), x, y, layer));
  return select(value > -1e9, value, 0.5);
}

Expr random_sample(RandomInputs& in) {
  if (in.draws.chance(0.3)) return random_sample_of_layer(in);
  const int row = in.draws.between(0, 1);
  const int column = in.draws.between(0, 1);
  const Expr x = 0.5 * in.any_channel(in.images[0](column, row)) + 1.1;
  const Expr y = in.draws.chance(0.5) ? Expr(0.3) : in.any_channel(in.points[0](0)) * 0.5 + 0.6;
  return in.any_channel(
      in.e.sample(in.image_data->id(), in.image_dx->id(), in.image_dy->id(), x, y));
}

// A Sum of a stencil, where the scope has one.
Expr random_stencil_sum(RandomInputs& in, const Scope& scope, int depth) {
  if (!scope.shifted || !in.kernel) return random_expression(in, scope, depth);
  const IndexExpr k = in.index(in.k);
  const Expr inner = random_expression(in, scope, depth);
  const Expr shifted = scope.shifted(k);
  const Expr weight = in.any_channel(in.is_problem() ? (*in.kernel)(k) : (*in.kernel)(k, 0));
  return in.e.sum(std::vector{in.k}, weight * shifted * inner);
}

Expr random_sum(RandomInputs& in, Scope scope, int depth) {
  if (in.is_local()) return random_stencil_sum(in, scope, depth);
  const IndexExpr k = in.index(in.k);
  scope.unknowns.push_back([=, &in] { return in.any_channel((*in.weights)(k)); });
  scope.unknowns.push_back([=, &in] { return in.any_channel((*in.weights)(k + 1)); });
  scope.unknowns.push_back(
      [=, &in] { return in.any_channel(in.points[0](in.draws.chance(0.5) ? k + 1 : k - 1)); });
  for (const FieldHandle& field : in.kernel_values)
    scope.unknowns.push_back([=, &in] { return in.any_channel(field(k)); });
  scope.constants.push_back([=, &in] { return Expr((*in.kernel)(k, in.draws.between(0, 1))); });
  scope.conditions.push_back([=, &in] { return (*in.kernel)(k, 0) < in.threshold(); });
  const Expr inner = random_expression(in, scope, depth);
  return in.e.sum(std::vector{in.k}, in.any_channel((*in.weights)(k)) * inner);
}

}  // namespace

Expr random_leaf(RandomInputs& in, const Scope& scope) {
  return in.draws.chance(0.7) ? in.draws.pick(scope.unknowns)() : in.draws.pick(scope.constants)();
}

Expr random_condition(RandomInputs& in, const Scope& scope) {
  const Expr one = in.draws.pick(scope.conditions)();
  switch (in.draws.between(0, 4)) {
    case 0: return one && in.draws.pick(scope.conditions)();
    case 1: return one || in.draws.pick(scope.conditions)();
    case 2: return !one;
    default: return one;
  }
}

Expr random_expression(RandomInputs& in, const Scope& scope, int depth) {
  if (depth <= 0) return random_leaf(in, scope);
  const auto inner = [&] { return random_expression(in, scope, depth - 1); };
  switch (in.draws.between(0, 13)) {
    case 0:
    case 1:
    case 2: {
      const Expr b = inner(), a = inner();
      return a + b;
    }
    case 3:
    case 4: {
      const Expr b = inner(), a = inner();
      return a - b;
    }
    case 5:
    case 6: {
      const Expr b = random_leaf(in, scope), a = inner();
      return 0.5 * a * b;
    }
    case 7: {
      const Expr b = inner(), a = inner();
      return select(random_condition(in, scope), a, b);
    }
    case 8: {
      const Expr a = inner();
      return random_condition(in, scope) * a;
    }
    case 9: {
      const double limit = in.threshold();
      return abs(in.draws.pick(scope.raw)() - limit);
    }
    case 10: return in.draws.chance(0.5) ? random_sum(in, scope, depth - 1) : inner();
    case 11: {
      if (in.is_problem() || !in.draws.chance(0.3)) return inner();
      return in.is_local() ? in.any_channel((*in.image_data)(0, 0)) : random_sample(in);
    }
    default: return random_function(in, inner());
  }
}

}  // namespace thallo::random_energy
