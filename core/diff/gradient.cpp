#include "core/diff/gradient.h"

#include <algorithm>
#include <tuple>

#include "core/base/error.h"
#include "core/energy/access.h"

namespace thallo {
namespace {

using Place = std::tuple<FieldId, IndexId, std::vector<DomainId>, int>;

// Renames the loops of a partial that have the name of a domain around it. Equal partials stay
// equal (IndexTable::rename).
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

// Collects partials by place, adding those of equal accesses.
class Differentiator::Collector {
 public:
  explicit Collector(ExprGraph& graph) : graph_(graph) {}

  void add(const Gradient& inner, ExprId factor) {
    for (const Partial& partial : inner) add(partial, factor);
  }

  void add(Partial partial, ExprId factor) {
    avoid_capture(partial, factor);
    const ExprId value = graph_.mul(factor, partial.value);
    const auto [it, inserted] = values_.try_emplace(
        Place{partial.unknown, partial.index, partial.loops, partial.channel}, value);
    if (!inserted) it->second = graph_.add(it->second, value);
  }

  Gradient take() {
    Gradient result;
    for (const auto& [place, value] : values_) {
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
  // The loops of a partial are bound in it. A factor that mentions one of them as a free domain
  // means another variable.
  void avoid_capture(Partial& partial, ExprId factor) {
    rename_loops(graph_, partial, graph_.free_domains(factor));
  }

  ExprGraph& graph_;
  std::map<Place, ExprId> values_;
};

Differentiator::Differentiator(ExprGraph& graph, const Energy& energy)
    : graph_(graph), energy_(energy) {}

void Differentiator::define(FieldId field, std::vector<DomainId> domains,
                            std::vector<Gradient> channels) {
  definitions_[field] = {std::move(domains), std::move(channels)};
}

const Gradient& Differentiator::gradient(ExprId expression) {
  for (const ExprId id :
       graph_.reachable(std::span(&expression, 1))) {  // operands first: no deep recursion
    if (!memo_.contains(id)) memo_.emplace(id, compute(id));
  }
  return memo_.at(expression);
}

Gradient Differentiator::compute(ExprId e) {
  ExprGraph& g = graph_;
  Collector result(g);
  const ExprNode node = g[e];
  const std::vector<ExprId> x = g.operands(e);
  const auto chain = [&](std::size_t operand, const auto& derivative) {
    const Gradient inner = memo_.at(x[operand]);
    if (!inner.empty()) result.add(inner, derivative());
  };
  const auto square = [&](ExprId a) { return g.powi(a, 2); };
  const auto reciprocal = [&](ExprId a) { return g.powi(a, -1); };
  const auto one_minus = [&](ExprId a) { return g.sub(g.constant(1), a); };

  switch (node.op) {
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

    case Op::Access: {
      if (const auto known = definitions_.find(g.field(e)); known != definitions_.end()) {
        const auto channel = static_cast<std::size_t>(g.channel(e));
        return at_read(e, known->second.domains, known->second.channels[channel]);
      }
      const FieldKind kind = energy_.field(g.field(e)).kind;
      if (energy_.field(g.field(e)).manifold != Manifold::Euclidean) return through_manifold(e);
      if (kind == FieldKind::Unknown)
        return {{g.field(e), g.index(e), g.channel(e), {}, g.constant(1)}};
      if (kind == FieldKind::Intermediate) return through_intermediate(e);
      return {};
    }
    case Op::Sample: {
      const Sampler sampler = g.sampler(e);
      for (const auto& [operand, image] :
           {std::pair(std::size_t{0}, sampler.dx), std::pair(std::size_t{1}, sampler.dy)}) {
        chain(operand, [&] {
          THALLO_ASSERT(
              image.valid(),
              "sample without declared derivative at a position that depends on unknowns");
          return g.sample({image, {}, {}}, x[0], x[1], node.channel);
        });
      }
      break;
    }
    case Op::Sum: {
      const std::vector<DomainId> bound = g.sum_domains(e);
      for (Partial partial : memo_.at(x[0])) {
        rename_loops(g, partial, bound);
        partial.loops.insert(partial.loops.begin(), bound.begin(), bound.end());
        result.add(std::move(partial), g.constant(1));
      }
      break;
    }
    case Op::Add:
      for (const ExprId term : x) result.add(Gradient(memo_.at(term)), g.constant(1));
      break;
    case Op::Mul:
      for (std::size_t i = 0; i < x.size(); ++i) {
        chain(i, [&] {
          std::vector<ExprId> others = x;
          others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
          return g.mul(others);
        });
      }
      break;
    case Op::PowI: {
      const int n = g.exponent(e);
      chain(0, [&] { return g.mul(g.constant(n), g.powi(x[0], n - 1)); });
      break;
    }
    case Op::Pow:
      chain(0, [&] { return g.mul(x[1], g.pow(x[0], g.sub(x[1], g.constant(1)))); });
      chain(1, [&] { return g.mul(e, g.unary(Op::Log, x[0])); });
      break;
    case Op::Sqrt: chain(0, [&] { return g.mul(g.constant(0.5), reciprocal(e)); }); break;
    case Op::Sin: chain(0, [&] { return g.unary(Op::Cos, x[0]); }); break;
    case Op::Cos: chain(0, [&] { return g.neg(g.unary(Op::Sin, x[0])); }); break;
    case Op::Tan: chain(0, [&] { return g.add(g.constant(1), square(e)); }); break;
    case Op::Asin:
      chain(0, [&] { return reciprocal(g.unary(Op::Sqrt, one_minus(square(x[0])))); });
      break;
    case Op::Acos:
      chain(0, [&] { return g.neg(reciprocal(g.unary(Op::Sqrt, one_minus(square(x[0]))))); });
      break;
    case Op::Atan: chain(0, [&] { return reciprocal(g.add(g.constant(1), square(x[0]))); }); break;
    case Op::Atan2: {
      const ExprId norm = g.add(square(x[0]), square(x[1]));
      chain(0, [&] { return g.div(x[1], norm); });
      chain(1, [&] { return g.neg(g.div(x[0], norm)); });
      break;
    }
    case Op::Sinh: chain(0, [&] { return g.unary(Op::Cosh, x[0]); }); break;
    case Op::Cosh: chain(0, [&] { return g.unary(Op::Sinh, x[0]); }); break;
    case Op::Tanh: chain(0, [&] { return one_minus(square(e)); }); break;
    case Op::Asinh:
      chain(0, [&] { return reciprocal(g.unary(Op::Sqrt, g.add(square(x[0]), g.constant(1)))); });
      break;
    case Op::Acosh:
      chain(0, [&] { return reciprocal(g.unary(Op::Sqrt, g.sub(square(x[0]), g.constant(1)))); });
      break;
    case Op::Atanh: chain(0, [&] { return reciprocal(one_minus(square(x[0]))); }); break;
    case Op::Exp: chain(0, [&] { return e; }); break;
    case Op::Log: chain(0, [&] { return reciprocal(x[0]); }); break;
    case Op::Log10:
      chain(0, [&] { return g.mul(g.constant(0.43429448190325182765), reciprocal(x[0])); });
      break;
    case Op::Abs:
      chain(0, [&] {
        return g.select(g.binary(Op::LessEq, g.constant(0), x[0]), g.constant(1), g.constant(-1));
      });
      break;
    case Op::Select: {
      const ExprId condition = g.is_boolean(x[0]) ? x[0] : g.logical_not(g.logical_not(x[0]));
      chain(1, [&] { return condition; });
      chain(2, [&] { return g.logical_not(condition); });
      break;
    }
    case Op::Identity: chain(0, [&] { return g.constant(1); }); break;
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

// `own` is the gradient of what is read, over `domains`.
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
    // A Sum inside what is read is bound there; where the read mentions the same domain it must be
    // another variable.
    rename_loops(graph_, partial, graph_.indices().domains_of(index));
    partial.value = graph_.substitute(partial.value, point);
    partial.index = graph_.indices().substitute(partial.index, point);
    result.add(std::move(partial), within);
  }
  return result.take();
}

}  // namespace thallo
