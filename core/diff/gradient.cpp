#include "core/diff/gradient.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>

#include "core/base/error.h"
#include "core/energy/access.h"
#include "core/ir/missing_nodes.h"

namespace thallo {
namespace {

using Place = std::tuple<FieldId, IndexId, std::vector<DomainId>, int>;

// Renames the loops of a partial that are among the domains `around` it. Equal partials stay equal,
// since IndexTable::rename gives the same other names on every call.
void rename_loops(ExprGraph& graph, Partial& partial, std::vector<DomainId> around) {
  std::vector<DomainId> taken = merge_domains(around, graph.free_domains(partial.value));
  taken = merge_domains(taken, graph.indices().domains_of(partial.index));
  taken = merge_domains(taken, partial.loops);
  DomainSubstitution renamed;
  for (DomainId& loop : partial.loops) {
    if (!std::ranges::binary_search(around, loop)) continue;
    const DomainId other = graph.indices().rename(loop, taken);
    renamed[loop] = graph.indices().component(other);
    taken.push_back(other);
    loop = other;
  }
  if (renamed.empty()) return;
  partial.value = graph.substitute(partial.value, renamed);
  partial.index = graph.indices().substitute(partial.index, renamed);
}

// The product of all factors but number `i`: the derivative of the product by factor i.
ExprId product_without(ExprGraph& g, std::vector<ExprId> factors, std::size_t i) {
  factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(i));
  return g.mul(factors);
}

// A product of many factors is derived as that of its halves, these as that of theirs and so on:
// n log n factors in all, where the derivative by each of n factors has n - 1. Masks stay in the
// product itself, since one that is false makes all of it 0. Nothing for few factors.
std::optional<ExprId> halved_product(ExprGraph& g, std::span<const ExprId> factors) {
  constexpr std::size_t MostFactors = 32;
  std::vector<ExprId> numbers;
  std::vector<ExprId> result;
  for (const ExprId factor : factors) (g.is_boolean(factor) ? result : numbers).push_back(factor);
  if (numbers.size() <= MostFactors) return {};
  const std::size_t middle = numbers.size() / 2;
  const auto product = [&](std::span<const ExprId> half) {
    return g.unary(Op::Identity, g.mul(half));
  };
  result.push_back(product(std::span(numbers).first(middle)));
  result.push_back(product(std::span(numbers).subspan(middle)));
  return g.mul(result);
}

// The derivative of a sample by its operand 0 (x) or 1 (y): a sample of the declared derivative
// image at the same place.
ExprId derivative_of_sample(ExprGraph& g, ExprId sample, std::size_t operand) {
  const Sampler sampler = g.sampler(sample);
  const FieldId image = operand == 0 ? sampler.dx : sampler.dy;
  THALLO_ASSERT(image.valid(),
                "sample without declared derivative at a position that depends on unknowns");
  const std::vector<ExprId> x = g.operands(sample);
  return g.sample({image, {}, {}}, x[0], x[1], g.channel(sample));
}

// f'(a), where f is an elementary function of one operand. `e` is the node f(a), in terms of which
// some derivatives are written.
ExprId derivative_of_function(ExprGraph& g, ExprId e, ExprId a) {
  const auto square = [&](ExprId b) { return g.powi(b, 2); };
  const auto reciprocal = [&](ExprId b) { return g.powi(b, -1); };
  const auto root = [&](ExprId b) { return g.unary(Op::Sqrt, b); };
  const auto one_minus = [&](ExprId b) { return g.sub(g.constant(1), b); };
  switch (g[e].op) {
    case Op::PowI: {
      const int n = g.exponent(e);
      return g.mul(g.constant(n), g.powi(a, n - 1));
    }
    case Op::Sqrt: return g.mul(g.constant(0.5), reciprocal(e));
    case Op::Sin: return g.unary(Op::Cos, a);
    case Op::Cos: return g.neg(g.unary(Op::Sin, a));
    case Op::Tan: return g.add(g.constant(1), square(e));
    case Op::Asin: return reciprocal(root(one_minus(square(a))));
    case Op::Acos: return g.neg(reciprocal(root(one_minus(square(a)))));
    case Op::Atan: return reciprocal(g.add(g.constant(1), square(a)));
    case Op::Sinh: return g.unary(Op::Cosh, a);
    case Op::Cosh: return g.unary(Op::Sinh, a);
    case Op::Tanh: return one_minus(square(e));
    case Op::Asinh: return reciprocal(root(g.add(square(a), g.constant(1))));
    case Op::Acosh: return reciprocal(root(g.sub(square(a), g.constant(1))));
    case Op::Atanh: return reciprocal(one_minus(square(a)));
    case Op::Exp: return e;
    case Op::Log: return reciprocal(a);
    case Op::Log10: return g.mul(g.constant(0.43429448190325182765), reciprocal(a));
    case Op::Abs:
      return g.select(g.binary(Op::LessEq, g.constant(0), a), g.constant(1), g.constant(-1));
    case Op::Identity: return g.constant(1);
    default: THALLO_UNREACHABLE();
  }
}

}  // namespace

