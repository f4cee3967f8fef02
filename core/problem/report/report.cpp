#include "core/problem/report/report.h"

#include <algorithm>
#include <system_error>

#include "core/base/error.h"
#include "core/base/io/csv.h"
#include "core/base/io/file.h"
#include "core/base/io/ply.h"
#include "core/base/io/png.h"
#include "core/base/log.h"
#include "core/base/stop_scope.h"

namespace thallo {
namespace {

constexpr std::pair<WrittenFile::Kind, std::string_view> KindNames[] = {
    {WrittenFile::Kind::Image, "image"},
    {WrittenFile::Kind::Mesh, "mesh"},
    {WrittenFile::Kind::Table, "table"},
    {WrittenFile::Kind::File, "file"}};

Expected<void> write_csv(const std::filesystem::path& path, const ReportTable& table) {
  std::string text = csv_line(table.columns);
  for (const auto& row : table.rows) text += csv_line(row);
  return write_file(path, text);
}

tl::unexpected<Diagnostic> cannot_make(const std::filesystem::path& folder,
                                       const std::error_code& error) {
  return fail("{}: the folder cannot be made: {}", folder.string(), error.message());
}

}  // namespace

std::string_view to_string(WrittenFile::Kind kind) {
  for (const auto& [known, name] : KindNames) {
    if (known == kind) return name;
  }
  THALLO_UNREACHABLE();
}

Expected<WrittenFile::Kind> parse_as(std::string_view text, WrittenFile::Kind) {
  for (const auto& [kind, name] : KindNames) {
    if (name == text) return kind;
  }
  return fail("no kind of file of a report: '{}'", text);
}

Expected<std::vector<WrittenFile>> write_report(const Report& report,
                                                const std::filesystem::path& folder) {
  using Kind = WrittenFile::Kind;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return cannot_make(folder, error);
  const auto place = [&](const std::filesystem::path& name) {
    const auto path = folder / name;
    const auto is_same = [&](const auto& input) {
      std::error_code is_missing;
      return std::filesystem::equivalent(input, path, is_missing);
    };
    if (std::ranges::any_of(report.inputs, is_same))
      logger("solve").warn("{} was an input of this run and is replaced", path.string());
    return path;
  };
  std::vector<WrittenFile> written;
  for (const ReportImage& image : report.images) {
    const auto path = place(image.name + ".png");
    // Who ends a run wants no pictures any more, but what it has reached.
    try {
      check_stop();
      if (auto done = write_png(path, image.image()); !done) return fail(done.error());
      written.push_back({Kind::Image, path, image.caption});
    } catch (const Stopped&) {
      logger("solve").warn("{} and the pictures after it are not drawn: the run was told to end",
                           path.string());
      break;
    }
  }
  for (const ReportMesh& mesh : report.meshes) {
    const auto path = place(mesh.name + ".ply");
    if (auto done = write_ply(path, mesh.mesh); !done) return fail(done.error());
    written.push_back({Kind::Mesh, path, mesh.caption});
  }
  for (const ReportTable& table : report.tables) {
    const auto path = place(table.name + ".csv");
    if (auto done = write_csv(path, table); !done) return fail(done.error());
    written.push_back({Kind::Table, path, table.caption});
  }
  for (const ReportFile& file : report.files) {
    const auto path = place(file.path);
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) return cannot_make(path.parent_path(), error);
    auto done = file.write ? file.write(path) : write_data_file(path, *file.data);
    if (!done) return fail(done.error());
    written.push_back({Kind::File, path, file.caption});
  }
  return written;
}

}  // namespace thallo
