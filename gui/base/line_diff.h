// Compares two texts line by line: which lines must be removed from the first and added to obtain
// the second.
#pragma once

#include <vector>

#include <QStringList>

namespace thallo::gui {

enum class LineChange { None, Added, Removed };

struct LineDiff {
  // The lines of both texts in an order compatible with both; a common line occurs once.
  QStringList lines;
  std::vector<LineChange> changes;  // for each line

  int count(LineChange change) const;
};

// Returns the difference with the fewest changes (Myers, "An O(ND) difference algorithm and its
// variations", 1986). Texts with very little in common are not compared completely: then everything
// between their common beginning and their common end is removed and added.
LineDiff lineDiff(const QString& from, const QString& to);

}  // namespace thallo::gui
