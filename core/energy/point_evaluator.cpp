#include "core/energy/point_evaluator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace thallo {

// Domains with their coordinates, and what is known there. The root frame is the residual's point;
// reading an intermediate or visiting a point of a Sum opens a frame of its own.
struct PointEvaluator::Frame {
  std::vector<std::pair<DomainId, std::int64_t>> coordinates;
  // What a domain of this frame is called in index expressions of the root: the component an
  // intermediate is read at, or another name for a Sum's domain whose own name is taken.
  DomainSubstitution names;
  std::vector<std::pair<DomainId, std::int64_t>> loops;
  std::vector<DomainId> taken;  // names that a Sum inside must not use
  std::unordered_map<ExprId, Dual> current, base;
  std::map<std::pair<FieldId, IndexId>, std::unique_ptr<Frame>> reads;

  std::int64_t coordinate(DomainId domain) const {
    const auto found =
        std::ranges::find(coordinates, domain, &decltype(coordinates)::value_type::first);
    THALLO_ASSERT(found != coordinates.end(), "a domain has no coordinate");
    return found->second;
  }
};

PointEvaluator::PointEvaluator(const ExprGraph& graph, const Energy& energy, const Binding& binding,
                               const UnknownLayout& layout)
    : graph_(graph),
      energy_(energy),
      binding_(binding),
      layout_(layout),
      indices_(graph.indices()) {}

PointEvaluator::~PointEvaluator() = default;

void PointEvaluator::move_to(std::span<const DomainId> domains,
                             std::span<const std::int64_t> coordinates) {
  accesses_.clear();
  variables_.clear();
  columns_read_.clear();
  root_ = std::make_unique<Frame>();
  for (std::size_t i = 0; i < domains.size(); ++i)
    root_->coordinates.emplace_back(domains[i], coordinates[i]);
  root_->taken.assign(domains.begin(), domains.end());
  has_switched_ = false;
}

void PointEvaluator::restart() {
  root_->current.clear();
  root_->base.clear();
  root_->reads.clear();
  has_switched_ = false;
}

const Dual& PointEvaluator::evaluate(ExprId expression) {
  return evaluate(*root_, expression, At::Current);
}

std::optional<std::int64_t> PointEvaluator::element(FieldId field, IndexId index) {
  return element(*root_, index, energy_.field(field).dims);
}

const Dual& PointEvaluator::evaluate(Frame& frame, ExprId id, At at) {
  auto& memo = at == At::Current ? frame.current : frame.base;
  if (const auto known = memo.find(id); known != memo.end()) return known->second;
  Dual result = compute(frame, id, at);
  return memo.emplace(id, std::move(result)).first->second;
}

