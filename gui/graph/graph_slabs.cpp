#include "gui/graph/graph_slabs.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <QObject>

#include "gui/base/text.h"

namespace thallo::gui {
namespace {

bool flagOf(const ChoiceRow& choice, const char* name) { return choice.args.value_or(name, false); }

// Returns the choice that differs in this slab only from what the node stores; absent if there is
// none. The sites may still be those of the schedule before, so what they have chosen does not
// count.
std::optional<std::size_t> toggledChoice(const SiteRow& site, const GraphNode& node,
                                         const GraphSlab& slab) {
  if (node.kind == DagKind::Sum) {
    // The default comes first.
    if (!std::holds_alternative<Toggle>(site.editor)) return std::nullopt;
    return slab.isOn ? 0 : 1;
  }
  // Other constructs may decide about an intermediate, too.
  if (std::ranges::none_of(site.choices, [](const ChoiceRow& row) { return flagOf(row, "value"); }))
    return std::nullopt;
  const bool isOfValue = slab.name == QLatin1String("value");
  const bool value = isOfValue ? !slab.isOn : node.storesValue;
  const bool gradient = isOfValue ? node.storesGradient : !slab.isOn;
  for (std::size_t i = 0; i < site.choices.size(); ++i) {
    const ChoiceRow& choice = site.choices[i];
    if (flagOf(choice, "value") == value && flagOf(choice, "gradient") == gradient) return i;
  }
  return std::nullopt;
}

QString shortShare(const ChoiceRow& choice) {
  constexpr double Least = 5e-4;
  const double share = choice.change ? choice.change->to / choice.change->from - 1 : 0;
  if (!std::isfinite(share) || std::abs(share) < Least) return {};
  return signedText(share, significant(100 * std::abs(share), 2) + QStringLiteral(" %"));
}

void findToggle(const GraphNode& node, GraphSlab& slab, const std::vector<const SiteRow*>& sites) {
  for (const SiteRow* site : sites) {
    const auto choice = toggledChoice(*site, node, slab);
    if (!choice) continue;
    const ChoiceRow& row = site->choices[*choice];
    slab.toggle = {.construct = site->construct, .site = site->name, .label = row.label};
    slab.illegal = row.illegal;
    slab.cost = costWords(*site, *choice);
    slab.gain = shortShare(row);
    return;
  }
}

}  // namespace

QString GraphSlab::tip() const {
  const bool isParallel = name == QLatin1String("parallel");
  QString tip = isParallel ? (isOn ? QObject::tr("The Sum is computed in parallel and stored.")
                                   : QObject::tr("The Sum is computed wherever it is read."))
                : isOn     ? QObject::tr("The %1 is stored.").arg(name)
                           : QObject::tr("The %1 is computed wherever it is read.").arg(name);
  if (!illegal.isEmpty()) return tip + '\n' + QObject::tr("It stays so: %1").arg(illegal);
  tip += '\n' + QObject::tr("A click changes that; meanwhile the cut that it would make is drawn.");
  const QString costs = cost.sentence();
  return costs.isEmpty() ? tip : tip + '\n' + costs;
}

std::size_t numSlabs(const GraphNode& node) {
  return node.kind == DagKind::Intermediate ? 2 : node.kind == DagKind::Sum ? 1 : 0;
}

std::vector<GraphSlab> slabsOf(const GraphNode& node, const std::vector<const SiteRow*>& sites) {
  std::vector<GraphSlab> slabs;
  if (node.kind == DagKind::Intermediate) {
    slabs = {{.name = QStringLiteral("value"), .isOn = node.storesValue},
             {.name = QStringLiteral("gradient"), .isOn = node.storesGradient}};
  } else if (node.kind == DagKind::Sum) {
    slabs = {{.name = QStringLiteral("parallel"), .isOn = node.storesValue}};
  }
  for (GraphSlab& slab : slabs) findToggle(node, slab, sites);
  return slabs;
}

}  // namespace thallo::gui
