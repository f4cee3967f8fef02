// Makes a problem from an energy text: asks for the bindings of its inputs, writes them to a .toml
// file, and opens it. What is bound is checked while it is typed: below each input stands how large
// its file is, or what is wrong with it.
#pragma once

#include <QDialog>
#include <QString>

namespace thallo::gui {

class Workspace;

QDialog* showNewEnergy(Workspace& workspace, const QString& energy, QWidget* parent);
// Does that for a text that was written a moment ago, or says why that could not be written.
void showWrittenEnergy(Workspace& workspace, const QString& energy, const Expected<void>& written,
                       QWidget* parent);

}  // namespace thallo::gui