// The derivative rules, one line an op.
Dual PointEvaluator::compute(Frame& frame, ExprId id, At at) {
  const ExprNode node = graph_[id];
  const std::vector<ExprId> operands = graph_.operands(id);
  // Without derivatives by definition: as at the base, when there is one.
  const auto frozen = [&](ExprId operand) {
    return evaluate(frame, operand, base_.empty() ? at : At::Base).value;
  };
  const auto operand = [&](std::size_t i) -> const Dual& {
    return evaluate(frame, operands[i], at);
  };
  const auto unary = [&](auto derivative) {
    const Dual& a = operand(0);
    const double value = thallo::evaluate(node.op, a.value);
    return chain(value, a, derivative(a.value, value));
  };

  switch (node.op) {
    case Op::Constant: return graph_.constant_value(id);
    case Op::Access: return read(frame, id, at);
    case Op::InBounds: {
      const auto value = evaluate(frame, indices_[graph_.index(id)].front());
      return value && *value >= 0 && *value < binding_.extent(graph_.bound_dim(id)) ? 1.0 : 0.0;
    }
    case Op::IndexValue: {
      const Affine& component = indices_[graph_.index(id)].front();
      std::int64_t value = component.constant;
      for (const AffineTerm& term : component.terms) {
        const Atom& atom = indices_.atom(term.atom);
        value += term.coefficient * (atom.is_domain() ? frame.coordinate(atom.domain)
                                                      : lookup(frame, atom).value_or(-1));
      }
      return static_cast<double>(value);
    }
    case Op::Sample: return sample(frame, id, at);
    case Op::SampleLayer:
      return sample_layer(id, frozen(operands[0]), frozen(operands[1]), frozen(operands[2]));
    case Op::Sum: return sum(frame, id, at);
    case Op::Add: {
      Dual result = 0;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        result.value += operand(i).value;
        result.add_partials(operand(i), 1);
        result.rounding += std::abs(result.value);
      }
      return result;
    }
    case Op::Mul: return multiply(frame, operands, at);
    case Op::PowI: {
      const Dual& a = operand(0);
      const int n = graph_.exponent(id);
      const double value = evaluate_powi(a.value, n);
      return chain(value, a, n * evaluate_powi(a.value, n - 1));
    }
    case Op::Pow: {
      const Dual& a = operand(0);
      const Dual& b = operand(1);
      const double value = std::pow(a.value, b.value);
      Dual result = chain(value, a, b.value * std::pow(a.value, b.value - 1));
      // A base that is not positive has a logarithm only if somebody asks.
      if (!b.partials.empty() || b.rounding > 0) result.add_partials(b, std::log(a.value) * value);
      return result;
    }
    case Op::Sqrt: return unary([](double, double y) { return 0.5 / y; });
    case Op::Sin: return unary([](double x, double) { return std::cos(x); });
    case Op::Cos: return unary([](double x, double) { return -std::sin(x); });
    case Op::Tan: return unary([](double, double y) { return 1 + y * y; });
    case Op::Asin: return unary([](double x, double) { return 1 / std::sqrt(1 - x * x); });
    case Op::Acos: return unary([](double x, double) { return -1 / std::sqrt(1 - x * x); });
    case Op::Atan: return unary([](double x, double) { return 1 / (1 + x * x); });
    case Op::Atan2: {
      const Dual& y = operand(0);
      const Dual& x = operand(1);
      const double value = std::atan2(y.value, x.value);
      const double r2 = x.value * x.value + y.value * y.value;
      return chain(value, y, x.value / r2, x, -y.value / r2);
    }
    case Op::Sinh: return unary([](double x, double) { return std::cosh(x); });
    case Op::Cosh: return unary([](double x, double) { return std::sinh(x); });
    case Op::Tanh: return unary([](double, double y) { return 1 - y * y; });
    case Op::Asinh: return unary([](double x, double) { return 1 / std::sqrt(x * x + 1); });
    case Op::Acosh: return unary([](double x, double) { return 1 / std::sqrt(x * x - 1); });
    case Op::Atanh: return unary([](double x, double) { return 1 / (1 - x * x); });
    case Op::Exp: return unary([](double, double y) { return y; });
    case Op::Log: return unary([](double x, double) { return 1 / x; });
    case Op::Log10: return unary([](double x, double) { return 1 / (x * std::log(10.0)); });
    case Op::Abs: {
      const double now = operand(0).value;
      if (!base_.empty() && at == At::Current)
        watch_switch(frame, operands, frozen(operands[0]), now);
      return unary([](double x, double) { return 0 <= x ? 1.0 : -1.0; });
    }
    case Op::Less:
    case Op::LessEq:
    case Op::Eq: {
      if (!base_.empty() && at == At::Current)
        watch_switch(frame, operands, frozen(operands[0]) - frozen(operands[1]),
                     operand(0).value - operand(1).value);
      return thallo::evaluate(node.op, frozen(operands[0]), frozen(operands[1]));
    }
    // Made of comparisons, which watch their own operands.
    case Op::Not: return thallo::evaluate(node.op, operand(0).value);
    case Op::Or: return thallo::evaluate(node.op, operand(0).value, operand(1).value);
    case Op::Select: return operand(operand(0).value != 0 ? 1 : 2);
    case Op::Freeze: return frozen(operands[0]);
    case Op::Identity: return operand(0);
  }
  THALLO_UNREACHABLE();
}