Partial with_loops_named(ExprGraph& graph, Partial partial, std::vector<DomainId> around) {
  IndexTable& indices = graph.indices();
  DomainSubstitution renamed;
  for (DomainId& loop : partial.loops) {
    const DomainId name = indices.rename(indices.original(loop), around);
    if (name != loop) renamed[loop] = indices.component(name);
    around.push_back(name);
    loop = name;
  }
  if (!renamed.empty()) {
    partial.value = graph.substitute(partial.value, renamed);
    partial.index = indices.substitute(partial.index, renamed);
  }
  std::ranges::sort(partial.loops);
  return partial;
}

// Collects partials by place; partials of equal accesses are added into one.
class Differentiator::Collector {
 public:
  explicit Collector(ExprGraph& graph) : graph_(graph) {}

  void add(const Gradient& inner, ExprId factor) {
    for (const Partial& partial : inner) add(partial, factor);
  }

  void add(Partial partial, ExprId factor) {
    avoid_capture(partial, factor);
    terms_[Place{partial.unknown, partial.index, partial.loops, partial.channel}].push_back(
        graph_.mul(factor, partial.value));
  }

  Gradient take() {
    Gradient result;
    for (const auto& [place, terms] : terms_) {
      const ExprId value = terms.size() == 1 ? terms.front() : graph_.add(terms);
      if (graph_.is_constant(value, 0)) continue;
      const auto& [unknown, index, loops, channel] = place;
      result.push_back({unknown, index, channel, loops, value});
    }
    std::ranges::sort(result, [this](const Partial& a, const Partial& b) {
      const auto key = [this](const Partial& p) {
        return std::tuple(p.unknown, p.loops, graph_.indices().hash(p.index), p.channel);
      };
      return key(a) < key(b);
    });
    return result;
  }

 private:
  // The loops of a partial are bound in it: a factor that mentions the same domain free means
  // another variable, so the partial's loop gets another name.
  void avoid_capture(Partial& partial, ExprId factor) {
    rename_loops(graph_, partial, graph_.free_domains(factor));
  }

  ExprGraph& graph_;
  std::map<Place, std::vector<ExprId>> terms_;
};

Differentiator::Differentiator(ExprGraph& graph, const Energy& energy)
    : graph_(graph), energy_(energy) {}

void Differentiator::define(FieldId field, std::vector<DomainId> domains,
                            std::vector<Gradient> channels) {
  definitions_[field] = {std::move(domains), std::move(channels)};
}

const Gradient& Differentiator::gradient(ExprId expression) {
  // Operands first: no deep recursion.
  for (const ExprId id : missing_nodes(graph_, expression, memo_)) {
    if (!memo_.contains(id)) memo_.emplace(id, compute(id));
  }
  return memo_.at(expression);
}

ExprId Differentiator::slope(const Loss& loss) {
  return loss.slope.valid() ? loss.slope : derivative(loss.rho);
}

