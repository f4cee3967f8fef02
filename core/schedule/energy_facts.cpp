#include "core/schedule/energy_facts.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/diff/gradient.h"
#include "core/energy/dependence.h"
#include "core/energy/print.h"
#include "core/energy/unknown_spaces.h"
#include "core/schedule/gather.h"

namespace thallo {
namespace {

// A value that is found when it is first asked for.
template <class T>
class Lazy {
 public:
  template <class Find>
  const T& get(Find find) {
    std::call_once(is_found_, [&] { value_ = find(); });
    return *value_;
  }

 private:
  std::once_flag is_found_;
  std::optional<T> value_;
};

class ScheduleFacts final : public EnergyFacts {
 public:
  // By group and residual.
  template <class T>
  using OfResiduals = std::vector<std::vector<T>>;
  mutable Lazy<OfResiduals<ResidualFacts>> accesses;
  mutable Lazy<OfResiduals<Expected<void>>> fixed_offsets;
  mutable Lazy<std::vector<PlannedSum>> sums;
  mutable Lazy<std::vector<Expected<void>>> gradients;  // by intermediate
};

const ScheduleFacts& all_facts(const Energy& energy) {
  return static_cast<const ScheduleFacts&>(
      energy.facts([](const Energy&) -> std::unique_ptr<const EnergyFacts> {
        return std::make_unique<ScheduleFacts>();
      }));
}

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

// Reads the derivatives of all residuals by the unknowns, in a graph of its own.
class ResidualReader {
 public:
  explicit ResidualReader(const Energy& energy)
      : energy_(energy), graph_(energy.graph()), differentiator_(graph_, energy) {}

  ScheduleFacts::OfResiduals<ResidualFacts> accesses() {
    return of_all<ResidualFacts>([this](const Gradient& gradient) { return accesses(gradient); });
  }
  ScheduleFacts::OfResiduals<Expected<void>> fixed_offsets() {
    return of_all<Expected<void>>(
        [this](const Gradient& gradient) { return fixed_offsets(gradient); });
  }

 private:
  template <class T, class Read>
  ScheduleFacts::OfResiduals<T> of_all(const Read& read) {
    ScheduleFacts::OfResiduals<T> all;
    for (const ResidualGroup& group : energy_.groups()) {
      owner_ = &group;
      std::vector<T>& its = all.emplace_back();
      for (const ExprId residual : group.residuals)
        its.push_back(read(differentiator_.gradient(residual)));
    }
    return all;
  }

  ResidualFacts accesses(const Gradient& gradient) {
    ResidualFacts facts;
    facts.inverses_without_maps = check_inverses(gradient, {});
    for (const Partial& partial : gradient) {
      const auto inverse = check_inverse(partial, some_inverse(graph_.indices(), energy_));
      keep_first_failure(facts.inverses, inverse);
      keep_first_failure(facts.inverses_at[space_of(energy_, partial.unknown)], inverse);
      if (goes_through_map(graph_.indices(), partial.index))
        facts.spaces_through_maps.insert(space_of(energy_, partial.unknown));
      const std::vector<DomainId>& domains = graph_.indices().domains_of(partial.index);
      if (std::ranges::find(facts.access_domains, domains) == facts.access_domains.end())
        facts.access_domains.push_back(domains);
    }
    return facts;
  }

  Expected<void> fixed_offsets(const Gradient& gradient) {
    for (const Partial& row : gradient) {
      const std::vector<DomainId> element = element_of(row);
      const auto inverse =
          invert_access(graph_.indices(), energy_.maps(), row.index, owner_->domains, element);
      if (!inverse) return fail("{} has no inverse: {}", element_text(row), inverse.error().what);
      for (const Partial& col : gradient) {
        const std::optional<DomainId> varying = varying_domain(*inverse, element, col);
        if (!varying) continue;
        return fail(
            "{} and {} of residual {} are at no fixed offset: it varies with the domain '{}' of a "
            "Sum",
            element_text(row), element_text(col), owner_->name,
            graph_.indices().domain(*varying).name);
      }
    }
    return {};
  }

  Expected<void> check_inverse(const Partial& partial, const InvertMap& invert_map) {
    const auto inverse = invert_access(graph_.indices(), energy_.maps(), partial.index,
                                       owner_->domains, element_of(partial), invert_map);
    if (inverse) return {};
    return fail("{} of residual {} has no inverse: {}", element_text(partial), owner_->name,
                inverse.error().what);
  }
  Expected<void> check_inverses(const Gradient& gradient, const InvertMap& invert_map) {
    for (const Partial& partial : gradient) THALLO_CHECK(check_inverse(partial, invert_map));
    return {};
  }
  static void keep_first_failure(Expected<void>& kept, const Expected<void>& next) {
    if (kept) kept = next;
  }

