// Saves the text of an energy, and asks before unsaved text is lost.
#pragma once

#include <functional>

#include <QWidget>

#include "gui/problem/energy_text.h"

namespace thallo::gui {

// Asks for the file to write an energy to, in the language of `suggested`: a name or a path.
void askForEnergyFile(QWidget* parent, const QString& title, const QString& suggested,
                      std::function<void(const QString& file)> chosen);

// Writes the text and calls `saved`. Asks for a file name if the text has no file or the file
// cannot be written; asks also if another program has changed the file meanwhile, or if nothing is
// left of the text. Calls nothing if the user cancels.
void saveEnergy(EnergyText& energy, QWidget* parent, std::function<void()> saved);

// Calls `proceed` at once if there is nothing to save; otherwise once the user has saved or
// discarded the text, and never if the user cancels.
void askToSave(EnergyText& energy, QWidget* parent, std::function<void()> proceed);

}  // namespace thallo::gui
