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

std::vector<DomainId> element_of(IndexTable& indices, const Field& unknown) {
  std::vector<DomainId> element;
  for (const DimId dim : unknown.dims) element.push_back(indices.add_domain(dim, "e"));
  return element;
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
      return fail("it reads only one element in {}", std::abs(solved.coefficient));
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
      const auto point = invert_access(graph.indices(), partial.index, owner.domains,
                                       element_of(graph.indices(), energy.field(partial.unknown)));
      if (point) continue;
      return fail("{} of residual {} has no inverse: {}",
                  printer.text(graph.access(partial.unknown, partial.index, 0)), owner.name,
                  point.error().what);
    }
  }
  return {};
}

Expected<void> check_jtj(const Energy& energy, const std::vector<ResidualRef>& residuals) {
  if (auto invertible = check_gather(energy, residuals); !invertible) return invertible;
  ExprGraph graph = energy.graph();
  Differentiator differentiator(graph, energy);
  const ExprPrinter printer(graph, names_of(energy));
  for (const auto [group, residual] : residuals) {
    const ResidualGroup& owner = energy.groups()[group];
    const Gradient& gradient = differentiator.gradient(owner.residuals[residual]);
    for (const Partial& row : gradient) {
      const std::vector<DomainId> element = element_of(graph.indices(), energy.field(row.unknown));
      const auto point = invert_access(graph.indices(), row.index, owner.domains, element);
      for (const Partial& col : gradient) {
        // Every point of a Sum around the one meets every point of a Sum around the other.
        DomainSubstitution other_names;
        for (const DomainId loop : col.loops) {
          const Domain domain = graph.indices().domain(loop);
          other_names[loop] =
              graph.indices().component(graph.indices().add_domain(domain.dim, domain.name));
        }
        const IndexId col_index = graph.indices().substitute(col.index, other_names);
        const IndexId met = graph.indices().substitute(col_index, *point);
        std::vector<DomainId> varying = graph.indices().domains_of(met);
        std::erase_if(varying, [&](DomainId domain) {
          return std::ranges::find(element, domain) != element.end();
        });
        if (varying.empty()) continue;
        return fail(
            "{} and {} of residual {} are at no fixed offset: it varies with the domain "
            "'{}' of a Sum",
            printer.text(graph.access(row.unknown, row.index, 0)),
            printer.text(graph.access(col.unknown, col.index, 0)), owner.name,
            graph.indices().domain(varying.front()).name);
      }
    }
  }
  return {};
}

}  // namespace thallo
