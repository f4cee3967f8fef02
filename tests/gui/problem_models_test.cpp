#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QAbstractItemModelTester>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>

#include "gui/jobs/command.h"
#include "gui/problem/energy_draft.h"
#include "gui/problem/problem_list.h"
#include "gui/problem/recent_problems.h"
#include "gui/workspace/log_model.h"
#include "tests/gui/own_energy.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Tester = QAbstractItemModelTester;

gui::Catalog some_catalog() {
  gui::Catalog catalog;
  catalog.problems = {{.name = "bundle", .title = "Bundle adjustment", .shows = "sparse maps"},
                      {.name = "fit", .title = "Curves", .shows = "a dense Jacobian"},
                      {.name = "warp", .title = "Image warping", .shows = "a stencil with maps"}};
  catalog.plugins = {{"/a.thallo.so", "a", "1.0.0", {"problem fit"}, ""},
                     {"/b.thallo.so", "", "", {}, "b: broken"}};
  return catalog;
}

TEST(ProblemList, IsSearchedByWordsInAnyOrder) {
  gui::ProblemList list;
  gui::ProblemFilter filter;
  filter.setSourceModel(&list);
  const Tester tests(&list, Tester::FailureReportingMode::Fatal);
  const Tester tests_filter(&filter, Tester::FailureReportingMode::Fatal);
  list.setCatalog(std::make_shared<const gui::Catalog>(some_catalog()));
  const auto found = [&](const QString& search) {
    filter.setSearch(search);
    std::vector<std::string> names;
    for (int row = 0; row < filter.rowCount(); ++row)
      names.push_back(
          filter.index(row, 0).data(gui::ProblemList::NameRole).toString().toStdString());
    return names;
  };
  EXPECT_THAT(found(""), ElementsAre("bundle", "fit", "warp"));
  EXPECT_THAT(found("maps"), ElementsAre("bundle", "warp"));
  EXPECT_THAT(found(" MAPS  image "), ElementsAre("warp"));
  EXPECT_THAT(found("nothing"), ElementsAre());
  EXPECT_FALSE(filter.find("fit").isValid());
}

TEST(ProblemList, KeepsWhatIsSelectedWhenTheProblemsAreTheSame) {
  gui::ProblemList list;
  const QSignalSpy resets(&list, &QAbstractItemModel::modelReset);
  list.setCatalog(std::make_shared<const gui::Catalog>(some_catalog()));
  list.setCatalog(std::make_shared<const gui::Catalog>(some_catalog()));
  EXPECT_EQ(resets.count(), 1);
}

TEST(Catalog, CountsThePluginsThatFailed) { EXPECT_EQ(some_catalog().numFailed(), 1); }

TEST(LogModel, TakesRecordsOfOtherThreads) {
  const LogCapture quiet;
  gui::LogModel log;
  gui::LogFilter filter;
  filter.setSourceModel(&log);
  const Tester tests(&log, Tester::FailureReportingMode::Fatal);
  const Tester tests_filter(&filter, Tester::FailureReportingMode::Fatal);
  std::thread([] {
    logger("gui").warn("the first");
    logger("gui").error("the second");
  }).join();
  EXPECT_EQ(log.rowCount(), 0) << "records arrive by the event loop";
  ASSERT_TRUE(wait_until([&] { return log.rowCount() == 2; }));
  EXPECT_EQ(log.index(0, gui::LogModel::TextColumn).data().toString(), "the first");
  EXPECT_EQ(log.unreadCount(), 2);
  filter.setLevel(LogLevel::Error);
  ASSERT_EQ(filter.rowCount(), 1);
  EXPECT_EQ(filter.index(0, gui::LogModel::TextColumn).data().toString(), "the second");
  log.markRead();
  EXPECT_EQ(log.unreadCount(), 0);
  log.clear();
  EXPECT_EQ(filter.rowCount(), 0);
}

TEST(LogModel, ForgetsTheOldest) {
  const LogCapture quiet;
  gui::LogModel log;
  for (int i = 0; i < gui::LogModel::Capacity + 3; ++i) logger("gui").warn("number {}", i);
  const QString last = QStringLiteral("number %1").arg(gui::LogModel::Capacity + 2);
  ASSERT_TRUE(wait_until([&] {
    return log.index(log.rowCount() - 1, gui::LogModel::TextColumn).data().toString() == last;
  }));
  EXPECT_EQ(log.rowCount(), gui::LogModel::Capacity);
  EXPECT_EQ(log.index(0, gui::LogModel::TextColumn).data().toString(), "number 3");
}

TEST(RecentProblems, AreKeptWithTheirOptionsAndBeginWithTheNewest) {
  const gui::RecentProblem first{{"warp", {{"file", "a=b.png"}}, "h200"}, ""};
  const gui::RecentProblem second{{"own", {}, "cpu"}, "/tmp/own.toml"};
  {
    gui::RecentProblems recent;
    recent.clear();
    const Tester tests(&recent, Tester::FailureReportingMode::Fatal);
    for (const auto& problem : {second, first, second, first}) recent.add(problem);
  }
  gui::RecentProblems recent;
  EXPECT_THAT(recent.all(), ElementsAre(first, second));
  EXPECT_EQ(recent.index(0).data().toString(), "warp · file=a=b.png · h200");
  recent.clear();
}