Dual PointEvaluator::multiply(Frame& frame, std::span<const ExprId> factors, At at) {
  // The selection rule: one false factor decides, whatever the others are.
  for (const ExprId factor : factors)
    if (graph_.is_boolean(factor) && evaluate(frame, factor, at).value == 0) return 0.0;
  // A factor's derivative goes with the product of all others, without dividing.
  std::vector<double> before = {1};
  for (const ExprId factor : factors)
    before.push_back(before.back() * evaluate(frame, factor, at).value);
  Dual result = before.back();
  result.rounding = static_cast<double>(factors.size() - 1) * std::abs(result.value);
  double after = 1;
  for (std::size_t i = factors.size(); i-- > 0;) {
    const Dual& factor = evaluate(frame, factors[i], at);
    result.add_partials(factor, before[i] * after);
    after *= factor.value;
  }
  return result;
}

Dual PointEvaluator::read(Frame& frame, ExprId id, At at) {
  const FieldId field = graph_.field(id);
  if (const Intermediate* intermediate = energy_.find_intermediate(field))
    return read_intermediate(frame, *intermediate, id, at);
  const IndexId index = graph_.index(id);
  const Field& declared = energy_.field(field);
  const std::optional<std::int64_t> element = this->element(frame, index, declared.dims);
  if (!element) return 0.0;
  const int channel = graph_.channel(id);
  if (declared.kind != FieldKind::Unknown)
    return binding_.field(field).value(
        static_cast<std::size_t>(*element * declared.channels + channel));

  const auto values = (at == At::Base ? base_ : current_)
                          .subspan(static_cast<std::size_t>(layout_.first_value(field, *element)),
                                   static_cast<std::size_t>(declared.channels));
  Dual result = values[static_cast<std::size_t>(channel)];
  const auto depend = [&](int tangent, double derivative) {
    const std::int64_t column = layout_.column(field, *element, tangent);
    columns_read_.insert(column);
    if (!with_derivatives_) return;
    const std::uint32_t number = variable(
        {field, indices_.substitute(index, frame.names), tangent, frame.loops, *element, column});
    result.add_partials(Dual::variable(0, number), derivative);
  };
  if (declared.manifold == Manifold::Euclidean) {
    depend(channel, 1);
    return result;
  }
  const std::vector<double> row = tangent_basis_row(declared.manifold, values, channel);
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (row[k] != 0) depend(static_cast<int>(k), row[k]);
  }
  return result;
}

std::uint32_t PointEvaluator::variable(Access access) {
  const auto [known, is_new] =
      variables_.try_emplace(Key(access.unknown, access.index, access.channel, access.loops),
                             static_cast<std::uint32_t>(accesses_.size()));
  if (is_new) accesses_.push_back(std::move(access));
  return known->second;
}

Dual PointEvaluator::read_intermediate(Frame& frame, const Intermediate& intermediate, ExprId id,
                                       At at) {
  const IndexId index = graph_.index(id);
  if (!element(frame, index, energy_.field(intermediate.field).dims)) return 0.0;
  std::unique_ptr<Frame>& inner = frame.reads[{intermediate.field, index}];
  if (!inner) {
    inner = std::make_unique<Frame>();
    inner->loops = frame.loops;
    inner->taken = frame.taken;
    for (std::size_t i = 0; i < intermediate.domains.size(); ++i) {
      const Affine component = indices_[index][i];
      inner->coordinates.emplace_back(intermediate.domains[i], *evaluate(frame, component));
      inner->names[intermediate.domains[i]] = indices_.substitute(component, frame.names);
    }
  }
  const auto channel = static_cast<std::size_t>(graph_.channel(id));
  return evaluate(*inner, intermediate.values[channel], at);
}