  // A domain with which the offset from the element that has the inverse to `col` varies, if there
  // is one.
  std::optional<DomainId> varying_domain(const AccessInverse& inverse,
                                         const std::vector<DomainId>& element, const Partial& col) {
    IndexTable& indices = graph_.indices();
    // Every point of a Sum around the one access meets every point of a Sum around the other, so
    // the loops of the other get domains of their own.
    DomainSubstitution other_names;
    for (const DomainId loop : col.loops) {
      const Domain domain = indices.domain(loop);
      other_names[loop] = indices.component(indices.add_domain(domain.dim, domain.name));
    }
    const IndexId col_index = indices.substitute(col.index, other_names);
    for (const DomainId domain : indices.domains_of(indices.substitute(col_index, inverse.point))) {
      if (std::ranges::find(element, domain) == element.end()) return domain;
    }
    return {};
  }

  // A domain for each dim of the unknown that the access reads.
  std::vector<DomainId> element_of(const Partial& partial) {
    std::vector<DomainId> element;
    for (const DimId dim : energy_.field(partial.unknown).dims)
      element.push_back(graph_.indices().add_domain(dim, "e"));
    return element;
  }

  // The element of the unknown that a partial derivative refers to, with all its channels,
  // "P(V0(e))": accesses are inverted for elements, not for channels.
  std::string element_text(const Partial& partial) const {
    const std::string index = ExprPrinter(graph_, names_of(energy_)).text(partial.index);
    const std::string& unknown = energy_.field(partial.unknown).name;
    return index.empty() ? unknown : fmt::format("{}({})", unknown, index);
  }

  const Energy& energy_;
  const ResidualGroup* owner_ = nullptr;  // the group that is read
  ExprGraph graph_;
  Differentiator differentiator_;
};

std::vector<PlannedSum> find_sums(const Energy& energy) {
  const ExprGraph& graph = energy.graph();
  UnknownDependence depends(energy.data());
  std::vector<PlannedSum> sums;
  for (const ResidualGroup& group : energy.groups()) {
    for (const ExprId residual : group.residuals) {
      for (const ExprId node : nodes_behind(energy.data(), {residual})) {
        if (graph[node].op != Op::Sum || !depends.value(graph.operands(node).front())) continue;
        if (std::ranges::find(sums, node, &PlannedSum::sum) != sums.end()) continue;
        const auto named = std::ranges::find(energy.sums(), node, &NamedSum::sum);
        THALLO_ASSERT(named != energy.sums().end(), "a Sum has no name");
        sums.push_back({node, named->name, false});
      }
    }
  }
  return sums;
}

std::vector<Expected<void>> find_gradients(const Energy& energy) {
  UnknownDependence depends(energy.data());
  std::vector<Expected<void>> gradients;
  for (const Intermediate& intermediate : energy.intermediates()) {
    const auto any = [&](auto depends_on) {
      return std::ranges::any_of(intermediate.values, depends_on);
    };
    if (any([&](ExprId value) { return depends.derivative(value); })) {
      gradients.emplace_back();
    } else if (any([&](ExprId value) { return depends.value(value); })) {
      gradients.push_back(fail("its derivatives by the unknowns are all 0"));
    } else {
      gradients.push_back(fail("it reads no unknown"));
    }
  }
  return gradients;
}

}  // namespace

const ResidualFacts& facts_of(const Energy& energy, ResidualRef residual) {
  return all_facts(energy).accesses.get(
      [&] { return ResidualReader(energy).accesses(); })[residual.group][residual.residual];
}

const Expected<void>& fixed_offsets_of(const Energy& energy, ResidualRef residual) {
  return all_facts(energy).fixed_offsets.get(
      [&] { return ResidualReader(energy).fixed_offsets(); })[residual.group][residual.residual];
}

const std::vector<PlannedSum>& sums_of(const Energy& energy) {
  return all_facts(energy).sums.get([&] { return find_sums(energy); });
}

const Expected<void>& check_gradient(const Energy& energy, std::size_t intermediate) {
  return all_facts(energy).gradients.get([&] { return find_gradients(energy); })[intermediate];
}

}  // namespace thallo
