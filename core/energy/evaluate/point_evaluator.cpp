#include "core/energy/evaluate/point_evaluator.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/stop_scope.h"
#include "core/energy/evaluate/derivative_rules.h"
#include "core/energy/evaluate/interpolation.h"

namespace thallo {
namespace {

Rounded decided(bool holds) { return Rounded::factor(holds ? 1 : 0); }
Rounded decided(double holds) { return Rounded::factor(holds); }

}  // namespace

// Domains with their coordinates, and the values that are known there. The root frame is the point
// of move_to(); reading an intermediate or visiting a point of a Sum opens a frame of its own.
struct PointEvaluator::Frame {
  std::vector<std::pair<DomainId, std::int64_t>> coordinates;
  // What a domain of this frame is called in index expressions of the root: the component an
  // intermediate is read at, or another name for a Sum's domain whose own name is taken.
  DomainSubstitution names;
  std::vector<std::pair<DomainId, std::int64_t>> loops;
  std::vector<DomainId> taken;  // names that a Sum inside must not use
  std::unordered_map<ExprId, Dual> current, base;
  std::map<std::pair<FieldId, IndexId>, std::unique_ptr<Frame>> reads;
  std::vector<Dual> arguments;  // of a function

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

LossValue PointEvaluator::loss(const Loss& loss, const Rounded& s) {
  const Dual rho = evaluate(loss, loss.rho, s);
  return {rho.value, rho.partials.empty() ? Rounded() : rho.partials.front().second};
}

Dual PointEvaluator::evaluate(const Loss& loss, ExprId function, const Rounded& s) {
  Frame frame;
  frame.arguments = {chain(s, Dual::variable(0, 0), Rounded::factor(1))};
  if (loss.scale.valid()) frame.arguments.push_back(evaluate(frame, loss.scale, At::Current).value);
  return evaluate(frame, function, At::Current);
}

const Dual& PointEvaluator::evaluate(Frame& frame, ExprId id, At at) {
  auto& memo = at == At::Current ? frame.current : frame.base;
  if (const auto known = memo.find(id); known != memo.end()) return known->second;
  Dual result = compute(frame, id, at);
  ++num_computed_;
  return memo.emplace(id, std::move(result)).first->second;
}

// The value of an operand that has no derivative by definition: at the base, when there is one.
const Rounded& PointEvaluator::frozen(Frame& frame, ExprId operand, At at) {
  return evaluate(frame, operand, base_.empty() ? at : At::Base).value;
}

Dual PointEvaluator::compute(Frame& frame, ExprId id, At at) {
  const Op op = graph_[id].op;
  const std::vector<ExprId> operands = graph_.operands(id);
  const auto operand = [&](std::size_t i) -> const Dual& {
    return evaluate(frame, operands[i], at);
  };
  switch (op) {
    case Op::Constant: return Rounded::constant(graph_.constant_value(id));
    case Op::Access: return read(frame, id, at);
    case Op::InBounds: return in_bounds(frame, id);
    case Op::IndexValue: return index_value(frame, id);
    case Op::Argument: return frame.arguments[static_cast<std::size_t>(graph_.channel(id))];
    case Op::Sample: return sample(frame, id, at);
    case Op::SampleLayer:
      return interpolate_layer(energy_, binding_, graph_.layers(id), frozen(frame, operands[0], at),
                               frozen(frame, operands[1], at), frozen(frame, operands[2], at).value,
                               graph_.channel(id));
    case Op::Sum: return sum(frame, id, at);
    case Op::Add: return add(frame, operands, at);
    case Op::Mul: return multiply(frame, operands, at);
    case Op::PowI: return powi(operand(0), graph_.exponent(id));
    case Op::Pow:
    case Op::Atan2: {
      // One after the other: accesses are numbered in the order in which they are met.
      const Dual& a = operand(0);
      const Dual& b = operand(1);
      return op == Op::Pow ? pow(a, b) : atan2(a, b);
    }
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
    case Op::Log10: return apply_function(op, operand(0));
    case Op::Abs: return absolute(frame, operands, at);
    case Op::Less:
    case Op::LessEq:
    case Op::Eq: return compare(frame, op, operands, at);
    // Made of comparisons, which watch their own operands.
    case Op::Not: return decided(thallo::evaluate(op, operand(0).value.value));
    case Op::Or:
      return decided(thallo::evaluate(op, operand(0).value.value, operand(1).value.value));
    case Op::Select: return operand(operand(0).value.value != 0 ? 1 : 2);
    case Op::Freeze: return frozen(frame, operands[0], at);
    case Op::Identity: return operand(0);
  }
  THALLO_UNREACHABLE();
}

Rounded PointEvaluator::in_bounds(const Frame& frame, ExprId id) const {
  const auto value = evaluate(frame, indices_[graph_.index(id)].front());
  return decided(value && *value >= 0 && *value < binding_.extent(graph_.bound_dim(id)));
}

Rounded PointEvaluator::index_value(const Frame& frame, ExprId id) const {
  const Affine& component = indices_[graph_.index(id)].front();
  std::int64_t value = component.constant;
  for (const AffineTerm& term : component.terms) {
    const Atom& atom = indices_.atom(term.atom);
    value += term.coefficient *
             (atom.is_domain() ? frame.coordinate(atom.domain) : lookup(frame, atom).value_or(-1));
  }
  return Rounded(static_cast<double>(value));
}

Dual PointEvaluator::add(Frame& frame, std::span<const ExprId> terms, At at) {
  Dual result;
  for (const ExprId term : terms) {
    const Dual& value = evaluate(frame, term, at);
    result.value += value.value;
    result.add_partials(value, Rounded::factor(1));
  }
  return result;
}

Dual PointEvaluator::multiply(Frame& frame, std::span<const ExprId> factors, At at) {
  // The selection rule: one false factor decides, whatever the others are.
  for (const ExprId factor : factors)
    if (graph_.is_boolean(factor) && evaluate(frame, factor, at).value.value == 0) return Rounded();
  Dual result = Rounded::factor(1);
  for (const ExprId factor : factors) result = result * evaluate(frame, factor, at);
  return result;
}

Dual PointEvaluator::absolute(Frame& frame, std::span<const ExprId> operand, At at) {
  const Dual& a = evaluate(frame, operand[0], at);
  if (!base_.empty() && at == At::Current)
    watch_switch(frame, operand, frozen(frame, operand[0], at).value, a.value.value);
  return apply_function(Op::Abs, a);
}

Rounded PointEvaluator::compare(Frame& frame, Op op, std::span<const ExprId> operands, At at) {
  const auto frozen_value = [&](std::size_t i) { return frozen(frame, operands[i], at).value; };
  const auto value = [&](std::size_t i) { return evaluate(frame, operands[i], at).value.value; };
  if (!base_.empty() && at == At::Current)
    watch_switch(frame, operands, frozen_value(0) - frozen_value(1), value(0) - value(1));
  return decided(thallo::evaluate(op, frozen_value(0), frozen_value(1)));
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
    check_stop();
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
  const std::vector<ExprId> position = graph_.operands(id);
  const auto texel = [&](FieldId image, const Rounded& u, const Rounded& v) {
    return interpolate(energy_, binding_, image, u, v, graph_.channel(id));
  };
  const Dual& x = evaluate(frame, position[0], at);
  const Dual& y = evaluate(frame, position[1], at);
  const bool has_derivatives = sampler.dx.valid() && sampler.dy.valid();
  if (at == At::Current && !base_.empty()) {
    const Rounded& x0 = evaluate(frame, position[0], At::Base).value;
    const Rounded& y0 = evaluate(frame, position[1], At::Base).value;
    const Rounded value = texel(sampler.image, x0, y0);
    if (!has_derivatives || (x.value.value == x0.value && y.value.value == y0.value)) return value;
    const Rounded dx = texel(sampler.dx, x0, y0);
    const Rounded dy = texel(sampler.dy, x0, y0);
    return chain(value + dx * (x.value - x0) + dy * (y.value - y0), x, dx, y, dy);
  }
  const Rounded value = texel(sampler.image, x.value, y.value);
  if (x.partials.empty() && y.partials.empty()) return value;
  THALLO_ASSERT(has_derivatives, "a sample without derivative images depends on an unknown");
  return chain(value, x, texel(sampler.dx, x.value, y.value), y,
               texel(sampler.dy, x.value, y.value));
}

// The magnitude of an operand of a comparison or abs: that of its largest term if it is a sum,
// whose terms may cancel.
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
  // What does not move cannot switch.
  if (now == at_base || (std::isnan(now) && std::isnan(at_base))) return;
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