TEST(OptionFault, IsThatOfTheCommandLine) {
  const OptionSpec size{
      .name = "size", .default_value = std::int64_t{128}, .minimum = 2, .maximum = 64};
  EXPECT_EQ(gui::optionFault(size, "32"), "");
  EXPECT_THAT(gui::optionFault(size, "many").toStdString(), HasSubstr("'many' is none"));
  EXPECT_THAT(gui::optionFault(size, "65").toStdString(), HasSubstr("at most 64"));
  const OptionSpec kind{
      .name = "kind", .default_value = std::string("soft"), .choices = {"soft", "hard"}};
  EXPECT_EQ(gui::optionFault(kind, "hard"), "");
  EXPECT_THAT(gui::optionFault(kind, "herd").toStdString(), HasSubstr("legal: soft, hard"));
}

TEST(EnergyDraft, ListsTheInputsOfAnEnergy) {
  const OwnEnergy own;
  Session session;
  const auto energy = gui::loadEnergy(session, own.energy());
  ASSERT_TRUE(energy) << energy.error().message();
  const auto inputs = gui::inputsOf(**energy);
  std::vector<std::string> lines;
  for (const gui::EnergyInput& input : inputs)
    lines.push_back(
        (input.kind + ' ' + input.name + (input.mayBeMissing ? " or not" : "")).toStdString());
  EXPECT_THAT(
      lines, ElementsAre("unknown X or not", "array A", "param w", "dim W or not", "dim H or not"));
  EXPECT_EQ(inputs.front().shape, QStringLiteral("W × H"));
}

TEST(EnergyDraft, IsWrittenOnlyWhenTheEnergyTakesIt) {
  const OwnEnergy own;
  gui::EnergyDraft draft{own.energy(), own.problemFile(), "My \"own\"", {{"A", "ramp.0"}}};
  Session session;
  const auto refused = gui::writeProblemFile(session, draft);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("w"));
  EXPECT_FALSE(QFile::exists(own.problemFile()));
  draft.bindings = OwnEnergy::bindings();
  const auto written = gui::writeProblemFile(session, draft);
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(gui::problemFileText(draft).toStdString(),
            "title = \"My \\\"own\\\"\"\nenergy = \"own_energy.lua\"\n\n[bind]\nA = \"ramp.0\"\n"
            "w = 0.5\nW = 16\nH = 12\n");
}

TEST(EnergyDraft, HasANameThatNoOtherProblemHas) {
  const OwnEnergy own;
  Session session;
  EXPECT_EQ(gui::freeProblemFile(session, own.energy()), own.problemFile());
  EXPECT_EQ(gui::freeProblemFile(session, "/p/image_warping.t"), "/p/image_warping_2.toml");
  gui::EnergyDraft draft{own.energy(), QFileInfo(own.energy()).dir().filePath("image_warping.toml"),
                         "", OwnEnergy::bindings()};
  const auto refused = gui::writeProblemFile(session, draft);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(),
              testing::AllOf(HasSubstr("there is a problem 'image_warping' already, of "),
                             HasSubstr("give the problem file another name")));
  EXPECT_FALSE(QFile::exists(draft.file));
}

TEST(EnergyDraft, NamesFilesInItsFolderRelativeToIt) {
  const gui::EnergyDraft draft{
      "/p/e.lua", "/p/e.toml", "", {{"A", "/p/in/a.png"}, {"B", "/q/b.png"}}};
  EXPECT_EQ(gui::problemFileText(draft).toStdString(),
            "energy = \"e.lua\"\n\n[bind]\nA = \"in/a.png\"\nB = \"/q/b.png\"\n");
}

TEST(EnergyText, HasFaultsWithTheirLine) {
  Session session;
  int line = 0;
  EXPECT_EQ(gui::energyFault(session, OwnEnergy::text(), "e.lua", &line), "");
  const QString fault =
      gui::energyFault(session, QString(OwnEnergy::text()).replace("w *", "v *"), "e.lua", &line);
  EXPECT_THAT(fault.toStdString(), HasSubstr("e.lua:4"));
  EXPECT_EQ(line, 4);
}

TEST(Command, GivesWhatIsPrintedAndWhatIsWrong) {
  std::optional<Expected<QString>> printed;
  const auto run = [&](const QStringList& program, std::chrono::milliseconds limit) {
    printed.reset();
    new gui::Command(
        program, [&](const Expected<QString>& text) { printed = text; }, qApp, limit);
    return wait_until([&] { return printed.has_value(); });
  };
  ASSERT_TRUE(run({"/bin/sh", "-c", "echo out; echo err >&2"}, std::chrono::seconds(20)));
  EXPECT_EQ(printed->value().toStdString(), "out\n");
  ASSERT_TRUE(run({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, std::chrono::seconds(20)));
  EXPECT_EQ(printed->error().message(), "err");
  ASSERT_TRUE(run({"/no/such/program"}, std::chrono::seconds(20)));
  EXPECT_THAT(printed->error().message(), HasSubstr("cannot be started"));
  ASSERT_TRUE(run({"/bin/sleep", "30"}, std::chrono::milliseconds(50)));
  EXPECT_THAT(printed->error().message(), HasSubstr("did not end"));
}

TEST(RecentProblem, SaysItsDeviceInWords) {
  EXPECT_EQ((gui::RecentProblem{{.problem = "poisson", .device = "here:cpu:0"}, {}}.text()),
            "poisson · this machine (cpu)");
  EXPECT_EQ((gui::RecentProblem{{.problem = "poisson", .device = "h200"}, {}}.text()),
            "poisson · h200");
}

}  // namespace
}  // namespace thallo::test
