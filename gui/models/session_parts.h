// What models keep in a session beside the problem and its schedule: what is unfolded, selected,
// filtered and set. A model takes its part back when the problem of the session is open.
#pragma once

#include <functional>

#include <QJsonObject>

namespace thallo::gui {

class ComparisonModel;
class GraphModel;
class SelectionModel;
class SolveModel;
class SpaceModel;

struct SessionPart {
  std::function<QJsonObject()> save;
  // Of an empty object: as in a session that does not know the part.
  std::function<void(const QJsonObject&)> restore;
};

// The schedule that the current one is compared with, and whether the comparison is looked at.
SessionPart sessionPart(ComparisonModel& comparison);
// The nodes that are unfolded.
SessionPart sessionPart(GraphModel& graph);
// The store that was opened in place of the problem's own, the device, what is shown beside it, and
// which candidates are shown.
SessionPart sessionPart(SpaceModel& space);
// How the last run was made; not what it came to.
SessionPart sessionPart(SolveModel& solve);
SessionPart sessionPart(SelectionModel& selection);

}  // namespace thallo::gui
