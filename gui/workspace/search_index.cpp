#include "gui/workspace/search_index.h"

#include <algorithm>

namespace thallo::gui {
namespace {

// True if the letters of `typed` occur in `name` in this order.
bool hasInOrder(const QString& name, const QString& typed) {
  qsizetype next = 0;
  for (const QChar letter : name)
    if (next < typed.size() && letter == typed[next]) ++next;
  return next == typed.size();
}

bool beginsAWord(const QString& name, const QString& typed) {
  for (qsizetype at = name.indexOf(typed); at >= 0; at = name.indexOf(typed, at + 1))
    if (at == 0 || !name[at - 1].isLetterOrNumber()) return true;
  return false;
}

}  // namespace

int matchQuality(const QString& name, const QString& typed) {
  const QString in = name.toLower(), wanted = typed.trimmed().toLower();
  if (wanted.isEmpty()) return 1;
  if (in == wanted) return 5;
  if (in.startsWith(wanted)) return 4;
  if (beginsAWord(in, wanted)) return 3;
  if (in.contains(wanted)) return 2;
  return hasInOrder(in, wanted) ? 1 : 0;
}

std::vector<SearchEntry> findEntries(const std::vector<SearchEntry>& entries, const QString& typed,
                                     std::size_t most) {
  std::vector<std::pair<int, const SearchEntry*>> hits;
  for (const SearchEntry& entry : entries)
    if (const int quality = matchQuality(entry.name, typed)) hits.emplace_back(quality, &entry);
  std::ranges::stable_sort(hits, std::greater<>(), &std::pair<int, const SearchEntry*>::first);
  std::vector<SearchEntry> best;
  for (std::size_t i = 0; i < std::min(most, hits.size()); ++i) best.push_back(*hits[i].second);
  return best;
}

}  // namespace thallo::gui
