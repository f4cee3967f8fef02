// The program without main(), for tests.
#pragma once

#include <QApplication>

namespace thallo::gui {

// Reads the command line, shows the window and runs until it is closed. Returns the exit code: 0; 1
// if a picture could not be made; 2 if the command line cannot be followed, for example because it
// asks for a window without a display, or for a picture of a problem that cannot be opened.
int run(QApplication& app, bool isWithoutDisplay);

}  // namespace thallo::gui
