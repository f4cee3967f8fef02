// Edited schedules are kept: beside others of the problem, when another problem is opened, when the
// program ends without a warning, and when two programs are at it.
#include "gui/schedule/schedule_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QSignalSpy>

#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using gui::Kept;
using gui::ScheduleShelf;

class Shelf : public testing::Test {
 protected:
  QString folder() const { return QString::fromStdString(dir.path().string()); }
  QStringList files(const QString& pattern = "*.json") const {
    QStringList found;
    QDirIterator it(folder(), {pattern}, QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext()) found.append(it.next());
    return found;
  }
  static std::vector<std::string> names(const ScheduleShelf& shelf) {
    std::vector<std::string> all;
    for (const Kept& kept : shelf.all()) all.push_back(kept->name.toStdString());
    return all;
  }
  static void write(const QString& path, const QByteArray& content) {
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(content);
  }

  const TempDir dir;
};

TEST_F(Shelf, WritesASoonAsSomethingIsKept) {
  ScheduleShelf shelf(folder());
  shelf.open("image_warping", {"auto"});
  const Kept edited = shelf.add("edited", "-- one\n");
  shelf.change(edited, "-- two\n", "r.");
  ScheduleShelf crashed(folder());  // the first one has not ended
  crashed.open("image_warping", {"auto"});
  ASSERT_EQ(crashed.all().size(), 1);
  EXPECT_EQ(crashed.all().front()->name, "edited");
  EXPECT_EQ(crashed.all().front()->text, "-- two\n");
  EXPECT_EQ(crashed.all().front()->draft, "r.");
}

TEST_F(Shelf, IsOfOneProblem) {
  ScheduleShelf shelf(folder());
  shelf.open("/home/me/own.toml", {});
  const Kept mine = shelf.add("edited", "-- mine\n");
  shelf.open("/home/you/own.toml", {});
  EXPECT_TRUE(shelf.all().empty());
  shelf.add("edited", "-- yours\n");
  shelf.open("/home/me/own.toml", {});
  ASSERT_EQ(shelf.all().size(), 1);
  EXPECT_EQ(shelf.all().front(), mine) << "it is the same entry";
}

TEST_F(Shelf, GivesEachANameOfItsOwn) {
  ScheduleShelf shelf(folder());
  shelf.open("image_warping", {"auto", "edited"});
  shelf.add("edited", "");
  shelf.add("edited", "");
  EXPECT_THAT(names(shelf), testing::ElementsAre("edited 2", "edited 3"));
  const Kept second = shelf.find("edited 3");
  EXPECT_EQ(shelf.rename(second, " auto ").error().message(),
            "there is a schedule 'auto' already (legal: any name that is not taken, as 'auto 2')");
  EXPECT_EQ(shelf.rename(second, " ").error().message(),
            "a schedule needs a name (legal: any that is not taken)");
  ASSERT_TRUE(shelf.rename(second, "fast"));
  ScheduleShelf later(folder());
  later.open("image_warping", {});
  EXPECT_THAT(names(later), testing::ElementsAre("edited 2", "fast"));
}

TEST_F(Shelf, KeepsBothOfTwoProgramsThatChangeOneSchedule) {
  ScheduleShelf first(folder()), second(folder());
  first.open("image_warping", {});
  const Kept mine = first.add("edited", "-- base\n");
  second.open("image_warping", {});
  second.change(second.all().front(), "-- theirs\n", {});
  const QSignalSpy told(&first, &ScheduleShelf::told);
  first.change(mine, "-- mine\n", {});
  EXPECT_EQ(told.count(), 1);
  ScheduleShelf later(folder());
  later.open("image_warping", {});
  ASSERT_EQ(later.all().size(), 2);
  EXPECT_EQ(later.find("edited")->text, "-- theirs\n");
  EXPECT_EQ(later.find("edited 2")->text, "-- mine\n");
  EXPECT_EQ(first.all().size(), 2);
  EXPECT_EQ(mine->text, "-- mine\n");
  first.change(mine, "-- more\n", {});
  EXPECT_EQ(told.count(), 1) << "each has its own now";
}

TEST_F(Shelf, DoesNotBringBackWhatWasDeletedUnlessAsked) {
  ScheduleShelf shelf(folder());
  shelf.open("image_warping", {});
  const Kept edited = shelf.add("edited", "-- one\n");
  shelf.remove(edited);
  EXPECT_TRUE(files().empty());
  shelf.open("curve_fit", {});
  shelf.open("image_warping", {});
  EXPECT_TRUE(shelf.all().empty());
  shelf.change(edited, "-- one\n", {});  // as by undo
  EXPECT_THAT(names(shelf), testing::ElementsAre("edited"));
  EXPECT_EQ(files().size(), 1);
}

TEST_F(Shelf, PutsADamagedFileAsideAndSaysSo) {
  {
    ScheduleShelf shelf(folder());
    shelf.open("image_warping", {});
    shelf.add("edited", "-- one\n");
    shelf.add("other", "-- two\n");
  }
  const QString damaged = files().front();
  write(damaged, "{\"format\": \"thal");
  ScheduleShelf shelf(folder());
  const QSignalSpy told(&shelf, &ScheduleShelf::told);
  shelf.open("image_warping", {});
  EXPECT_EQ(shelf.all().size(), 1);
  ASSERT_EQ(told.count(), 1);
  const std::string sentence = told.front().front().toString().toStdString();
  EXPECT_THAT(sentence, testing::HasSubstr("damaged: at byte "));
  EXPECT_THAT(sentence, testing::HasSubstr(damaged.toStdString() + ".damaged"));
  EXPECT_FALSE(QFile::exists(damaged));
  EXPECT_EQ(files("*.damaged").size(), 1);
  write(damaged, "{}");
  shelf.open("image_warping", {});
  EXPECT_EQ(files("*.damaged2").size(), 1) << "and not over the first";
}

TEST_F(Shelf, LeavesFilesOfLaterVersionsAlone) {
  ScheduleShelf shelf(folder());
  shelf.open("image_warping", {});
  shelf.add("edited", "-- one\n");
  const QString path = files().front();
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QByteArray later = file.readAll().replace("\"version\": 1", "\"version\": 2");
  file.close();
  write(path, later);
  ScheduleShelf other(folder());
  const QSignalSpy told(&other, &ScheduleShelf::told);
  other.open("image_warping", {});
  EXPECT_TRUE(other.all().empty());
  EXPECT_EQ(told.count(), 1);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_EQ(file.readAll(), later);
}

TEST_F(Shelf, KeepsInMemoryWhatCannotBeWritten) {
  const QString blocked = folder() + "/file";
  write(blocked, "");
  ScheduleShelf shelf(blocked);
  const QSignalSpy told(&shelf, &ScheduleShelf::told);
  shelf.open("image_warping", {});
  const Kept edited = shelf.add("edited", "-- one\n");
  shelf.change(edited, "-- two\n", {});
  ASSERT_EQ(told.count(), 1) << "once";
  EXPECT_THAT(told.front().front().toString().toStdString(),
              testing::HasSubstr("cannot be written"));
  shelf.open("curve_fit", {});
  shelf.open("image_warping", {});
  ASSERT_EQ(shelf.all().size(), 1);
  EXPECT_EQ(shelf.all().front()->text, "-- two\n");
}

}  // namespace
}  // namespace thallo::test
