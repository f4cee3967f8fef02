#include "core/energy/evaluate/point_evaluator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace thallo {
namespace {

using R = const Rounded&;  // in the derivative rules

Rounded decided(bool holds) { return Rounded::factor(holds ? 1 : 0); }
Rounded decided(double holds) { return Rounded::factor(holds); }

// How far past the integer below: what a number between grid points is interpolated with.
Rounded past_floor(const Rounded& x) { return {x.value - std::floor(x.value), x.magnitude}; }

}  // namespace

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
  const auto frozen = [&](ExprId operand) -> const Rounded& {
    return evaluate(frame, operand, base_.empty() ? at : At::Base).value;
  };
  const auto operand = [&](std::size_t i) -> const Dual& {
    return evaluate(frame, operands[i], at);
  };
  const auto unary = [&](auto derivative) {
    const Dual& a = operand(0);
    const double value = thallo::evaluate(node.op, a.value.value);
    const Rounded y = applied(value, a.value, derivative(a.value, Rounded(value)).value);
    return chain(y, a, derivative(a.value, y));
  };

  switch (node.op) {
    case Op::Constant: return Rounded::constant(graph_.constant_value(id));
    case Op::Access: return read(frame, id, at);
    case Op::InBounds: {
      const auto value = evaluate(frame, indices_[graph_.index(id)].front());
      return decided(value && *value >= 0 && *value < binding_.extent(graph_.bound_dim(id)));
    }
    case Op::IndexValue: {
      const Affine& component = indices_[graph_.index(id)].front();
      std::int64_t value = component.constant;
      for (const AffineTerm& term : component.terms) {
        const Atom& atom = indices_.atom(term.atom);
        value += term.coefficient * (atom.is_domain() ? frame.coordinate(atom.domain)
                                                      : lookup(frame, atom).value_or(-1));
      }
      return Rounded(static_cast<double>(value));
    }
    case Op::Sample: return sample(frame, id, at);
    case Op::SampleLayer:
      return sample_layer(id, frozen(operands[0]), frozen(operands[1]), frozen(operands[2]).value);
    case Op::Sum: return sum(frame, id, at);
    case Op::Add: {
      Dual result;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        result.value += operand(i).value;
        result.add_partials(operand(i), Rounded::factor(1));
      }
      return result;
    }
    case Op::Mul: return multiply(frame, operands, at);
    case Op::PowI: {
      const Dual& a = operand(0);
      const int n = graph_.exponent(id);
      const double value = evaluate_powi(a.value.value, n);
      const Rounded derivative = Rounded(n) * pow(a.value, n - 1);
      return chain(applied(value, a.value, derivative.value), a, derivative);
    }
    case Op::Pow: {
      const Dual& a = operand(0);
      const Dual& b = operand(1);
      const double exponent = b.value.value;
      const Rounded by_base = b.value * pow(a.value, exponent - 1);
      const double value = std::pow(a.value.value, exponent);
      Rounded y = applied(value, a.value, by_base.value);
      // A base that is not positive has a logarithm only if somebody asks.
      if (b.partials.empty() && !(a.value.value > 0)) return chain(y, a, by_base);
      const Rounded by_exponent = log(a.value) * y;
      y.magnitude += carried(by_exponent.value, b.value.magnitude);
      return chain(y, a, by_base, b, by_exponent);
    }
    case Op::Sqrt: return unary([](R, R y) { return Rounded::factor(0.5) / y; });
    case Op::Sin: return unary([](R x, R) { return cos(x); });
    case Op::Cos: return unary([](R x, R) { return -sin(x); });
    case Op::Tan: return unary([](R, R y) { return 1 + y * y; });
    case Op::Asin: return unary([](R x, R) { return 1 / sqrt(1 - x * x); });
    case Op::Acos: return unary([](R x, R) { return -1 / sqrt(1 - x * x); });
    case Op::Atan: return unary([](R x, R) { return 1 / (1 + x * x); });
    case Op::Atan2: {
      const Dual& y = operand(0);
      const Dual& x = operand(1);
      const Rounded r2 = x.value * x.value + y.value * y.value;
      const Rounded by_y = x.value / r2;
      const Rounded by_x = -y.value / r2;
      Rounded value = applied(std::atan2(y.value.value, x.value.value), y.value, by_y.value);
      value.magnitude += carried(by_x.value, x.value.magnitude);
      return chain(value, y, by_y, x, by_x);
    }
    case Op::Sinh: return unary([](R x, R) { return cosh(x); });
    case Op::Cosh: return unary([](R x, R) { return sinh(x); });
    case Op::Tanh: return unary([](R, R y) { return 1 - y * y; });
    case Op::Asinh: return unary([](R x, R) { return 1 / sqrt(x * x + 1); });
    case Op::Acosh: return unary([](R x, R) { return 1 / sqrt(x * x - 1); });
    case Op::Atanh: return unary([](R x, R) { return 1 / (1 - x * x); });
    case Op::Exp: return unary([](R, R y) { return y; });
    case Op::Log: return unary([](R x, R) { return 1 / x; });
    case Op::Log10: return unary([](R x, R) { return 1 / (x * std::log(10.0)); });
    case Op::Abs: {
      const double now = operand(0).value.value;
      if (!base_.empty() && at == At::Current)
        watch_switch(frame, operands, frozen(operands[0]).value, now);
      return unary([](R x, R) { return Rounded::factor(0 <= x.value ? 1 : -1); });
    }
    case Op::Less:
    case Op::LessEq:
    case Op::Eq: {
      if (!base_.empty() && at == At::Current)
        watch_switch(frame, operands, frozen(operands[0]).value - frozen(operands[1]).value,
                     operand(0).value.value - operand(1).value.value);
      return decided(
          thallo::evaluate(node.op, frozen(operands[0]).value, frozen(operands[1]).value));
    }
    // Made of comparisons, which watch their own operands.
    case Op::Not: return decided(thallo::evaluate(node.op, operand(0).value.value));
    case Op::Or:
      return decided(thallo::evaluate(node.op, operand(0).value.value, operand(1).value.value));
    case Op::Select: return operand(operand(0).value.value != 0 ? 1 : 2);
    case Op::Freeze: return frozen(operands[0]);
    case Op::Identity: return operand(0);
  }
  THALLO_UNREACHABLE();
}

