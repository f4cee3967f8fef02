#include "gui/base/line_diff.h"

#include <algorithm>

#include <QHash>

namespace thallo::gui {
namespace {

// The search stops at this many changes: time and memory grow with the square, and nobody reads so
// many.
constexpr int MostChanges = 1500;

// Maps lines to numbers, with equal numbers for equal lines.
class LineNumbers {
 public:
  std::vector<int> of(const QStringList& lines) {
    std::vector<int> numbers;
    for (const QString& line : lines) {
      const auto known = m_numbers.constFind(line);
      numbers.push_back(known == m_numbers.cend() ? add(line) : *known);
    }
    return numbers;
  }

 private:
  int add(const QString& line) {
    const int number = static_cast<int>(m_numbers.size());
    m_numbers.insert(line, number);
    return number;
  }

  QHash<QString, int> m_numbers;
};

// Searches a path from (0, 0) to the ends of both texts: a step right removes a line, a step down
// adds one, and a diagonal step keeps one. For each number of changes and each diagonal k = x - y,
// stores the furthest reachable x.
class ShortestPath {
 public:
  ShortestPath(const std::vector<int>& from, const std::vector<int>& to) : m_from(from), m_to(to) {}

  // Returns the changes, from the first line to the last.
  std::vector<LineChange> find() {
    const int mostNeeded = numFrom() + numTo();
    std::vector<int> reach = {0};
    for (int changes = 0; changes <= std::min(mostNeeded, MostChanges); ++changes) {
      std::vector<int> next(static_cast<std::size_t>(changes) + 1);
      for (int i = 0; i <= changes; ++i) {
        const int k = 2 * i - changes;
        int x = changes == 0 ? 0 : step(reach, changes, i).x;
        while (x < numFrom() && x - k < numTo() && m_from[at(x)] == m_to[at(x - k)]) ++x;
        next[at(i)] = x;
        if (x >= numFrom() && x - k >= numTo()) return trace(changes, i);
      }
      m_reaches.push_back(next);
      reach = std::move(next);
    }
    std::vector<LineChange> all(m_from.size(), LineChange::Removed);
    all.insert(all.end(), m_to.size(), LineChange::Added);
    return all;
  }

 private:
  struct Step {
    int x;  // after the change
    int i;  // the diagonal it came from, among those with one change less
    bool isAddition;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int numFrom() const { return static_cast<int>(m_from.size()); }
  int numTo() const { return static_cast<int>(m_to.size()); }

  // Returns the best last change before diagonal 2 i - changes. `reach` belongs to one change less.
  static Step step(const std::vector<int>& reach, int changes, int i) {
    const bool isAddition = i == 0 || (i < changes && reach[at(i - 1)] < reach[at(i)]);
    return isAddition ? Step{reach[at(i)], i, true} : Step{reach[at(i - 1)] + 1, i - 1, false};
  }

  std::vector<LineChange> trace(int changes, int i) const {
    std::vector<LineChange> path;
    int x = numFrom();
    for (; changes > 0; --changes) {
      const Step last = step(m_reaches[at(changes - 1)], changes, i);
      path.insert(path.end(), at(x - last.x), LineChange::None);
      path.push_back(last.isAddition ? LineChange::Added : LineChange::Removed);
      x = last.isAddition ? last.x : last.x - 1;
      i = last.i;
    }
    path.insert(path.end(), at(x), LineChange::None);
    std::ranges::reverse(path);
    return path;
  }

  const std::vector<int>& m_from;
  const std::vector<int>& m_to;
  std::vector<std::vector<int>> m_reaches;  // indexed by the number of changes
};

}  // namespace

int LineDiff::count(LineChange change) const {
  return static_cast<int>(std::ranges::count(changes, change));
}

LineDiff lineDiff(const QString& from, const QString& to) {
  QStringList before = from.split('\n'), after = to.split('\n');
  LineNumbers numbers;
  std::vector<int> a = numbers.of(before), b = numbers.of(after);
  const auto numHead = std::ranges::mismatch(a, b).in1 - a.begin();
  a.erase(a.begin(), a.begin() + numHead);
  b.erase(b.begin(), b.begin() + numHead);
  std::size_t numTail = 0;
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.pop_back();
    b.pop_back();
    ++numTail;
  }
  LineDiff diff;
  diff.changes.assign(static_cast<std::size_t>(numHead), LineChange::None);
  const std::vector<LineChange> middle = ShortestPath(a, b).find();
  diff.changes.insert(diff.changes.end(), middle.begin(), middle.end());
  diff.changes.insert(diff.changes.end(), numTail, LineChange::None);
  qsizetype i = 0, k = 0;
  for (const LineChange change : diff.changes) {
    diff.lines.append(change == LineChange::Added ? after[k] : before[i]);
    if (change != LineChange::Added) ++i;
    if (change != LineChange::Removed) ++k;
  }
  return diff;
}

}  // namespace thallo::gui
