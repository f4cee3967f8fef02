#include "core/problem/report/report.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <stop_token>

#include "core/base/io/image.h"
#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::SizeIs;

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Report, IsWrittenAsImagesMeshesAndTables) {
  Report report;
  Image image(2, 1, 1);
  image.at(1, 0) = 1;
  Mesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 2, 3}};
  report.images.push_back({"before", "the start", image});
  report.meshes.push_back({"points", "all points", mesh});
  report.tables.push_back({"digits", "", {"name", "text"}, {{"", "a,b"}, {"b\"2", "x"}}});

  const test::TempDir folder;
  const auto out = folder.path() / "new" / "out";
  const auto written = write_report(report, out);
  ASSERT_TRUE(written);
  const auto is = [](WrittenFile::Kind kind, const std::filesystem::path& path,
                     const std::string& caption) {
    return testing::AllOf(testing::Field(&WrittenFile::kind, kind),
                          testing::Field(&WrittenFile::path, path),
                          testing::Field(&WrittenFile::caption, caption));
  };
  EXPECT_THAT(*written, ElementsAre(is(WrittenFile::Kind::Image, out / "before.png", "the start"),
                                    is(WrittenFile::Kind::Mesh, out / "points.ply", "all points"),
                                    is(WrittenFile::Kind::Table, out / "digits.csv", "")));
  EXPECT_EQ(read_image(out / "before.png").value(), image);
  EXPECT_EQ(read_mesh(out / "points.ply").value(), mesh);
  EXPECT_EQ(read_text(out / "digits.csv"), "name,text\n,\"a,b\"\n\"b\"\"2\",x\n");
}

TEST(Report, SaysWhichInputsItReplaces) {
  const test::TempDir folder;
  Report report;
  report.tables = {{"a", "", {"n"}, {}}, {"b", "", {"n"}, {}}};
  report.files.push_back({.path = folder.path() / "c.txt",
                          .caption = "X",
                          .write = [](const auto&) { return Expected<void>{}; }});
  report.inputs = {folder.path() / "sub" / ".." / "b.csv", folder.path() / "c.txt",
                   folder.path() / "d.txt", ""};
  folder.write("b.csv", "1");
  folder.write("c.txt", "1");
  std::filesystem::create_directory(folder.path() / "sub");
  LogCapture log;
  ASSERT_TRUE(write_report(report, folder.path()));
  const auto said = [](const LogRecord& record) { return record.text; };
  const std::string ending = " was an input of this run and is replaced";
  std::vector<std::string> warnings;
  std::ranges::transform(log.records(), std::back_inserter(warnings), said);
  EXPECT_THAT(warnings, ElementsAre((folder.path() / "b.csv").string() + ending,
                                    (folder.path() / "c.txt").string() + ending));
}

TEST(Report, NamesItsKindsAndTheFolderThatCannotBeMade) {
  using enum WrittenFile::Kind;
  for (const WrittenFile::Kind kind : {Image, Mesh, Table, File})
    EXPECT_EQ(parse_as(to_string(kind), kind).value(), kind);
  EXPECT_FALSE(parse_as("movie", WrittenFile::Kind()));
  const test::TempDir folder;
  const auto file = folder.write("taken", "");
  const auto written = write_report({}, file / "out");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().what, HasSubstr((file / "out").string()));
}

// Drawing a large mesh takes longer than its solve.
TEST(Report, DrawsAPictureOnceAndOnlyWhenItIsWritten) {
  int num_drawn = 0;
  const Drawing picture = [&num_drawn] {
    ++num_drawn;
    return Image(2, 1, 1);
  };
  const Drawing both = [picture] { return picture(); };
  const Report report{.images = {{"one", "", picture}, {"two", "", both}},
                      .tables = {{"path", "", {"t"}, {{"0"}}}}};
  EXPECT_EQ(num_drawn, 0);
  const test::TempDir folder;
  std::stop_source stop;
  stop.request_stop();
  {
    const StopScope scope(stop.get_token());
    const auto written = write_report(report, folder.path());
    ASSERT_TRUE(written);
    EXPECT_THAT(*written, SizeIs(1)) << "what was reached, without a picture";
  }
  EXPECT_EQ(num_drawn, 0);
  ASSERT_TRUE(write_report(report, folder.path()));
  EXPECT_EQ(num_drawn, 1);
}

}  // namespace
}  // namespace thallo
