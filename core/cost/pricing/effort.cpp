#include "core/cost/pricing/effort.h"

#include <algorithm>

#include "core/base/stop_scope.h"
#include "core/kernel/power.h"

namespace thallo {

void Effort::add(std::vector<Load>& loads, const Load& load) {
  const auto found = std::ranges::find_if(loads, [&load](const Load& known) {
    return known.field == load.field && known.index == load.index && load.index.valid();
  });
  if (found == loads.end()) {
    loads.push_back(load);
    return;
  }
  found->times = std::max(found->times, load.times);
  std::vector<int> all;
  std::ranges::set_union(found->channels, load.channels, std::back_inserter(all));
  found->channels = std::move(all);
}

void Effort::add_operations(const Effort& other, double times) {
  flops.add(other.flops, times);
  index_operations += times * other.index_operations;
  passes += times * other.passes;
}

class EffortCounter {
 public:
  EffortCounter(const Anatomy& anatomy, const std::vector<DomainId>& own,
                const std::vector<std::int64_t>& extents)
      : anatomy_(anatomy), g_(anatomy.graph()), own_(own), extents_(extents) {}

  Effort run(const std::vector<ExprId>& roots, const std::vector<std::pair<ExprId, Load>>& known) {
    visited_.assign(g_.size(), false);
    for (const auto& [expression, load] : known) {
      if (std::ranges::find(roots, expression) != roots.end()) Effort::add(effort_.loads, load);
      visited_[expression.index()] = true;
    }
    std::vector<ExprId> waiting = roots;
    while (!waiting.empty()) {
      const ExprId node = waiting.back();
      waiting.pop_back();
      if (visited_[node.index()]) continue;
      visited_[node.index()] = true;
      count(node);
      for (const ExprId operand : g_.operands(node)) {
        if (!visited_[operand.index()])
          waiting.push_back(operand);
        else
          load_known(operand, known);
      }
    }
    return std::move(effort_);
  }

 private:
  void load_known(ExprId expression, const std::vector<std::pair<ExprId, Load>>& known) {
    const auto found = std::ranges::find(known, expression, &std::pair<ExprId, Load>::first);
    if (found != known.end()) Effort::add(effort_.loads, found->second);
  }

  // How often a point computes the node: once for each point of the Sums whose domains it depends
  // on.
  double times(ExprId node) const {
    double times = 1;
    for (const DomainId domain : g_.free_domains(node)) {
      if (std::ranges::find(own_, domain) != own_.end()) continue;
      times *= static_cast<double>(extents_[g_.indices().domain(domain).dim.index()]);
    }
    return times;
  }

  void count(ExprId node) {
    check_stop();
    const double n = times(node);
    // What is the same at all points is computed before the first.
    if (g_.free_domains(node).empty() && !repeats_or_loads(g_[node].op)) return;
    switch (info(g_[node].op).kind) {
      case OpKind::Leaf: leaf(node, n); break;
      case OpKind::Sample: sample(node, n); break;
      case OpKind::Sum: {
        double points = n;
        for (const DomainId domain : g_.sum_domains(node))
          points *= static_cast<double>(extents_[g_.indices().domain(domain).dim.index()]);
        effort_.flops.adds += points;
        effort_.passes += points;
        break;
      }
      case OpKind::Arithmetic: arithmetic(node, n); break;
      case OpKind::Root: effort_.flops.divisions += n; break;
      case OpKind::Transcendental: effort_.flops.add(call(node), n); break;
      case OpKind::Choice: effort_.flops.adds += n; break;
      case OpKind::Opaque: break;
    }
  }

  static bool repeats_or_loads(Op op) {
    return info(op).kind == OpKind::Sum || info(op).kind == OpKind::Leaf;
  }

  Flops call(ExprId node) const {
    const std::vector<ExprId> operands = g_.operands(node);
    if (g_[node].op != Op::Pow || !g_.is_constant(operands[1])) return {.transcendentals = 1};
    return flops_of_power(g_.constant_value(operands[1]));
  }

  void arithmetic(ExprId node, double n) {
    Flops& flops = effort_.flops;
    if (g_[node].op == Op::PowI) {
      flops.add(flops_of_power(g_.exponent(node)), n);
      return;
    }
    const std::vector<ExprId> operands = g_.operands(node);
    double joints = static_cast<double>(operands.size()) - 1;
    if (g_[node].op == Op::Add) {
      flops.adds += n * joints;
      const auto products = static_cast<double>(std::ranges::count_if(
          operands, [this](ExprId operand) { return g_[operand].op == Op::Mul; }));
      flops.fused += n * std::min(products, joints);
      return;
    }
    if (std::ranges::any_of(operands, [this](ExprId o) { return g_.is_constant(o, -1); })) --joints;
    flops.multiplies += n * joints;
  }

  void leaf(ExprId node, double n) {
    switch (g_[node].op) {
      case Op::Access: access(node, n); break;
      case Op::InBounds: effort_.index_operations += 2 * n; break;
      default: break;
    }
  }

  void access(ExprId node, double n) {
    const FieldId field = g_.field(node);
    const Load load{field, g_.index(node), {g_.channel(node)}, n};
    if (anatomy_.intermediate_of(field) >= 0) {
      Effort::add(effort_.reads, load);
    } else if (anatomy_.sum_of(field) >= 0 || !anatomy_.energy().field(field).dims.empty()) {
      Effort::add(effort_.loads, load);
    }
  }

  // Four texels and their weights.
  void sample(ExprId node, double n) {
    effort_.flops.adds += 9 * n;
    effort_.flops.multiplies += 8 * n;
    effort_.flops.fused += 4 * n;
    const FieldId image = g_[node].op == Op::Sample ? g_.sampler(node).image : g_.layers(node);
    effort_.loads.push_back({image, IndexId(), {g_.channel(node)}, 4 * n});
  }

  const Anatomy& anatomy_;
  const ExprGraph& g_;
  const std::vector<DomainId>& own_;
  const std::vector<std::int64_t>& extents_;
  std::vector<bool> visited_;
  Effort effort_;
};

Effort effort_of(const Anatomy& anatomy, const std::vector<ExprId>& roots,
                 const std::vector<DomainId>& own, const std::vector<std::int64_t>& extents,
                 const std::vector<std::pair<ExprId, Load>>& known) {
  return EffortCounter(anatomy, own, extents).run(roots, known);
}

}  // namespace thallo
