// Finds anything by its name: problems, schedules, sites, steps of the program, and what other
// models add. The order of hits: those that begin with the words, then those where a word begins
// with them, then those that have their letters in order.
#pragma once

#include <functional>
#include <vector>

#include <QString>

namespace thallo::gui {

struct SearchEntry {
  QString kind;  // "problem", "schedule", "site"
  QString name;  // what is matched and shown
  QString detail;
  std::function<void()> go;  // shows it
};

// How well a name fits what is typed: 0 not at all, more is better. Letters count without case.
int matchQuality(const QString& name, const QString& typed);

// The best hits, best first, at most so many; entries of equal quality keep their order. All of
// them, as far as there is room, where nothing is typed.
std::vector<SearchEntry> findEntries(const std::vector<SearchEntry>& entries, const QString& typed,
                                     std::size_t most);

}  // namespace thallo::gui
