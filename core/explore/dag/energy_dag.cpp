#include "core/explore/dag/energy_dag.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/base/suggest.h"
#include "core/explore/dag/expansion.h"
#include "core/explore/dag/overview.h"
#include "core/schedule/plan_names.h"

namespace thallo {

class EnergyDag::Implementation {
 public:
  explicit Implementation(const Energy& energy) : subject_(energy) {}

  Expected<DagView> view(const Plan& plan, const DagViewOptions& options) {
    const std::vector<DagComputation> computations = subject_.computations(plan);
    const Recomputation again(subject_, plan, computations);
    const DagFigures figures(subject_, plan, options.sizes);
    const std::set<std::string> expanded(options.expanded.begin(), options.expanded.end());
    DagViewBuilder builder;
    DagOverview overview(builder, subject_, plan, computations, again, figures, expanded);
    if (auto known = check(expanded, overview.expandable()); !known) return fail(known.error());
    overview.add_nodes();
    std::size_t num_left = 0;
    for (const DagComputation& computation : computations)
      num_left += expanded.contains(computation.id);
    for (const DagComputation& computation : computations) {
      if (!expanded.contains(computation.id)) {
        overview.connect(computation);
        continue;
      }
      const std::vector<DagRoot> roots = roots_of(computation, plan, builder);
      const std::size_t left = options.max_nodes - std::min(options.max_nodes, builder.num_nodes());
      DagExpansion(builder, subject_, overview, again, figures, computation)
          .add(roots, std::max<std::size_t>(1, left / num_left--));
      overview.connect_derivatives(computation);
    }
    return std::move(builder).finish(subject_.energy().name());
  }

 private:
  static Expected<void> check(const std::set<std::string>& expanded,
                              const std::vector<std::string>& known) {
    for (const std::string& id : expanded) {
      if (std::ranges::find(known, id) != known.end()) continue;
      return fail(Diagnostic{
          fmt::format("'{}' is nothing that can be expanded{}", id, did_you_mean(id, known)),
          {},
          known});
    }
    return {};
  }

  // Returns what flows into the computation's own node. For a part, adds nodes for its residuals,
  // which the values flow into instead.
  std::vector<DagRoot> roots_of(const DagComputation& computation, const Plan& plan,
                                DagViewBuilder& builder) {
    DagNode& node = builder[computation.id];
    node.is_expanded = true;
    node.cluster = node.id;
    std::vector<DagRoot> roots;
    const auto part = std::ranges::find(
        plan.parts, node.kind == DagKind::Part ? node.site->name : "", &Part::name);
    for (std::size_t i = 0; i < computation.values.size(); ++i) {
      const ExprId value = computation.values[i];
      if (part == plan.parts.end()) {
        const bool is_alone = computation.values.size() == 1;
        roots.push_back({value, node.id, is_alone ? "" : fmt::format("[{}]", i)});
        continue;
      }
      const std::string name = residual_name(subject_.energy(), part->residuals[i]);
      DagNode& residual = builder.add({.id = "residual:" + name,
                                       .kind = DagKind::Residual,
                                       .name = name,
                                       .text = subject_.text_of({value}, name),
                                       .domains = node.domains,
                                       .site = Site{SiteKind::Residual, name},
                                       .frequency = node.frequency});
      residual.cluster = node.id;
      builder.connect(residual.id, node.id, false);
      roots.push_back({value, residual.id, ""});
    }
    return roots;
  }

  DagSubject subject_;
};

EnergyDag::EnergyDag(const Energy& energy)
    : implementation_(std::make_unique<Implementation>(energy)) {}
EnergyDag::~EnergyDag() = default;

Expected<DagView> EnergyDag::view(const Plan& plan, const DagViewOptions& options) const {
  return implementation_->view(plan, options);
}

}  // namespace thallo
