#include "core/schedule/gather.h"

#include <algorithm>

#include "core/diff/gradient.h"
#include "core/energy/print.h"

namespace thallo {
namespace {

// The only residual domain of a component, invalid when it has none or several.
struct SolvedTerm {
  DomainId domain;
  std::int64_t coefficient = 0;
  int num_residual_domains = 0;
};

SolvedTerm solve_for(const IndexTable& indices, const Affine& component,
                     std::span<const DomainId> residual_domains) {
  SolvedTerm solved;
  for (const AffineTerm& term : component.terms) {
    const DomainId domain = indices.atom(term.atom).domain;
    if (std::ranges::find(residual_domains, domain) == residual_domains.end()) continue;
    ++solved.num_residual_domains;
    solved.domain = domain;
    solved.coefficient = term.coefficient;
  }
  return solved;
}

}  // namespace

Expected<DomainSubstitution> invert_access(IndexTable& indices, IndexId index,
                                           std::span<const DomainId> residual_domains,
                                           std::span<const DomainId> element) {
  DomainSubstitution point;
  const MultiIndex components = indices[index];
  for (std::size_t i = 0; i < components.size(); ++i) {
    const Affine& component = components[i];
    for (const AffineTerm& term : component.terms) {
      if (!indices.atom(term.atom).is_domain()) return fail("it goes through a sparse map");
    }
    const SolvedTerm solved = solve_for(indices, component, residual_domains);
    if (solved.num_residual_domains == 0)
      return fail("one of its components is the same everywhere");
    if (solved.num_residual_domains > 1) return fail("one of its components mixes several domains");
    if (solved.coefficient != 1 && solved.coefficient != -1) {
      return fail("it reads every {}th element only", std::abs(solved.coefficient));
    }
    if (point.contains(solved.domain)) return fail("a domain occurs in several of its components");
    // e = c x + rest  ->  x = c (e - rest), c = 1 or -1
    const Affine own = IndexTable::scale(indices.component(solved.domain), solved.coefficient);
    const Affine rest = indices.add(component, own, -1);
    const Affine difference = indices.add(indices.component(element[i]), rest, -1);
    point[solved.domain] = IndexTable::scale(difference, solved.coefficient);
  }
  if (point.size() < residual_domains.size()) {
    return fail("many residual points read the same element");
  }
  return point;
}

Expected<void> check_gather(const Energy& energy, const std::vector<ResidualRef>& residuals) {
  ExprGraph graph = energy.graph();
  Differentiator differentiator(graph, energy);
  const ExprPrinter printer(graph, names_of(energy));
  for (const auto [group, residual] : residuals) {
    const ResidualGroup& owner = energy.groups()[group];
    for (const Partial& partial : differentiator.gradient(owner.residuals[residual])) {
      std::vector<DomainId> element;
      for (const DimId dim : energy.field(partial.unknown).dims) {
        element.push_back(graph.indices().add_domain(dim, "e"));
      }
      const auto point = invert_access(graph.indices(), partial.index, owner.domains, element);
      if (point) continue;
      return fail("{} of residual {} has no inverse: {}",
                  printer.text(graph.access(partial.unknown, partial.index, 0)), owner.name,
                  point.error().what);
    }
  }
  return {};
}

Expected<void> check_jtj(const Energy& energy, const std::vector<ResidualRef>& residuals) {
  return check_gather(energy, residuals);
}

}  // namespace thallo
