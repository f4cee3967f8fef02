// The graph of the current schedule, with the expanded nodes and the layout.
#pragma once

#include <map>
#include <set>
#include <utility>

#include <QSizeF>
#include <QStringList>

#include "gui/graph/graph_data.h"
#include "gui/graph/graph_slabs.h"
#include "gui/jobs/dot_process.h"
#include "gui/schedule/choice_text.h"
#include "gui/schedule/schedule_model.h"

namespace thallo::gui {

// What the graph would be if an edit of the schedule were made, as far as its own nodes are there,
// too.
struct GraphPreview {
  struct Change {
    bool isGone = false;  // true if there is no such node
    bool isFar = false, isStored = false;
    bool movesSide = false, changesStored = false;  // true if this differs from how it is
  };
  Trial trial;                        // what was tried
  std::map<QString, Change> changes;  // by the id of the node; those that are as they are lack
  std::set<std::pair<QString, QString>> cut;  // the edges that would cross it, by the nodes' ids
  std::map<QString, QString> names;           // of nodes, by the name of their site

  // "sin, cos(Angle): value, −3.4 % (−213 µs), 4.10 MB"
  QString words() const;
};

class GraphModel final : public QObject {
  Q_OBJECT

 public:
  GraphModel(JobRunner& analysisRunner, ProblemModel& problems, ScheduleModel& schedule);

  const Remote<GraphSnapshot>& graph() const { return m_graph; }
  DotProcess& dot() { return m_dot; }
  // Ids of the expanded nodes, which show what they are made of.
  const QStringList& expanded() const { return m_expanded; }
  void setExpanded(const QStringList& ids);
  void toggleExpanded(const QString& id);
  // Makes the layout again, after a failure.
  void refresh();
  // Fits the graph into a page of that size, as the one that shows it is.
  void setPage(const QSizeF& page);
  // Shows this graph as it is until the schedule or the expanded nodes change.
  void show(std::shared_ptr<const GraphSnapshot> graph);

  // Returns the sites that decide about the node; none if there are none or they are not known yet.
  std::vector<const SiteRow*> sitesOf(const GraphNode& node) const;
  // Returns the gain of the best single choice at the node's sites. Absent if no choice gains, or
  // if nothing is known.
  std::optional<Gain> gainOf(const GraphNode& node) const;
  // Makes the next legal choice about storing the node, in the order of the list; illegal choices
  // are skipped. If no other choice is legal, ScheduleModel::refused() is emitted with the reason
  // of the first one.
  void storeNext(const GraphNode& node);
  // The slabs of the node, with what toggling them costs as far as that is known.
  std::vector<GraphSlab> slabsOf(const GraphNode& node) const;
  // Turns a slab of the node on or off. If that is illegal, ScheduleModel::refused() is emitted.
  void toggle(const GraphNode& node, std::size_t slab);
  // Tries out what toggle() would do, which then is the trial of the schedule.
  void tryToggle(const GraphNode& node, std::size_t slab);
  // What the graph would be with the edit that is tried out, here or elsewhere; null if none is, or
  // if it is not known yet.
  const std::shared_ptr<const GraphPreview>& preview() const { return m_preview; }

 Q_SIGNALS:
  void graphChanged();
  void expandedChanged();
  void previewChanged();

 private:
  // True if the sites are those of the current schedule: a second key press, before the first one
  // has changed the schedule, would undo it.
  bool areSitesCurrent() const;
  void onProblemChanged();
  void fit();
  void onTrial();
  void setPreview(std::shared_ptr<const GraphPreview> preview);
  void layOut(std::shared_ptr<GraphSnapshot> graph, const QByteArray& dotText);

  JobRunner& m_runner;
  ProblemModel& m_problems;
  ScheduleModel& m_schedule;
  DotProcess m_dot;
  QStringList m_expanded;
  Remote<GraphSnapshot> m_graph;
  std::shared_ptr<const GraphSnapshot> m_laidOut;  // before it was fitted; null if there is none
  QSizeF m_page;                                   // empty until it is known
  std::shared_ptr<const GraphPreview> m_preview;
  QString m_asked;  // hash of the schedule whose graph is shown or requested
};

}  // namespace thallo::gui
