// The parts of a session that models save, besides the problem and its schedule: what is expanded,
// selected, filtered and set. A model gets its part back once the session's problem is open.
#pragma once

#include <QJsonObject>

namespace thallo::gui {

class Workspace;

QJsonObject saveParts(Workspace& workspace);
// Leaves alone what the session has no part of.
void restoreParts(Workspace& workspace, const QJsonObject& parts);

}  // namespace thallo::gui
