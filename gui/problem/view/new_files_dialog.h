// Begins a new problem or construct: runs `thallo new` and shows the files that it has made.
#pragma once

#include <QDialog>

namespace thallo::gui {

class Workspace;

enum class NewFiles { Problem, Construct };
QDialog* showNewFiles(Workspace& workspace, NewFiles what, QWidget* parent);

}  // namespace thallo::gui
