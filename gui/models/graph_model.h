// The graph of the current schedule: what is expanded, and where everything lies.
#pragma once

#include <QStringList>

#include "gui/jobs/dot_process.h"
#include "gui/models/choice_text.h"
#include "gui/models/graph_data.h"
#include "gui/models/inspection.h"
#include "gui/models/schedule_model.h"

namespace thallo::gui {

class GraphModel final : public QObject {
  Q_OBJECT

 public:
  GraphModel(JobRunner& analysisRunner, ProblemModel& problems, ScheduleModel& schedule,
             QObject* parent = nullptr);

  const Remote<GraphSnapshot>& graph() const { return m_graph; }
  DotProcess& dot() { return m_dot; }
  // Ids of nodes that show what they are made of.
  const QStringList& expanded() const { return m_expanded; }
  void setExpanded(const QStringList& ids);
  void toggleExpanded(const QString& id);
  // Makes the layout again, after a failure.
  void refresh();
  // Shows this graph until the schedule or what is expanded changes.
  void show(std::shared_ptr<const GraphSnapshot> graph);

  // What can be decided about what a node stands for: none when nothing, or it is not known yet.
  std::vector<const SiteRow*> sitesOf(const GraphNode& node) const;
  // What the best single choice at its sites would gain. Absent where none gains, or
  // nothing is known.
  std::optional<Gain> gainOf(const GraphNode& node) const;
  // Stores something else of the node: the next legal choice, as they are listed. Choices that are
  // not legal are skipped; the reason why of the first is told by ScheduleModel::refused() when no
  // other is legal.
  void storeNext(const GraphNode& node);
  std::optional<Inspection> describe(const QString& id) const;

 Q_SIGNALS:
  void graphChanged();
  void expandedChanged();

 private:
  void onProblemChanged();
  void layOut(std::shared_ptr<GraphSnapshot> graph, const QByteArray& dotText);

  JobRunner& m_runner;
  ProblemModel& m_problems;
  ScheduleModel& m_schedule;
  DotProcess m_dot;
  QStringList m_expanded;
  Remote<GraphSnapshot> m_graph;
  QString m_asked;  // the hash of the schedule whose graph is shown or under way
};

}  // namespace thallo::gui
