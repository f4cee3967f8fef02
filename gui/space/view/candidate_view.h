// Shows the candidates as a table, with the controls that filter them.
#pragma once

#include <QWidget>

namespace thallo::gui {

class Workspace;

QWidget* makeCandidateView(Workspace& workspace);

}  // namespace thallo::gui