ExprId Differentiator::derivative(ExprId function) {
  const std::vector<ExprId> x = graph_.operands(function);
  if (graph_[function].op == Op::Select)
    return graph_.select(x[0], derivative(x[1]), derivative(x[2]));
  const auto is_divisor = [&](ExprId factor) {
    return graph_[factor].op == Op::PowI && graph_.exponent(factor) < 0;
  };
  const auto divisor = std::ranges::find_if(x, is_divisor);
  if (graph_[function].op == Op::Mul && divisor != x.end()) {
    const ExprId u = product_without(graph_, x, static_cast<std::size_t>(divisor - x.begin()));
    const ExprId v = graph_.operands(*divisor).front();
    const int n = graph_.exponent(*divisor);
    const ExprId terms[] = {graph_.constant(n), u, derivative(v)};
    return graph_.mul(graph_.add(graph_.mul(derivative(u), v), graph_.mul(terms)),
                      graph_.powi(v, n - 1));
  }
  const Gradient& by_argument = gradient(function);
  return by_argument.empty() ? graph_.constant(0) : by_argument.front().value;
}

Gradient Differentiator::compute(ExprId e) {
  ExprGraph& g = graph_;
  const ExprGraph::LineScope scope(g, e);
  Collector result(g);
  const std::vector<ExprId> x = g.operands(e);
  // The chain rule at one operand; `derivative` is made only if that operand depends on unknowns.
  const auto chain = [&](std::size_t operand, const auto& derivative) {
    const Gradient inner = memo_.at(x[operand]);
    if (!inner.empty()) result.add(inner, derivative());
  };

  switch (g[e].op) {
    case Op::Constant:
    case Op::InBounds:
    case Op::IndexValue:
    case Op::Less:
    case Op::LessEq:
    case Op::Eq:
    case Op::Not:
    case Op::Or:
    case Op::SampleLayer:
    case Op::Freeze: return {};

    case Op::Argument:
      if (g.channel(e) != 0) return {};
      return {{FieldId(), g.indices().intern(MultiIndex()), 0, {}, g.constant(1)}};
    case Op::Access: return through_access(e);
    case Op::Sum: return through_sum(e);
    case Op::Sample:
      chain(0, [&] { return derivative_of_sample(g, e, 0); });
      chain(1, [&] { return derivative_of_sample(g, e, 1); });
      break;
    case Op::Add:
      for (const ExprId term : x) result.add(Gradient(memo_.at(term)), g.constant(1));
      break;
    case Op::Mul:
      if (const auto halves = halved_product(g, x)) return gradient(*halves);
      for (std::size_t i = 0; i < x.size(); ++i) chain(i, [&] { return product_without(g, x, i); });
      break;
    case Op::Pow: {
      // At x = 0 the limits of 0 x^-1 and of x^m log x, for m > 0, are 0.
      const ExprId zero = g.constant(0);
      const auto is_zero = [&](ExprId a) { return g.binary(Op::Eq, a, zero); };
      chain(0, [&] {
        const ExprId slope = g.mul(x[1], g.pow(x[0], g.sub(x[1], g.constant(1))));
        return g.select(is_zero(x[1]), zero, slope);
      });
      chain(1, [&] {
        const ExprId has_limit = g.mul(is_zero(x[0]), g.binary(Op::Less, zero, x[1]));
        return g.select(has_limit, zero, g.mul(e, g.unary(Op::Log, x[0])));
      });
      break;
    }
    case Op::Atan2: {
      const ExprId norm = g.add(g.powi(x[0], 2), g.powi(x[1], 2));
      chain(0, [&] { return g.div(x[1], norm); });
      chain(1, [&] { return g.neg(g.div(x[0], norm)); });
      break;
    }
    case Op::Select: {
      const ExprId condition = g.is_boolean(x[0]) ? x[0] : g.logical_not(g.logical_not(x[0]));
      chain(1, [&] { return condition; });
      chain(2, [&] { return g.logical_not(condition); });
      break;
    }

    case Op::PowI:
    case Op::Sqrt:
    case Op::Sin:
    case Op::Cos:
    case Op::Tan:
    case Op::Asin:
    case Op::Acos:
    case Op::Atan:
    case Op::Sinh:
    case Op::Cosh:
    case Op::Tanh:
    case Op::Asinh:
    case Op::Acosh:
    case Op::Atanh:
    case Op::Exp:
    case Op::Log:
    case Op::Log10:
    case Op::Abs:
    case Op::Identity: chain(0, [&] { return derivative_of_function(g, e, x[0]); }); break;
  }
  return result.take();
}

