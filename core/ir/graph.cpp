// Leaves, Sums and samples, looking at nodes, and interning. Nodes that simplify are made in
// simplify.cpp; expressions are rebuilt in substitute.cpp.

#include "core/ir/graph.h"

#include <algorithm>
#include <bit>
#include <set>

#include "core/base/error.h"
#include "core/base/stop_scope.h"

namespace thallo {
namespace {

std::uint32_t size32(std::size_t size) { return static_cast<std::uint32_t>(size); }

}  // namespace

ExprId ExprGraph::constant(double value) {
  if (value == 0) value = 0;  // -0 and 0 are one constant
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return make({.op = Op::Constant,
               .is_boolean = value == 0 || value == 1,
               .channel = 0,
               .a = static_cast<std::uint32_t>(bits),
               .b = static_cast<std::uint32_t>(bits >> 32),
               .c = 0});
}

double ExprGraph::constant_value(ExprId id) const {
  const ExprNode& node = (*this)[id];
  THALLO_ASSERT(node.op == Op::Constant);
  return std::bit_cast<double>((static_cast<std::uint64_t>(node.b) << 32) | node.a);
}

ExprId ExprGraph::access(FieldId field, IndexId index, int channel) {
  THALLO_ASSERT(field.valid() && index.valid() && channel >= 0);
  return make({.op = Op::Access,
               .is_boolean = false,
               .channel = static_cast<std::uint16_t>(channel),
               .a = field.value(),
               .b = index.value(),
               .c = 0});
}

ExprId ExprGraph::in_bounds(const Affine& component, DimId dim) {
  const DomainId domain = indices_.as_domain(component);
  if (domain.valid() && indices_.domain(domain).dim == dim) return boolean(true);
  if (component.is_constant() && component.constant < 0) return boolean(false);
  const IndexId index = indices_.intern(MultiIndex{component});
  return make({.op = Op::InBounds,
               .is_boolean = true,
               .channel = 0,
               .a = index.value(),
               .b = dim.value(),
               .c = 0});
}

ExprId ExprGraph::index_value(const Affine& component) {
  if (component.is_constant()) return constant(static_cast<double>(component.constant));
  const IndexId index = indices_.intern(MultiIndex{component});
  return make({.op = Op::IndexValue,
               .is_boolean = false,
               .channel = 0,
               .a = index.value(),
               .b = 0,
               .c = 0});
}

ExprId ExprGraph::argument(int number) {
  return make({.op = Op::Argument,
               .is_boolean = false,
               .channel = static_cast<std::uint16_t>(number),
               .a = 0,
               .b = 0,
               .c = 0});
}

ExprId ExprGraph::binary(Op op, ExprId a, ExprId b) {
  const ExprId operands[] = {a, b};
  return apply(op, operands);
}

ExprId ExprGraph::select(ExprId condition, ExprId then_value, ExprId else_value) {
  const ExprId operands[] = {condition, then_value, else_value};
  return apply(Op::Select, operands);
}

ExprId ExprGraph::sum(std::vector<DomainId> domains, ExprId summand, SumKind kind) {
  if (domains.empty() || is_constant(summand, 0)) return summand;
  std::ranges::sort(domains);
  return make({.op = Op::Sum,
               .is_boolean = false,
               .channel = 0,
               .a = summand.value(),
               .b = intern_domains(std::move(domains)),
               .c = static_cast<std::uint32_t>(kind)});
}

ExprId ExprGraph::sample(const Sampler& sampler, ExprId x, ExprId y, int channel) {
  const auto found = std::ranges::find(samplers_, sampler);
  const std::uint32_t id = size32(static_cast<std::size_t>(found - samplers_.begin()));
  if (found == samplers_.end()) samplers_.push_back(sampler);
  return make({.op = Op::Sample,
               .is_boolean = false,
               .channel = static_cast<std::uint16_t>(channel),
               .a = x.value(),
               .b = y.value(),
               .c = id});
}

ExprId ExprGraph::sample_layer(FieldId images, ExprId x, ExprId y, ExprId layer, int channel) {
  const ExprId position[] = {x, y, layer};
  return make({.op = Op::SampleLayer,
               .is_boolean = false,
               .channel = static_cast<std::uint16_t>(channel),
               .a = 0,
               .b = 0,
               .c = images.value()},
              position);
}

IndexId ExprGraph::index(ExprId id) const {
  const ExprNode& node = (*this)[id];
  return node.op == Op::Access ? IndexId(node.b) : IndexId(node.a);
}

std::vector<ExprId> ExprGraph::operands(ExprId id) const {
  const ExprNode& node = (*this)[id];
  switch (node.op) {
    case Op::Constant:
    case Op::Access:
    case Op::InBounds:
    case Op::IndexValue:
    case Op::Argument: return {};
    case Op::Add:
    case Op::Mul:
    case Op::SampleLayer: {
      const auto first = operands_.begin() + node.a;
      return {first, first + node.b};
    }
    case Op::PowI:
    case Op::Sum: return {ExprId(node.a)};
    default: break;
  }
  const int count = info(node.op).num_operands;
  std::vector<ExprId> result = {ExprId(node.a)};
  if (count > 1) result.push_back(ExprId(node.b));
  if (count > 2) result.push_back(ExprId(node.c));
  return result;
}

double ExprGraph::evaluate_product(std::span<const double> values,
                                   std::span<const bool> is_boolean) {
  double result = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_boolean[i] && values[i] == 0) return 0;
    result *= values[i];
  }
  return result;
}

