// What is known of the files that inputs and options are bound to: how large they are, what they
// look like, and what is wrong with them. All functions read files, so they belong into jobs.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include <QImage>
#include <QString>

#include "core/energy/energy.h"

namespace thallo::gui {

struct InputFacts {
  QString fault;     // with what would be legal; empty if there is none
  QString size;      // "512 × 512, 3 channels, 3.15 MB", "1,200 edges, 9.60 kB"; empty: of no file
  QImage thumbnail;  // null unless it is an image

  friend bool operator==(const InputFacts&, const InputFacts&) = default;
};

// Names and sources, as in `thallo run --bind`.
using InputSources = std::vector<std::pair<QString, QString>>;

// By input. A fault that concerns several inputs is with each of them; one that concerns none is
// with the name "". Inputs that are not bound yet have no fault, unless `isComplete`.
std::map<QString, InputFacts> factsOfBindings(const Energy& energy, const InputSources& sources,
                                              bool isComplete);

// Of an option that names a file or folder. A problem may read formats that Thallo does not: of
// those, only the bytes are known.
InputFacts factsOfFile(const QString& path);

}  // namespace thallo::gui
