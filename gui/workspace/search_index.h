// Finds things by name: problems, schedules, sites, steps of the program, and what other models
// add. Matches at the beginning of the name come first, then matches at the beginning of a word,
// then names that contain the letters in order.
#pragma once

#include <functional>
#include <vector>

#include <QString>

namespace thallo::gui {

struct SearchEntry {
  QString kind;  // "problem", "schedule", "site"
  QString name;  // matched and displayed
  QString detail;
  std::function<void()> go;  // shows the thing
};

// Returns how well a name matches what was typed: 0 means no match, higher is better. Case is
// ignored.
int matchQuality(const QString& name, const QString& typed);

// Returns at most `most` matches, the best first; entries of equal quality keep their order. If
// nothing is typed, returns the first entries.
std::vector<SearchEntry> findEntries(const std::vector<SearchEntry>& entries, const QString& typed,
                                     std::size_t most);

}  // namespace thallo::gui