std::vector<ExprId> ExprGraph::reachable(std::span<const ExprId> roots) const {
  std::vector<bool> seen(nodes_.size());
  std::vector<ExprId> stack(roots.begin(), roots.end());
  std::vector<ExprId> result;
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (seen[id.value()]) continue;
    seen[id.value()] = true;
    result.push_back(id);
    for (const ExprId operand : operands(id)) stack.push_back(operand);
  }
  std::ranges::sort(result);
  return result;
}

std::vector<ExprId> ExprGraph::accesses(std::span<const ExprId> roots) const {
  std::vector<ExprId> result = reachable(roots);
  std::erase_if(result, [this](ExprId id) { return (*this)[id].op != Op::Access; });
  return result;
}

std::vector<int> ExprGraph::lines(std::span<const ExprId> roots) const {
  std::set<int> lines;
  for (const ExprId id : reachable(roots))
    if (!operands(id).empty()) lines.insert(line(id));
  lines.erase(0);
  return {lines.begin(), lines.end()};
}

void ExprGraph::rewind(const Mark& mark) {
  for (std::size_t i = mark.nodes; i < nodes_.size(); ++i) ids_.erase(hashes_[i]);
  nodes_.resize(mark.nodes);
  hashes_.resize(mark.nodes);
  lines_.resize(mark.nodes);
  free_domains_.resize(mark.nodes);
  access_domains_.resize(mark.nodes);
  operands_.resize(mark.operands);
  indices_.rewind(mark.indices);
}

std::uint32_t ExprGraph::intern_domains(std::vector<DomainId> domains) {
  const auto [it, inserted] = domain_list_ids_.try_emplace(domains, size32(domain_lists_.size()));
  if (inserted) domain_lists_.push_back(std::move(domains));
  return it->second;
}

Hash128 ExprGraph::hash_of(const ExprNode& node, std::span<const ExprId> nary_operands) const {
  Hasher hasher;
  hasher.update(static_cast<int>(node.op)).update(node.channel);
  switch (node.op) {
    case Op::Constant: hasher.update(node.a).update(node.b); break;
    case Op::Access: hasher.update(node.a).update(indices_.hash(IndexId(node.b))); break;
    case Op::InBounds: hasher.update(indices_.hash(IndexId(node.a))).update(node.b); break;
    case Op::IndexValue: hasher.update(indices_.hash(IndexId(node.a))); break;
    case Op::Argument: break;
    case Op::Sum:
      hasher.update(hash(ExprId(node.a)));
      for (const DomainId domain : domain_lists_[node.b]) hasher.update(domain.value());
      if (node.c != 0) hasher.update(node.c);
      break;
    case Op::PowI: hasher.update(hash(ExprId(node.a))).update(node.b); break;
    case Op::Add:
    case Op::Mul:
      for (const ExprId operand : nary_operands) hasher.update(hash(operand));
      break;
    case Op::SampleLayer:
      hasher.update(node.c);
      for (const ExprId operand : nary_operands) hasher.update(hash(operand));
      break;
    case Op::Sample: {
      const Sampler& s = samplers_[node.c];
      hasher.update(s.image.value()).update(s.dx.value()).update(s.dy.value());
      hasher.update(hash(ExprId(node.a))).update(hash(ExprId(node.b)));
      break;
    }
    default:
      hasher.update(hash(ExprId(node.a)));
      if (info(node.op).num_operands > 1) hasher.update(hash(ExprId(node.b)));
      if (info(node.op).num_operands > 2) hasher.update(hash(ExprId(node.c)));
  }
  return hasher.finish();
}

