// A problem without C++ in the making: an energy text, what its inputs are bound to, and the .toml
// file (core/problem/files/problem_file.h) that says so.
#pragma once

#include <utility>
#include <vector>

#include <QString>

#include "core/base/diagnostic.h"

namespace thallo::gui {

// What an energy asks for.
struct EnergyInput {
  QString name;
  QString kind;       // "unknown", "array", "param", "map", "dim"
  QString shape;      // "W × H, 2 channels"; empty for a number
  QString accepts;    // what can be bound to it
  bool isFile;        // a file is one of these
  bool mayBeMissing;  // an unknown starts at zero; files give the extents of most dims

  friend bool operator==(const EnergyInput&, const EnergyInput&) = default;
};

struct EnergyDraft {
  QString energy;  // the .lua file
  QString file;    // the .toml file to be written
  QString title;
  std::vector<std::pair<QString, QString>> bindings;  // as `thallo run --bind`; files are absolute
};

// Fields, then maps, then dims. Fails as `thallo run` does for a text with faults.
Expected<std::vector<EnergyInput>> readEnergyInputs(const QString& energy);

// The text of the .toml file; files in its folder are named relative to it.
QString problemFileText(const EnergyDraft& draft);

// Writes the file, if the energy takes these bindings; else all that is wrong with
// them, one a line.
Expected<void> writeProblemFile(const EnergyDraft& draft);

// All that is wrong with an energy text that is called by that file; empty when nothing is.
QString energyFault(const QString& text, const QString& file, int* line = nullptr);

}  // namespace thallo::gui
