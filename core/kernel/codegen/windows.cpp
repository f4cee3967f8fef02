#include "core/kernel/codegen/windows.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "core/kernel/arguments.h"
#include "core/kernel/codegen/kernel_expressions.h"

namespace thallo {
namespace {

// Reads of a point from which on a window is faster than the caches.
constexpr double WorthLoading = 8;

struct Reads {
  Window window;
  std::set<IndexId> indices;
};

void add_offset(Window::Component& component, const Window::Offset& offset) {
  if (std::ranges::find(component.offsets, offset) == component.offsets.end())
    component.offsets.push_back(offset);
}

bool is_worth_loading(const Reads& reads) {
  double points = 1;  // that a thread computes
  for (const Window::Component& component : reads.window.components) {
    points *= static_cast<double>(std::max<std::int64_t>(1, component.step));
    for (const Window::Offset& offset : component.offsets)
      if (!offset.loops.empty()) return true;
  }
  return static_cast<double>(reads.indices.size()) >= WorthLoading * points;
}

}  // namespace

std::optional<std::vector<Window::Component>> window_components(
    const IndexTable& indices, const std::vector<DomainId>& domains, IndexId index) {
  std::vector<Window::Component> result;
  for (const Affine& affine : indices[index]) {
    Window::Component component;
    Window::Offset offset{affine.constant, {}};
    for (const AffineTerm& term : affine.terms) {
      const Atom& atom = indices.atom(term.atom);
      if (!atom.is_domain()) return std::nullopt;
      const auto found = std::ranges::find(domains, atom.domain);
      if (found == domains.end()) {
        const Domain& loop = indices.domain(atom.domain);
        if (loop.is_run()) return std::nullopt;
        offset.loops.emplace_back(loop.dim, term.coefficient);
      } else if (component.coordinate >= 0 || term.coefficient < 1) {
        return std::nullopt;
      } else {
        component.coordinate = static_cast<int>(found - domains.begin());
        component.step = term.coefficient;
      }
    }
    std::ranges::sort(offset.loops);
    component.offsets.push_back(std::move(offset));
    result.push_back(std::move(component));
  }
  return result;
}

bool are_parallel(const std::vector<Window::Component>& a,
                  const std::vector<Window::Component>& b) {
  return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
    return one.coordinate == other.coordinate && one.step == other.step;
  });
}

void move_rows_first(const ExprGraph& graph, const std::vector<DomainId>& section, ExprId sum,
                     std::vector<DomainId>& domains) {
  const IndexTable& indices = graph.indices();
  std::set<DomainId> along_rows;
  for (const ExprId id : graph.reachable(std::span(&sum, 1))) {
    if (graph[id].op != Op::Access || !graph.index(id).valid()) continue;
    for (const Affine& component : indices[graph.index(id)]) {
      const std::vector<DomainId> its = indices.domains_of(component);
      if (std::ranges::binary_search(its, section[1])) along_rows.insert(its.begin(), its.end());
    }
  }
  std::ranges::stable_partition(domains, [&](DomainId d) { return along_rows.contains(d); });
}

std::vector<Window> find_windows(const KernelProgram& program, const ExprGraph& graph,
                                 const Section& section) {
  Kernel kernel;
  kernel.sections.push_back(section);
  std::map<std::pair<FieldId, int>, Reads> found;
  for (const ExprId id : graph.reachable(expressions_of(kernel))) {
    if (graph[id].op != Op::Access) continue;
    const FieldId field = graph.field(id);
    if (is_param(program, field) || field == program.state || program.field(field).dims.empty())
      continue;
    const auto components = window_components(graph.indices(), section.domains, graph.index(id));
    if (!components) continue;
    Reads& reads = found[{field, graph.channel(id)}];
    if (reads.indices.empty()) {
      reads.window = {field, graph.channel(id), *components};
    } else if (are_parallel(reads.window.components, *components)) {
      for (std::size_t c = 0; c < components->size(); ++c)
        add_offset(reads.window.components[c], (*components)[c].offsets.front());
    } else {
      continue;
    }
    reads.indices.insert(graph.index(id));
  }
  std::vector<Window> windows;
  for (auto& [channel, reads] : found)
    if (is_worth_loading(reads)) windows.push_back(std::move(reads.window));
  return windows;
}

}  // namespace thallo