ExprId ExprGraph::make(ExprNode node, std::span<const ExprId> nary_operands) {
  // Here, since whatever works on expressions for long makes some. Many operands take as long as
  // several nodes.
  constexpr std::size_t OperandsOfStep = 16;
  check_stop(1 + nary_operands.size() / OperandsOfStep);
  return intern(node, nary_operands, hash_of(node, nary_operands));
}

ExprId ExprGraph::intern(const ExprNode& node, std::span<const ExprId> nary_operands, Hash128 key) {
  const auto [it, inserted] = ids_.try_emplace(key, ExprId(size32(nodes_.size())));
  if (!inserted) return it->second;

  ExprNode stored = node;
  std::vector<DomainId> free;
  std::vector<DomainId> accessed;
  std::uint32_t line = line_;
  ExprId before;  // most operands have the domains of the one before
  const auto absorb = [&](ExprId operand) {
    THALLO_ASSERT(operand.value() < nodes_.size());
    const std::uint32_t own = lines_[operand.value()];
    if (line_ == 0 && own != 0) line = line == 0 || line == own ? own : SeveralLines;
    const auto differs = [&](const std::vector<std::uint32_t>& lists) {
      return !before.valid() || lists[operand.value()] != lists[before.value()];
    };
    if (differs(free_domains_)) free = merge_domains(free, free_domains(operand));
    if (differs(access_domains_)) accessed = merge_domains(accessed, access_domains(operand));
    before = operand;
  };
  if (!nary_operands.empty()) {
    stored.a = size32(operands_.size());
    stored.b = size32(nary_operands.size());
    operands_.insert(operands_.end(), nary_operands.begin(), nary_operands.end());
    std::ranges::for_each(nary_operands, absorb);
  } else if (node.op == Op::Access || node.op == Op::IndexValue) {
    free = accessed =
        indices_.domains_of(node.op == Op::Access ? IndexId(node.b) : IndexId(node.a));
  } else if (node.op == Op::InBounds) {
    free = indices_.domains_of(IndexId(node.a));
  } else if (node.op != Op::Constant && node.op != Op::Argument) {
    absorb(ExprId(node.a));
    const int count = node.op == Op::Sum || node.op == Op::PowI ? 1 : info(node.op).num_operands;
    if (count > 1) absorb(ExprId(node.b));
    if (count > 2) absorb(ExprId(node.c));
  }
  if (node.op == Op::Sum) {
    const auto bound = [&](DomainId d) {
      return std::ranges::binary_search(domain_lists_[node.b], d);
    };
    for (const DomainId domain : domain_lists_[node.b]) {
      if (indices_.domain(domain).is_run())
        free = merge_domains(free, indices_.domains_of(indices_.domain(domain).at));
    }
    std::erase_if(free, bound);
    std::erase_if(accessed, bound);
  }
  nodes_.push_back(stored);
  hashes_.push_back(key);
  lines_.push_back(line);
  free_domains_.push_back(intern_domains(std::move(free)));
  access_domains_.push_back(intern_domains(std::move(accessed)));
  return it->second;
}

void ExprGraph::sort_by_hash(std::vector<ExprId>& operands) const {
  std::ranges::sort(operands, [this](ExprId x, ExprId y) {
    const bool x_constant = is_constant(x);
    const bool y_constant = is_constant(y);
    return x_constant != y_constant ? x_constant : hash(x) < hash(y);
  });
}

}  // namespace thallo
