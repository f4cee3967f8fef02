// The parts of a session that models save, besides the problem and its schedule: what is expanded,
// selected, filtered and set. A model gets its part back once the session's problem is open.
#pragma once

#include <functional>

#include <QJsonObject>

namespace thallo::gui {

class ComparisonModel;
class GraphModel;
class PinModel;
class SelectionModel;
class SolveModel;
class SpaceModel;

struct SessionPart {
  std::function<QJsonObject()> save;
  // Called with an empty object if the session does not contain the part.
  std::function<void(const QJsonObject&)> restore;
};

// The schedule that the current one is compared with, and whether the comparison is visible.
SessionPart sessionPart(ComparisonModel& comparison);
// The expanded nodes.
SessionPart sessionPart(GraphModel& graph);
// What is pinned, as a schedule writes it.
SessionPart sessionPart(PinModel& pins);
// The store that was opened instead of the problem's own, the device, what is shown beside it, and
// the filter of candidates.
SessionPart sessionPart(SpaceModel& space);
// The settings of the last run; not its results.
SessionPart sessionPart(SolveModel& solve);
SessionPart sessionPart(SelectionModel& selection);

}  // namespace thallo::gui
