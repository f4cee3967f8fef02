#include "core/explore/space/published_groups.h"

#include <algorithm>
#include <utility>

#include "core/diff/gradient.h"
#include "core/energy/dependence.h"
#include "core/schedule/schedule_reader.h"

namespace thallo {
namespace {

// Returns the residuals of each part that the text's merges and splits make.
Expected<std::vector<std::vector<ResidualRef>>> written_groups(
    const EnergyFile& file, const ConstructRegistry& constructs) {
  THALLO_TRY(const auto written, read_schedule(file.energy, file.schedule, constructs));
  std::vector<Directive> partition = written.directives();
  std::erase_if(partition, [&](const Directive& directive) {
    return constructs.find(directive.construct)->stage() != Stage::Partition;
  });
  THALLO_TRY(const auto plan, make_plan(file.energy, Schedule(std::move(partition)), constructs));
  std::vector<std::vector<ResidualRef>> groups;
  for (const Part& part : plan.parts) groups.push_back(part.residuals);
  return groups;
}

std::vector<std::vector<ResidualRef>> single_residuals(const Energy& energy) {
  std::vector<std::vector<ResidualRef>> groups;
  for (std::size_t g = 0; g < energy.groups().size(); ++g) {
    for (std::size_t r = 0; r < energy.groups()[g].residuals.size(); ++r)
      groups.push_back({ResidualRef{g, r}});
  }
  return groups;
}

// Collects the facts of one group after the other; derivatives are made once for all of them.
class GroupFacts {
 public:
  GroupFacts(const Energy& energy, const Binding& binding)
      : energy_(energy),
        binding_(binding),
        graph_(energy.graph()),
        differentiator_(graph_, energy) {}

  PublishedGroup of(std::vector<ResidualRef> residuals) {
    PublishedGroup group;
    group.domains = energy_.groups()[residuals.front().group].domains;
    group.num_points = static_cast<double>(binding_.num_points(energy_, group.domains));
    group.can_gather = true;
    std::vector<ExprId> roots;
    for (const auto [owner, residual] : residuals) {
      const ResidualGroup& written = energy_.groups()[owner];
      roots.push_back(written.residuals[residual]);
      for (const Partial& partial : differentiator_.gradient(written.residuals[residual])) {
        group.entries_per_point += num_entries(partial);
        group.can_gather &= reads_at(partial.index, written.domains);
      }
    }
    group.has_sum =
        std::ranges::any_of(nodes_behind(energy_.data(), std::move(roots)),
                            [&](ExprId node) { return energy_.graph()[node].op == Op::Sum; });
    group.can_gather &= !group.has_sum;
    group.residuals = std::move(residuals);
    return group;
  }

 private:
  double num_entries(const Partial& partial) const {
    double count = 1;
    for (const DomainId loop : partial.loops)
      count *= static_cast<double>(binding_.extent(graph_.indices().domain(loop).dim));
    return count;
  }

  // True if the components are the domains, in their order, each plus a constant.
  bool reads_at(IndexId index, const std::vector<DomainId>& domains) const {
    const IndexTable& indices = graph_.indices();
    const auto is_at = [&](const Affine& component, DomainId domain) {
      return component.terms.size() == 1 && component.terms.front().coefficient == 1 &&
             indices.atom(component.terms.front().atom).domain == domain;
    };
    return std::ranges::equal(indices[index], domains, is_at);
  }

  const Energy& energy_;
  const Binding& binding_;
  ExprGraph graph_;
  Differentiator differentiator_;
};

}  // namespace

Expected<std::vector<PublishedGroup>> published_groups(const EnergyFile& file,
                                                       const Binding& binding, bool split,
                                                       const ConstructRegistry& constructs) {
  THALLO_TRY(auto members,
             split ? Expected<std::vector<std::vector<ResidualRef>>>(single_residuals(file.energy))
                   : written_groups(file, constructs));
  GroupFacts facts(file.energy, binding);
  std::vector<PublishedGroup> groups;
  for (std::vector<ResidualRef>& residuals : members)
    groups.push_back(facts.of(std::move(residuals)));
  return groups;
}

std::vector<std::size_t> published_intermediates(const Energy& energy) {
  UnknownDependence depends(energy.data());
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < energy.intermediates().size(); ++i) {
    const Intermediate& intermediate = energy.intermediates()[i];
    const bool has_derivative = std::ranges::any_of(
        intermediate.values, [&](ExprId value) { return depends.derivative(value); });
    if (!intermediate.is_found && has_derivative) positions.push_back(i);
  }
  return positions;
}

}  // namespace thallo
