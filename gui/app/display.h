// Where there is no display, pictures are made all the same, and a window is refused in a sentence;
// Qt by itself aborts.
#pragma once

#include <string>
#include <vector>

namespace thallo::gui {

// To be called before the QApplication is made, with what the program was called with. Lets Qt draw
// offscreen where no display can be reached, unless the user has chosen a platform. True if it did
// not leave the choice to Qt; isOffscreen() tells later what came of it.
bool allowOffscreen(const std::vector<std::string>& arguments);

// Is it the offscreen platform that Qt has taken?
bool isOffscreen();

// Where a display was looked for: "DISPLAY=:7 cannot be reached".
std::string missingDisplay();

}  // namespace thallo::gui
