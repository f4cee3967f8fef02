// Times what a user waits for and prints it, beside what the app promises: on every problem from
// a change of the schedule to its prediction, and from a problem or an expansion to a graph that
// is laid out; frames of a large graph, a large space, the start of the window, and the memory
// of the process.
#pragma once

#include "gui/app/main_window.h"

namespace thallo::gui {

// Returns the exit code: 1 if something does not work, such as a problem that does not open. A
// target that is missed is no failure.
int runBenchmark(MainWindow& window, Workspace& workspace, const QString& device);

}  // namespace thallo::gui
