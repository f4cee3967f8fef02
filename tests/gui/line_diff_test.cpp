#include "gui/base/line_diff.h"

#include <random>

#include <gtest/gtest.h>

namespace thallo::test {
namespace {

using gui::LineChange;
using gui::LineDiff;

// " a-b+c": each line with its sign.
std::string signs(const LineDiff& diff) {
  std::string text;
  for (std::size_t i = 0; i < diff.changes.size(); ++i) {
    text += diff.changes[i] == LineChange::Added  ? '+'
            : diff.changes[i] == LineChange::None ? ' '
                                                  : '-';
    text += diff.lines[static_cast<qsizetype>(i)].toStdString();
  }
  return text;
}

// What is left of the lines without those of a kind.
QString without(const LineDiff& diff, LineChange change) {
  QStringList lines;
  for (std::size_t i = 0; i < diff.changes.size(); ++i)
    if (diff.changes[i] != change) lines.append(diff.lines[static_cast<qsizetype>(i)]);
  return lines.join('\n');
}

TEST(LineDiff, KeepsEqualTexts) { EXPECT_EQ(signs(gui::lineDiff("a\nb", "a\nb")), " a b"); }

TEST(LineDiff, ShowsALineThatIsAnother) {
  EXPECT_EQ(signs(gui::lineDiff("a\nb\nc", "a\nx\nc")), " a-b+x c");
}

TEST(LineDiff, ShowsWhatWasAddedAndRemoved) {
  EXPECT_EQ(signs(gui::lineDiff("a\nb", "a\nx\nb")), " a+x b");
  EXPECT_EQ(signs(gui::lineDiff("a\nx\nb", "a\nb")), " a-x b");
}

TEST(LineDiff, MakesEachTextOfTheOtherWithTheFewestChanges) {
  EXPECT_EQ(gui::lineDiff("a\nb\nc\na\nb\nb\na", "c\nb\na\nb\na\nc").count(LineChange::None), 4)
      << "the longest common subsequence of Myers' example";
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    QStringList texts[2];
    for (QStringList& text : texts)
      for (auto i = random() % 20; i > 0; --i) text.append(QString::number(random() % 4));
    const QString from = texts[0].join('\n'), to = texts[1].join('\n');
    const LineDiff diff = gui::lineDiff(from, to);
    EXPECT_EQ(without(diff, LineChange::Added), from);
    EXPECT_EQ(without(diff, LineChange::Removed), to);
  }
}

TEST(LineDiff, ReplacesTextsThatHaveNothingInCommon) {
  QStringList from, to;
  for (int i = 0; i < 3000; ++i) {
    from.append(QString("a%1").arg(i));
    to.append(QString("b%1").arg(i));
  }
  const LineDiff diff = gui::lineDiff("head\n" + from.join('\n'), "head\n" + to.join('\n'));
  EXPECT_EQ(diff.count(LineChange::None), 1);
  EXPECT_EQ(diff.count(LineChange::Removed), 3000);
  EXPECT_EQ(diff.count(LineChange::Added), 3000);
}

}  // namespace
}  // namespace thallo::test