Dual PointEvaluator::multiply(Frame& frame, std::span<const ExprId> factors, At at) {
  // The selection rule: one false factor decides, whatever the others are.
  for (const ExprId factor : factors)
    if (graph_.is_boolean(factor) && evaluate(frame, factor, at).value.value == 0) return Rounded();
  Dual result = Rounded::factor(1);
  for (const ExprId factor : factors) result = result * evaluate(frame, factor, at);
  return result;
}

Dual PointEvaluator::read(Frame& frame, ExprId id, At at) {
  const FieldId field = graph_.field(id);
  if (const Intermediate* intermediate = energy_.find_intermediate(field))
    return read_intermediate(frame, *intermediate, id, at);
  const IndexId index = graph_.index(id);
  const Field& declared = energy_.field(field);
  const std::optional<std::int64_t> element = this->element(frame, index, declared.dims);
  if (!element) return Rounded();
  const int channel = graph_.channel(id);
  if (declared.kind != FieldKind::Unknown)
    return Rounded(binding_.field(field).value(
        static_cast<std::size_t>(*element * declared.channels + channel)));

  const auto values = (at == At::Base ? base_ : current_)
                          .subspan(static_cast<std::size_t>(layout_.first_value(field, *element)),
                                   static_cast<std::size_t>(declared.channels));
  Dual result = Rounded(values[static_cast<std::size_t>(channel)]);
  const auto depend = [&](int tangent, const Rounded& derivative) {
    const std::int64_t column = layout_.column(field, *element, tangent);
    columns_read_.insert(column);
    if (!with_derivatives_) return;
    const std::uint32_t number = variable(
        {field, indices_.substitute(index, frame.names), tangent, frame.loops, *element, column});
    result.add_partials(Dual::variable(0, number), derivative);
  };
  if (declared.manifold == Manifold::Euclidean) {
    depend(channel, Rounded::factor(1));
    return result;
  }
  const std::vector<Rounded> pose(values.begin(), values.end());
  const std::vector<Rounded> row = tangent_basis_row(declared.manifold, pose, channel);
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (row[k].value != 0) depend(static_cast<int>(k), row[k]);
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
  if (!element(frame, index, energy_.field(intermediate.field).dims)) return Rounded();
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
  if (std::ranges::find(extents, 0) != extents.end()) return Rounded();

  Dual result;
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
      const DomainId name = indices_.rename(indices_.original(domains[i]), inner.taken);
      inner.names[domains[i]] = indices_.component(name);
      inner.loops.emplace_back(name, point[i]);
      inner.taken.push_back(name);
    }
    std::ranges::sort(inner.loops);
    const Dual& value = evaluate(inner, summand, at);
    result.value += value.value;
    result.add_partials(value, Rounded::factor(1));

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
    const Rounded& x0 = evaluate(frame, position[0], At::Base).value;
    const Rounded& y0 = evaluate(frame, position[1], At::Base).value;
    const Rounded value = texel(sampler.image, x0, y0, channel);
    if (!has_derivatives || (x.value.value == x0.value && y.value.value == y0.value)) return value;
    const Rounded dx = texel(sampler.dx, x0, y0, channel);
    const Rounded dy = texel(sampler.dy, x0, y0, channel);
    return chain(value + dx * (x.value - x0) + dy * (y.value - y0), x, dx, y, dy);
  }
  const Rounded value = texel(sampler.image, x.value, y.value, channel);
  if (x.partials.empty() && y.partials.empty()) return value;
  THALLO_ASSERT(has_derivatives, "a sample without derivative images depends on an unknown");
  return chain(value, x, texel(sampler.dx, x.value, y.value, channel), y,
               texel(sampler.dy, x.value, y.value, channel));
}

