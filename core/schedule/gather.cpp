#include "core/schedule/gather.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/diff/gradient.h"
#include "core/energy/print.h"

namespace thallo {
namespace {

// The residual domain of a component and its coefficient, when the component has exactly one.
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

// Solves the components of an access, each for the residual domain in it. `element` is the loop
// variable over the elements of the unknown in that dimension.
class ComponentInverse {
 public:
  ComponentInverse(IndexTable& indices, std::span<const SparseMap> maps,
                   std::span<const DomainId> residual_domains, const InvertMap& invert_map)
      : indices_(indices),
        maps_(maps),
        residual_domains_(residual_domains),
        invert_map_(invert_map) {}

  Expected<void> solve(const Affine& component, DomainId element) {
    const bool is_affine = std::ranges::all_of(component.terms, [this](const AffineTerm& term) {
      return indices_.atom(term.atom).is_domain();
    });
    return is_affine ? solve_affine(component, element) : solve_lookup(component, element);
  }

  AccessInverse take() && { return std::move(inverse_); }

 private:
  Expected<void> solve_affine(const Affine& component, DomainId element) {
    const SolvedTerm solved = solve_for(indices_, component, residual_domains_);
    if (solved.num_residual_domains == 0)
      return fail("one of its components is the same everywhere");
    if (solved.num_residual_domains > 1) return fail("one of its components mixes several domains");
    if (solved.coefficient != 1 && solved.coefficient != -1) {
      return fail("it reads only one element in {}", std::abs(solved.coefficient));
    }
    // e = c x + rest  ->  x = c (e - rest), c = 1 or -1
    const Affine own = IndexTable::scale(indices_.component(solved.domain), solved.coefficient);
    const Affine rest = indices_.add(component, own, -1);
    const Affine difference = indices_.add(indices_.component(element), rest, -1);
    return set(solved.domain, IndexTable::scale(difference, solved.coefficient));
  }

  // e = map(x)  ->  x is one of the points that the map sends to e
  Expected<void> solve_lookup(const Affine& component, DomainId element) {
    if (!invert_map_) return fail("it goes through a sparse map");
    const AtomId lookup = indices_.as_map_lookup(component);
    if (!lookup.valid()) return fail("it reads beside the element a sparse map says");
    const Atom& atom = indices_.atom(lookup);
    const SparseMap& map = maps_[atom.map.index()];
    if (map.in.size() != 1 || map.out.size() != 1)
      return fail("the sparse map {} has several dims", map.name);
    const DomainId domain = indices_.as_domain(indices_[atom.argument].front());
    if (std::ranges::find(residual_domains_, domain) == residual_domains_.end())
      return fail("the sparse map {} is not read at a domain of the residual", map.name);
    THALLO_ASSERT(indices_.domain(domain).dim == map.in.front(), "an energy has such reads alone");
    const MapInverse inverse = invert_map_(atom.map, indices_.component(element));
    inverse_.runs.push_back(inverse.run);
    return set(domain, inverse.point);
  }

  Expected<void> set(DomainId domain, Affine value) {
    if (!inverse_.point.emplace(domain, std::move(value)).second)
      return fail("a domain occurs in several of its components");
    return {};
  }