Dual PointEvaluator::sum(Frame& frame, ExprId id, At at) {
  const std::vector<DomainId>& domains = graph_.sum_domains(id);
  const ExprId summand = graph_.operands(id).front();
  std::vector<std::int64_t> extents;
  for (const DomainId domain : domains)
    extents.push_back(binding_.extent(indices_.domain(domain).dim));
  if (std::ranges::find(extents, 0) != extents.end()) return 0.0;

  Dual result = 0;
  std::vector<std::int64_t> point(domains.size());
  while (true) {
    Frame inner;
    inner.coordinates = frame.coordinates;
    inner.names = frame.names;
    inner.loops = frame.loops;
    inner.taken = frame.taken;
    for (std::size_t i = 0; i < domains.size(); ++i) {
      std::erase_if(inner.coordinates, [&](const auto& c) { return c.first == domains[i]; });
      inner.coordinates.emplace_back(domains[i], point[i]);
      const DomainId name = indices_.rename(domains[i], inner.taken);
      inner.names[domains[i]] = indices_.component(name);
      inner.loops.emplace_back(name, point[i]);
      inner.taken.push_back(name);
    }
    std::ranges::sort(inner.loops);
    const Dual& value = evaluate(inner, summand, at);
    result.value += value.value;
    result.add_partials(value, 1);
    result.rounding += std::abs(result.value);

    std::size_t i = 0;  // the next point, first domain fastest
    while (i < point.size() && ++point[i] == extents[i]) point[i++] = 0;
    if (i == point.size()) return result;
  }
}

Dual PointEvaluator::sample(Frame& frame, ExprId id, At at) {
  const Sampler& sampler = graph_.sampler(id);
  const int channel = graph_.channel(id);
  const std::vector<ExprId> position = graph_.operands(id);
  const Dual& x = evaluate(frame, position[0], at);
  const Dual& y = evaluate(frame, position[1], at);
  const bool has_derivatives = sampler.dx.valid() && sampler.dy.valid();
  if (at == At::Current && !base_.empty()) {
    const double x0 = evaluate(frame, position[0], At::Base).value;
    const double y0 = evaluate(frame, position[1], At::Base).value;
    const double value = texel(sampler.image, x0, y0, channel);
    if (!has_derivatives || (x.value == x0 && y.value == y0)) return value;
    const double dx = texel(sampler.dx, x0, y0, channel);
    const double dy = texel(sampler.dy, x0, y0, channel);
    return chain(value + dx * (x.value - x0) + dy * (y.value - y0), x, dx, y, dy);
  }
  const double value = texel(sampler.image, x.value, y.value, channel);
  if (x.partials.empty() && y.partials.empty()) return value;
  THALLO_ASSERT(has_derivatives, "a sample without derivative images depends on an unknown");
  return chain(value, x, texel(sampler.dx, x.value, y.value, channel), y,
               texel(sampler.dy, x.value, y.value, channel));
}

// Bilinear; texels outside are 0, texels of weight 0 do not count (they may be infinite).
double PointEvaluator::texel(FieldId image, double x, double y, int channel) const {
  const Field& field = energy_.field(image);
  const std::int64_t width = binding_.extent(field.dims[0]);
  const std::int64_t height = binding_.extent(field.dims[1]);
  const bool inside =
      x > -1 && y > -1 && x < static_cast<double>(width) && y < static_cast<double>(height);
  if (!inside) return 0;
  const auto x0 = static_cast<std::int64_t>(std::floor(x));
  const auto y0 = static_cast<std::int64_t>(std::floor(y));
  const double fx = x - static_cast<double>(x0);
  const double fy = y - static_cast<double>(y0);
  double result = 0;
  for (const auto& [i, j, weight] :
       {std::tuple(x0, y0, (1 - fx) * (1 - fy)), std::tuple(x0 + 1, y0, fx * (1 - fy)),
        std::tuple(x0, y0 + 1, (1 - fx) * fy), std::tuple(x0 + 1, y0 + 1, fx * fy)}) {
    if (weight == 0 || i < 0 || j < 0 || i >= width || j >= height) continue;
    const auto at = static_cast<std::size_t>((i + width * j) * field.channels + channel);
    result += weight * binding_.field(image).value(at);
  }
  return result;
}

