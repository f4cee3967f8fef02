// Times what a user waits for, and prints the times beside the promised limits: for every problem,
// from a change of the schedule to its prediction, and from opening or expanding to a graph that is
// laid out; also frames of a large graph, a large space, the start of the window, and the memory of
// the process.
#pragma once

#include "gui/app/main_window.h"

namespace thallo::gui {

// Returns the exit code: 1 if something does not work, such as a problem that does not open. A
// missed target is not a failure.
int runBenchmark(MainWindow& window, Workspace& workspace, const QString& device);

}  // namespace thallo::gui