  IndexTable& indices_;
  std::span<const SparseMap> maps_;
  std::span<const DomainId> residual_domains_;
  const InvertMap& invert_map_;
  AccessInverse inverse_;
};

bool goes_through_map(const IndexTable& indices, IndexId index) {
  return std::ranges::any_of(indices[index], [&](const Affine& component) {
    return std::ranges::any_of(component.terms, [&](const AffineTerm& term) {
      return !indices.atom(term.atom).is_domain();
    });
  });
}

// Stands in for the inverse of any map, to ask only whether an access has an inverse.
InvertMap some_inverse(IndexTable& indices, const Energy& energy) {
  return [&](MapId map, const Affine& /*element*/) {
    const DomainId run = indices.add_domain(energy.maps()[map.index()].in.front(), "run");
    return MapInverse{indices.component(run), run};
  };
}

// Visits every partial derivative of the residuals by an unknown until one fails.
template <class Visit>
Expected<void> for_each_partial(const Energy& energy, ExprGraph& graph,
                                const std::vector<ResidualRef>& residuals, Visit visit) {
  Differentiator differentiator(graph, energy);
  for (const auto [group, residual] : residuals) {
    const ResidualGroup& owner = energy.groups()[group];
    for (const Partial& partial : differentiator.gradient(owner.residuals[residual])) {
      if (auto done = visit(owner, partial); !done) return done;
    }
  }
  return {};
}

// The element of the unknown that a partial derivative refers to, with all its channels,
// "P(V0(e))": accesses are inverted for elements, not for channels.
std::string element_text(const Energy& energy, const ExprPrinter& printer, const Partial& partial) {
  const std::string index = printer.text(partial.index);
  const std::string& unknown = energy.field(partial.unknown).name;
  return index.empty() ? unknown : fmt::format("{}({})", unknown, index);
}

// Fails for the first access without an inverse. With `maps`, sparse maps have inverses.
Expected<void> check_inverses(const Energy& energy, const std::vector<ResidualRef>& residuals,
                              bool maps) {
  ExprGraph graph = energy.graph();
  const ExprPrinter printer(graph, names_of(energy));
  const InvertMap invert_map = maps ? some_inverse(graph.indices(), energy) : InvertMap();
  const auto check = [&](const ResidualGroup& owner, const Partial& partial) -> Expected<void> {
    const auto inverse =
        invert_access(graph.indices(), energy.maps(), partial.index, owner.domains,
                      element_of(graph.indices(), energy.field(partial.unknown)), invert_map);
    if (inverse) return {};
    return fail("{} of residual {} has no inverse: {}", element_text(energy, printer, partial),
                owner.name, inverse.error().what);
  };
  return for_each_partial(energy, graph, residuals, check);
}

}  // namespace

Expected<AccessInverse> invert_access(IndexTable& indices, std::span<const SparseMap> maps,
                                      IndexId index, std::span<const DomainId> residual_domains,
                                      std::span<const DomainId> element,
                                      const InvertMap& invert_map) {
  ComponentInverse solver(indices, maps, residual_domains, invert_map);
  const MultiIndex components = indices[index];
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (auto solved = solver.solve(components[i], element[i]); !solved) return fail(solved.error());
  }
  AccessInverse inverse = std::move(solver).take();
  if (inverse.point.size() < residual_domains.size())
    return fail("many residual points read the same element");
  return inverse;
}

Expected<void> check_gather(const Energy& energy, const std::vector<ResidualRef>& residuals) {
  return check_inverses(energy, residuals, true);
}

bool reads_through_map(const Energy& energy, const std::vector<ResidualRef>& residuals) {
  ExprGraph graph = energy.graph();
  const auto is_affine = [&](const ResidualGroup&, const Partial& partial) -> Expected<void> {
    if (goes_through_map(graph.indices(), partial.index)) return fail("through a map");
    return {};
  };
  return !for_each_partial(energy, graph, residuals, is_affine);
}

bool neighbors_share_elements(const Energy& energy, const Part& part) {
  ExprGraph graph = energy.graph();
  const auto is_apart = [&](const ResidualGroup&, const Partial& partial) -> Expected<void> {
    if (goes_through_map(graph.indices(), partial.index)) return fail("through a map");
    const std::vector<DomainId>& domains = graph.indices().domains_of(partial.index);
    if (std::ranges::find(domains, part.order.front()) == domains.end())
      return fail("the same element");
    return {};
  };
  return !for_each_partial(energy, graph, part.residuals, is_apart);
}

Expected<void> check_jtj(const Energy& energy, const std::vector<ResidualRef>& residuals) {
  if (auto invertible = check_inverses(energy, residuals, false); !invertible) return invertible;
  ExprGraph graph = energy.graph();
  Differentiator differentiator(graph, energy);
  const ExprPrinter printer(graph, names_of(energy));
  for (const auto [group, residual] : residuals) {
    const ResidualGroup& owner = energy.groups()[group];
    const Gradient& gradient = differentiator.gradient(owner.residuals[residual]);
    for (const Partial& row : gradient) {
      const std::vector<DomainId> element = element_of(graph.indices(), energy.field(row.unknown));
      const auto inverse =
          invert_access(graph.indices(), energy.maps(), row.index, owner.domains, element);
      for (const Partial& col : gradient) {
        // Every point of a Sum around `row` meets every point of a Sum around `col`, so the loops
        // of `col` get domains of their own.
        DomainSubstitution other_names;
        for (const DomainId loop : col.loops) {
          const Domain domain = graph.indices().domain(loop);
          other_names[loop] =
              graph.indices().component(graph.indices().add_domain(domain.dim, domain.name));
        }
        const IndexId col_index = graph.indices().substitute(col.index, other_names);
        const IndexId met = graph.indices().substitute(col_index, inverse->point);
        std::vector<DomainId> varying = graph.indices().domains_of(met);
        std::erase_if(varying, [&](DomainId domain) {
          return std::ranges::find(element, domain) != element.end();
        });
        if (varying.empty()) continue;
        return fail(
            "{} and {} of residual {} are at no fixed offset: it varies with the domain "
            "'{}' of a Sum",
            element_text(energy, printer, row), element_text(energy, printer, col), owner.name,
            graph.indices().domain(varying.front()).name);
      }
    }
  }
  return {};
}

}  // namespace thallo