// Texels that do not count (outside, or -infinity in channel 0) leave their weight to the others of
// the row, rows without texels to the other row.
double PointEvaluator::sample_layer(ExprId id, double x, double y, double layer) const {
  constexpr double Nothing = -std::numeric_limits<double>::infinity();
  const FieldId images = graph_.layers(id);
  const Field& field = energy_.field(images);
  std::array<std::int64_t, 3> extents{};
  for (std::size_t i = 0; i < 3; ++i) extents[i] = binding_.extent(field.dims[i]);
  const auto value = [&](double column, double row) -> std::optional<double> {
    const std::array<double, 3> at = {column, row, layer};
    std::int64_t element = 0;
    for (std::size_t i = 3; i-- > 0;) {
      if (!(at[i] >= 0 && at[i] < static_cast<double>(extents[i]))) return std::nullopt;
      element = element * extents[i] + static_cast<std::int64_t>(at[i]);
    }
    const auto first = static_cast<std::size_t>(element * field.channels);
    const HostArray& data = binding_.field(images);
    if (data.value(first) == Nothing) return std::nullopt;
    return data.value(first + static_cast<std::size_t>(graph_.channel(id)));
  };
  const auto mean = [](double weight, std::optional<double> a, std::optional<double> b) {
    if (weight == 0 || !b) return a;
    if (!a) return b;
    return std::optional((1 - weight) * *a + weight * *b);
  };
  const double x0 = std::floor(x), y0 = std::floor(y);
  const auto row = [&](double r) {
    const auto right = x == x0 ? std::nullopt : value(x0 + 1, r);
    return mean(x - x0, value(x0, r), right);
  };
  return mean(y - y0, row(y0), y == y0 ? std::nullopt : row(y0 + 1)).value_or(Nothing);
}

// How large the terms are whose difference decides a switch.
double PointEvaluator::scale_of(Frame& frame, ExprId expression) {
  if (graph_[expression].op != Op::Add)
    return std::abs(evaluate(frame, expression, At::Current).value);
  double scale = 0;
  for (const ExprId term : graph_.operands(expression))
    scale = std::max(scale, std::abs(evaluate(frame, term, At::Current).value));
  return scale;
}

void PointEvaluator::watch_switch(Frame& frame, std::span<const ExprId> terms, double at_base,
                                  double now) {
  if (now == at_base) return;  // does not move
  constexpr double Closeness = 1e-4;
  double scale = 0;
  for (const ExprId term : terms) scale = std::max(scale, scale_of(frame, term));
  const double margin = Closeness * scale;
  const bool same_side = (at_base > margin && now > margin) || (at_base < -margin && now < -margin);
  if (!same_side) has_switched_ = true;
}

std::optional<std::int64_t> PointEvaluator::evaluate(const Frame& frame,
                                                     const Affine& component) const {
  std::int64_t result = component.constant;
  for (const AffineTerm& term : component.terms) {
    const Atom& atom = indices_.atom(term.atom);
    if (atom.is_domain()) {
      result += term.coefficient * frame.coordinate(atom.domain);
    } else if (const auto found = lookup(frame, atom)) {
      result += term.coefficient * *found;
    } else {
      return std::nullopt;
    }
  }
  return result;
}

std::optional<std::int64_t> PointEvaluator::lookup(const Frame& frame, const Atom& atom) const {
  const SparseMap& map = energy_.map(atom.map);
  const std::optional<std::int64_t> element = this->element(frame, atom.argument, map.in);
  if (!element) return std::nullopt;
  const std::vector<std::int32_t>& values = binding_.map(atom.map);
  const std::size_t first = static_cast<std::size_t>(*element) * map.out.size();
  if (map.optional && values[first] == -1) return std::nullopt;
  return values[first + static_cast<std::size_t>(atom.output)];
}

std::optional<std::int64_t> PointEvaluator::element(const Frame& frame, IndexId index,
                                                    const std::vector<DimId>& dims) const {
  const MultiIndex& components = indices_[index];
  std::int64_t element = 0;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t extent = binding_.extent(dims[i]);
    const std::optional<std::int64_t> value = evaluate(frame, components[i]);
    if (!value || *value < 0 || *value >= extent) return std::nullopt;
    element += stride * *value;
    stride *= extent;
  }
  return element;
}

}  // namespace thallo