Gradient Differentiator::through_access(ExprId read) {
  const ExprGraph& g = graph_;
  const FieldId field = g.field(read);
  if (const auto known = definitions_.find(field); known != definitions_.end()) {
    const auto channel = static_cast<std::size_t>(g.channel(read));
    return at_read(read, known->second.domains, known->second.channels[channel]);
  }
  const FieldKind kind = energy_.field(field).kind;
  if (energy_.field(field).manifold != Manifold::Euclidean) return through_manifold(read);
  if (kind == FieldKind::Unknown)
    return {{field, g.index(read), g.channel(read), {}, graph_.constant(1)}};
  if (kind == FieldKind::Intermediate) return through_intermediate(read);
  return {};
}

Gradient Differentiator::through_sum(ExprId sum) {
  const std::vector<DomainId> bound = graph_.sum_domains(sum);
  Collector result(graph_);
  for (Partial partial : memo_.at(graph_.operands(sum)[0])) {
    rename_loops(graph_, partial, bound);
    partial.loops.insert(partial.loops.begin(), bound.begin(), bound.end());
    result.add(std::move(partial), graph_.constant(1));
  }
  return result.take();
}

Gradient Differentiator::through_manifold(ExprId read) {
  const FieldId unknown = graph_.field(read);
  const IndexId index = graph_.index(read);
  const Field& field = energy_.field(unknown);
  std::vector<ExprId> x;
  for (int c = 0; c < field.channels; ++c) x.push_back(graph_.access(unknown, index, c));
  const std::vector<ExprId> row =
      tangent_basis_row(graph_, field.manifold, x, graph_.channel(read));
  Gradient result;
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (!graph_.is_constant(row[k], 0)) {
      result.push_back({unknown, index, static_cast<int>(k), {}, row[k]});
    }
  }
  return result;
}

Gradient Differentiator::through_intermediate(ExprId read) {
  const Intermediate* intermediate = energy_.find_intermediate(graph_.field(read));
  THALLO_ASSERT(intermediate != nullptr);
  return at_read(
      read, intermediate->domains,
      Gradient(gradient(intermediate->values[static_cast<std::size_t>(graph_.channel(read))])));
}

// The gradient of the access `read`, where `own`, over `domains`, is the gradient of the field that
// is read.
Gradient Differentiator::at_read(ExprId read, const std::vector<DomainId>& domains,
                                 const Gradient& own) {
  const IndexId index = graph_.index(read);
  DomainSubstitution point;
  std::vector<DimId> dims;
  for (std::size_t i = 0; i < domains.size(); ++i) {
    point[domains[i]] = MultiIndex(graph_.indices()[index])[i];
    dims.push_back(graph_.indices().domain(domains[i]).dim);
  }
  const Intermediate* intermediate = energy_.find_intermediate(graph_.field(read));
  const bool has_border = intermediate == nullptr || !intermediate->is_found;
  const ExprId within =
      has_border ? inside(graph_, energy_.maps(), dims, index) : graph_.boolean(true);
  Collector result(graph_);
  for (Partial partial : own) {
    // The loops of `own` are bound there: where the read's index mentions the same domain, it means
    // another variable.
    rename_loops(graph_, partial, graph_.indices().domains_of(index));
    partial.value = graph_.substitute(partial.value, point);
    partial.index = graph_.indices().substitute(partial.index, point);
    result.add(std::move(partial), within);
  }
  return result.take();
}

}  // namespace thallo
