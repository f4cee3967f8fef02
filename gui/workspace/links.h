// What belongs together: the lines of the energy, the nodes of the graph, the sites of the schedule
// and the steps of the program that what is selected comes from or becomes. All views light it in
// one color.
#pragma once

#include <set>

#include <QObject>
#include <QString>

#include "gui/graph/graph_model.h"
#include "gui/kernels/kernel_model.h"
#include "gui/workspace/selection.h"

namespace thallo::gui {

struct LinkedParts {
  std::set<int> lines;      // of the energy's text, from 1
  std::set<QString> nodes;  // GraphNode::id
  std::set<QString> sites;  // SiteRow::name
  std::set<QString> parts;  // of the schedule, all of whose steps belong
  std::set<QString> steps;  // labels, of kernels whose texts are known

  // True if the step belongs. `label` is its label.
  bool hasStep(const QString& label) const;
  // True if the site belongs. `id` is SiteRow::id().
  bool hasSite(const QString& id) const { return sites.contains(id.section('@', 1)); }
  // True if one of the lines belongs.
  bool hasLine(const std::vector<int>& of) const;

  friend bool operator==(const LinkedParts&, const LinkedParts&) = default;
};

// Kernels of another schedule than the graph's are ignored; then steps belong by their parts.
LinkedParts linkedParts(const Selection& selection, const GraphSnapshot& graph,
                        const KernelSnapshot* kernels);

// Returns the label of the kernel whose text to show: the selected step, else `shown` as long as it
// belongs, else the one that belongs and takes the most time, else the one that takes the most.
QString kernelToShow(const Selection& selection, const LinkedParts& linked,
                     const KernelSnapshot& kernels, const QString& shown);

class LinkModel final : public QObject {
  Q_OBJECT

 public:
  LinkModel(SelectionModel& selection, GraphModel& graph, KernelModel& kernels);

  const LinkedParts& linked() const { return m_linked; }

 Q_SIGNALS:
  void changed();

 private:
  void refresh();

  SelectionModel& m_selection;
  GraphModel& m_graph;
  KernelModel& m_kernels;
  LinkedParts m_linked;
};

}  // namespace thallo::gui
