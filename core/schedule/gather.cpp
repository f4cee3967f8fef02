#include "core/schedule/gather.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/schedule/energy_facts.h"

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
    // A copy, since indices_.component() may add an atom.
    const Atom atom = indices_.atom(lookup);
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

const Expected<void>& no_failure() {
  static const Expected<void> none;
  return none;
}

// The first failure among the facts of these residuals that `fact_of` picks.
template <class FactOf>
const Expected<void>& first_failure(const std::vector<ResidualRef>& residuals, FactOf fact_of) {
  for (const ResidualRef residual : residuals) {
    if (const Expected<void>& fact = fact_of(residual); !fact) return fact;
  }
  return no_failure();
}

}  // namespace

Expected<AccessInverse> invert_access(IndexTable& indices, std::span<const SparseMap> maps,
                                      IndexId index, std::span<const DomainId> residual_domains,
                                      std::span<const DomainId> element,
                                      const InvertMap& invert_map) {
  ComponentInverse solver(indices, maps, residual_domains, invert_map);
  const MultiIndex components = indices[index];
  for (std::size_t i = 0; i < components.size(); ++i) {
    THALLO_CHECK(solver.solve(components[i], element[i]));
  }
  AccessInverse inverse = std::move(solver).take();
  if (inverse.point.size() < residual_domains.size())
    return fail("many residual points read the same element");
  return inverse;
}

const Expected<void>& check_gather(const Energy& energy,
                                   const std::vector<ResidualRef>& residuals) {
  return first_failure(residuals, [&](ResidualRef residual) -> const Expected<void>& {
    return facts_of(energy, residual).inverses;
  });
}

const Expected<void>& check_gather(const Energy& energy, const std::vector<ResidualRef>& residuals,
                                   std::size_t space) {
  return first_failure(residuals, [&](ResidualRef residual) -> const Expected<void>& {
    const auto& inverses_at = facts_of(energy, residual).inverses_at;
    const auto inverses = inverses_at.find(space);
    return inverses == inverses_at.end() ? no_failure() : inverses->second;
  });
}

const Expected<void>& check_gather(const Energy& energy, const std::vector<ResidualRef>& residuals,
                                   ComputeAt where) {
  if (!where.scatters()) return check_gather(energy, residuals);
  for (const std::size_t space : spaces_read(energy, residuals)) {
    if (!where.gathers_at(space)) continue;
    if (const auto& inverses = check_gather(energy, residuals, space); !inverses) return inverses;
  }
  return no_failure();
}

std::vector<std::size_t> spaces_read(const Energy& energy,
                                     const std::vector<ResidualRef>& residuals) {
  std::set<std::size_t> spaces;
  for (const ResidualRef residual : residuals)
    for (const auto& [space, inverses] : facts_of(energy, residual).inverses_at)
      spaces.insert(space);
  return {spaces.begin(), spaces.end()};
}

std::vector<ComputeAt> gathers_of(const Energy& energy, const std::vector<ResidualRef>& residuals) {
  constexpr std::size_t MostCombined = 4;
  const std::vector<std::size_t> spaces = spaces_read(energy, residuals);
  std::vector<ComputeAt> result = {ComputeAt::Output};
  if (spaces.size() > MostCombined) {
    for (const std::size_t space : spaces)
      if (space < ComputeAt::NumAlone) result.push_back(ComputeAt::output_of({space}));
    return result;
  }
  // The sets of spaces but the empty one and the whole.
  for (unsigned set = 1; set + 1 < 1U << spaces.size(); ++set) {
    std::vector<std::size_t> gathered;
    for (std::size_t i = 0; i < spaces.size(); ++i)
      if ((set >> i & 1U) != 0) gathered.push_back(spaces[i]);
    if (gathered.back() < ComputeAt::NumAlone) result.push_back(ComputeAt::output_of(gathered));
  }
  return result;
}

const Expected<void>& check_jtj(const Energy& energy, const std::vector<ResidualRef>& residuals) {
  const Expected<void>& inverses =
      first_failure(residuals, [&](ResidualRef residual) -> const Expected<void>& {
        return facts_of(energy, residual).inverses_without_maps;
      });
  if (!inverses) return inverses;
  return first_failure(residuals, [&](ResidualRef residual) -> const Expected<void>& {
    return fixed_offsets_of(energy, residual);
  });
}

ComputeAt most_gathered(const Energy& energy, const std::vector<ResidualRef>& residuals) {
  if (check_gather(energy, residuals)) return ComputeAt::Output;
  std::vector<std::size_t> gathered;
  for (const std::size_t space : spaces_read(energy, residuals))
    if (space < ComputeAt::NumAlone && check_gather(energy, residuals, space))
      gathered.push_back(space);
  return ComputeAt::output_of(gathered);
}

Plan gathered_plan(const Energy& energy) {
  Plan plan = default_plan(energy);
  for (Part& part : plan.parts)
    part.jtf = part.jtjp = part.jt = most_gathered(energy, part.residuals);
  return plan;
}

Expected<void> check_order(const Energy& energy, const Part& part) {
  const ComputeAt most = most_gathered(energy, part.residuals);
  const auto check = [&](std::string_view product, ComputeAt where) -> Expected<void> {
    for (const std::size_t space : spaces_read(energy, part.residuals)) {
      if (!most.gathers_at(space) || where.gathers_at(space)) continue;
      return fail(Diagnostic{
          fmt::format("r.{}.{} is {}, and the order of atomic additions differs from run to run: "
                      "solver option deterministic wants it {}",
                      part.name, product, to_string(energy, where), to_string(energy, most)),
          {},
          {fmt::format("r.{}.{}:compute_at_output({})", part.name, product,
                       arguments_of(energy, most))}});
    }
    return {};
  };
  THALLO_CHECK(check("JtF", part.jtf));
  if (stores_jtj(part.strategy)) return {};
  if (!stores_jp(part.strategy)) return check("JtJp", part.jtjp);
  if (!stores_j(part.strategy) || part.j_format == StorageFormat::Structured)
    return check("Jt", part.jt);
  if (part.j_format != StorageFormat::Csr) return {};
  return fail(Diagnostic{
      fmt::format("r.{}.J is stored as csr, and cuSPARSE adds up products with its "
                  "transpose in an order that differs from run to run: solver option "
                  "deterministic wants another format",
                  part.name),
      {},
      {fmt::format("r.{}.J:storage(\"{}\")", part.name, to_string(StorageFormat::Structured))}});
}

bool reads_through_map(const Energy& energy, const std::vector<ResidualRef>& residuals) {
  return std::ranges::any_of(residuals, [&](ResidualRef residual) {
    return !facts_of(energy, residual).spaces_through_maps.empty();
  });
}

bool reads_through_map(const Energy& energy, const std::vector<ResidualRef>& residuals,
                       std::size_t space) {
  return std::ranges::any_of(residuals, [&](ResidualRef residual) {
    return facts_of(energy, residual).spaces_through_maps.contains(space);
  });
}

bool neighbors_share_elements(const Energy& energy, const Part& part) {
  const auto varies = [&](const std::vector<DomainId>& domains) {
    return std::ranges::find(domains, part.order.front()) != domains.end();
  };
  return reads_through_map(energy, part.residuals) ||
         !std::ranges::all_of(part.residuals, [&](ResidualRef residual) {
           return std::ranges::all_of(facts_of(energy, residual).access_domains, varies);
         });
}

}  // namespace thallo
