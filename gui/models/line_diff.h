// Two texts line by line: what must be removed from the first and added to make the second.
#pragma once

#include <vector>

#include <QStringList>

namespace thallo::gui {

enum class LineChange { None, Added, Removed };

struct LineDiff {
  // Every line of both texts, one that both have once, in an order that both keep.
  QStringList lines;
  std::vector<LineChange> changes;  // by line

  int count(LineChange change) const;
};

// With the fewest changes (Myers, "An O(ND) difference algorithm and its variations", 1986). Texts
// that have very little in common are not compared to the end: then all between the lines at which
// both begin and end alike is removed and added.
LineDiff lineDiff(const QString& from, const QString& to);

}  // namespace thallo::gui
