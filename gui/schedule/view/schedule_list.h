// Lists the named schedules of the problem and those on the shelf, with measured times or, where
// the store has none, estimates, and marks the current one. A changed schedule is on the shelf. A
// click takes a schedule; its menu has the other actions.
#pragma once

#include <QWidget>

namespace thallo::gui {

class Workspace;

QWidget* makeScheduleList(Workspace& workspace);

}  // namespace thallo::gui
