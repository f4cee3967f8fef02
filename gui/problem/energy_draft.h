// A problem without C++ that is being made: an energy text, the bindings of its inputs, and the
// .toml file (core/problem/files/problem_file.h) that will contain them.
#pragma once

#include <memory>
#include <vector>

#include <QString>

#include "core/base/diagnostic.h"
#include "core/energy/energy.h"
#include "core/plugin/session.h"
#include "gui/problem/bound_files.h"

namespace thallo::gui {

// An input that the energy asks for.
struct EnergyInput {
  QString name;
  QString kind;       // "unknown", "array", "param", "map", "dim"
  QString shape;      // "W × H, 2 channels"; empty for a number
  QString accepts;    // what can be bound to it
  bool isFile;        // true if it accepts a file
  bool mayBeMissing;  // unknowns start at zero; files give most extents

  friend bool operator==(const EnergyInput&, const EnergyInput&) = default;
};

struct EnergyDraft {
  QString energy;  // the file of the text
  QString file;    // the .toml file to be written
  QString title;
  // Bindings as in `thallo run --bind`; file paths are absolute, or those beside `file`.
  InputSources bindings;
};

// Fails as `thallo run` does if the text has faults.
Expected<std::shared_ptr<const Energy>> loadEnergy(Session& session, const QString& file);
// Returns the energy of a problem of a .toml file, whose options are bindings; null for a problem
// of a plugin.
Expected<std::shared_ptr<const Energy>> energyOfFileProblem(Session& session,
                                                            const QString& problem);
// Returns a file beside the energy for its inputs: NAME.toml, or NAME_2.toml and so on where
// another problem has the name.
QString freeProblemFile(Session& session, const QString& energy);
// Lists fields, then maps, then dims.
std::vector<EnergyInput> inputsOf(const Energy& energy);

// Writes an energy to start from, in place of what the file has.
Expected<void> writeEnergyToStartFrom(const QString& file);

// Names files by absolute paths, where they are beside the .toml file.
InputSources absoluteSources(const EnergyDraft& draft);

// Returns the text of the .toml file. It names files in its own folder by relative paths.
QString problemFileText(const EnergyDraft& draft);

// Writes the file if the energy accepts the bindings and no other problem has the name of the file.
// Otherwise fails with everything that is wrong, one fault per line.
Expected<void> writeProblemFile(Session& session, const EnergyDraft& draft);

// Returns everything that is wrong with an energy text, with faults that name `file`; empty if
// nothing is wrong.
QString energyFault(Session& session, const QString& text, const QString& file,
                    int* line = nullptr);

}  // namespace thallo::gui
