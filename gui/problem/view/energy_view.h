// Shows the energy of the open problem: its sizes, and its text both as written and as Thallo
// understands it. Of a problem that could not be opened, it shows the text alone, to be mended.
// The user's own energies (from .toml files) can be edited: faults appear while typing, and saving
// reopens the problem.
#pragma once

#include <QWidget>

namespace thallo::gui {

class Workspace;

QWidget* makeEnergyView(Workspace& workspace);

}  // namespace thallo::gui
