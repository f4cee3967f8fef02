// Saves the text of an energy, and asks before one is lost that was typed and not saved.
#pragma once

#include <functional>

#include <QWidget>

#include "gui/models/energy_text.h"

namespace thallo::gui {

// Writes the text and calls `saved`. A text that has no file, or whose file cannot be written, is
// asked a name for; so is the user when another program has changed the file meanwhile. Nothing is
// called when they cancel.
void saveEnergy(EnergyText& energy, QWidget* parent, std::function<void()> saved);

// Calls `proceed` at once if nothing is to be saved; else when the user has saved or discarded it,
// and never when they cancel.
void askToSave(EnergyText& energy, QWidget* parent, std::function<void()> proceed);

}  // namespace thallo::gui