// Bilinear; texels outside are 0, texels of weight 0 do not count (they may be infinite).
Rounded PointEvaluator::texel(FieldId image, const Rounded& x, const Rounded& y,
                              int channel) const {
  const Field& field = energy_.field(image);
  const std::int64_t width = binding_.extent(field.dims[0]);
  const std::int64_t height = binding_.extent(field.dims[1]);
  const bool inside = x.value > -1 && y.value > -1 && x.value < static_cast<double>(width) &&
                      y.value < static_cast<double>(height);
  if (!inside) return Rounded();
  const auto x0 = static_cast<std::int64_t>(std::floor(x.value));
  const auto y0 = static_cast<std::int64_t>(std::floor(y.value));
  const Rounded in_x = past_floor(x);
  const Rounded in_y = past_floor(y);
  const auto at = [&](std::int64_t i, std::int64_t j) -> Rounded {
    if (i < 0 || j < 0 || i >= width || j >= height) return Rounded();
    return binding_.field(image).value(
        static_cast<std::size_t>((i + width * j) * field.channels + channel));
  };
  const auto row = [&](std::int64_t j) {
    return in_x.value == 0 ? at(x0, j) : mix(at(x0, j), at(x0 + 1, j), in_x);
  };
  return in_y.value == 0 ? row(y0) : mix(row(y0), row(y0 + 1), in_y);
}

// Texels that do not count (outside, or -infinity in channel 0) leave their weight to the others of
// the row, rows without texels to the other row.
Rounded PointEvaluator::sample_layer(ExprId id, const Rounded& x, const Rounded& y,
                                     double layer) const {
  constexpr double Nothing = -std::numeric_limits<double>::infinity();
  const FieldId images = graph_.layers(id);
  const Field& field = energy_.field(images);
  std::array<std::int64_t, 3> extents{};
  for (std::size_t i = 0; i < 3; ++i) extents[i] = binding_.extent(field.dims[i]);
  const auto value = [&](double column, double row) -> std::optional<Rounded> {
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
  const auto mean = [](const Rounded& weight, std::optional<Rounded> a, std::optional<Rounded> b) {
    if (weight.value == 0 || !b) return a;
    if (!a) return b;
    return std::optional(mix(*a, *b, weight));
  };
  const double x0 = std::floor(x.value), y0 = std::floor(y.value);
  const auto row = [&](double r) {
    const auto right = x.value == x0 ? std::nullopt : value(x0 + 1, r);
    return mean(past_floor(x), value(x0, r), right);
  };
  return mean(past_floor(y), row(y0), y.value == y0 ? std::nullopt : row(y0 + 1))
      .value_or(Rounded(Nothing));
}

// How large the terms are whose difference decides a switch.
double PointEvaluator::scale_of(Frame& frame, ExprId expression) {
  if (graph_[expression].op != Op::Add)
    return std::abs(evaluate(frame, expression, At::Current).value.value);
  double scale = 0;
  for (const ExprId term : graph_.operands(expression))
    scale = std::max(scale, std::abs(evaluate(frame, term, At::Current).value.value));
  return scale;
}

void PointEvaluator::watch_switch(Frame& frame, std::span<const ExprId> terms, double at_base,
                                  double now) {
  if (now == at_base || (std::isnan(now) && std::isnan(at_base))) return;  // does not move
  double scale = 0;
  for (const ExprId term : terms) scale = std::max(scale, scale_of(frame, term));
  const double margin = switch_margin_ * scale;
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
