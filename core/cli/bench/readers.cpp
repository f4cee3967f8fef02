#include "core/cli/bench/readers.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/io/bal.h"
#include "core/base/io/csv.h"
#include "core/base/io/file.h"
#include "core/base/io/g2o.h"
#include "core/base/io/image.h"
#include "core/base/io/mesh.h"
#include "core/base/io/obj.h"
#include "core/base/io/off.h"
#include "core/base/io/ply.h"
#include "core/base/scratch_folder.h"
#include "core/cli/output/progress_bar.h"
#include "core/cli/require.h"

namespace thallo::cli {
namespace {

namespace fs = std::filesystem;

// Numbers have as many digits as in real files.
double number(int i) { return std::sin(i) * 100; }

// Half of the lines are vertices and half are triangles.
Mesh make_mesh(int num_lines) {
  Mesh mesh;
  const int half = std::max(num_lines / 2, 3);
  for (int i = 0; i < half; ++i) {
    mesh.positions.push_back({number(3 * i), number(3 * i + 1), number(3 * i + 2)});
    mesh.triangles.push_back({i, (i + 1) % half, (i + 2) % half});
  }
  return mesh;
}

// A chain of poses. Half of the lines are vertices, unless `only_edges` is set.
std::string g2o_text(int num_lines, int dimension, bool only_edges) {
  const char* kind = dimension == 2 ? "SE2" : "SE3:QUAT";
  const int size = dimension == 2 ? 3 : 6;
  std::string text;
  const auto append_pose = [&](int i) {
    text += fmt::format(" {} {} {}", number(3 * i), number(3 * i + 1), number(3 * i + 2));
    if (dimension == 3) text += " 0.6 0 0 0.8";
  };
  const int num_edges = only_edges ? num_lines : num_lines / 2;
  for (int i = 0; i <= num_edges && !only_edges; ++i) {
    text += fmt::format("VERTEX_{} {}", kind, i);
    append_pose(i);
    text += '\n';
  }
  for (int i = 0; i < num_edges; ++i) {
    text += fmt::format("EDGE_{} {} {}", kind, i, i + 1);
    append_pose(i);
    for (int row = 0; row < size; ++row)
      for (int column = row; column < size; ++column) text += row == column ? " 44.72" : " 0";
    text += '\n';
  }
  return text;
}

BalProblem make_scene(int num_lines) {
  const auto count = static_cast<std::size_t>(std::max(num_lines / 4, 1));
  BalProblem scene;
  scene.cameras.resize(1);
  scene.points.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int n = static_cast<int>(i);
    scene.points[i] = {number(n), number(n + 1), number(n + 2)};
    scene.observations.push_back({0, n, number(n), number(n + 1)});
  }
  return scene;
}

CsvTable make_table(int num_lines) {
  CsvTable table{{"x", "y", "z"}, {}};
  for (int i = 0; i < 3 * num_lines; ++i) table.values.push_back(number(i));
  return table;
}

// Each line has sixteen samples.
std::string pnm_text(int num_lines) {
  std::string text = fmt::format("P2\n16 {}\n65535\n", num_lines);
  for (int i = 0; i < 16 * num_lines; ++i)
    text += fmt::format("{}{}", (i * 7919LL) % 65536, i % 16 == 15 ? '\n' : ' ');
  return text;
}

std::string quoted_text(int num_lines) {
  std::string text = "\"x, in m\",\"y\"\n";
  for (int i = 0; i < num_lines; ++i)
    text += fmt::format("\"{}\",\"{}\"\n", number(2 * i), number(2 * i + 1));
  return text;
}

struct Reader {
  const char* name;
  const char* suffix;
  Expected<void> (*write)(const fs::path& path, int num_lines);
  // Returns false if the file cannot be read.
  bool (*read)(const fs::path& path);
};

const Reader Readers[] = {
    {"csv", ".csv", [](auto& path, int n) { return write_csv(path, make_table(n)); },
     [](auto& path) { return read_as<parse_csv>(path).has_value(); }},
    {"csv, quoted", ".csv", [](auto& path, int n) { return write_file(path, quoted_text(n)); },
     [](auto& path) { return read_as<parse_csv>(path).has_value(); }},
    {"obj", ".obj", [](auto& path, int n) { return write_obj(path, make_mesh(n)); },
     [](auto& path) { return read_mesh(path).has_value(); }},
    {"off", ".off", [](auto& path, int n) { return write_off(path, make_mesh(n)); },
     [](auto& path) { return read_mesh(path).has_value(); }},
    {"ply, ascii", ".ply",
     [](auto& path, int n) { return write_ply(path, make_mesh(n), PlyFormat::Ascii); },
     [](auto& path) { return read_mesh(path).has_value(); }},
    {"pgm, ascii", ".pgm", [](auto& path, int n) { return write_file(path, pnm_text(n)); },
     [](auto& path) { return read_image(path).has_value(); }},
    {"bal", ".bal", [](auto& path, int n) { return write_bal(path, make_scene(n)); },
     [](auto& path) { return read_as<parse_bal>(path).has_value(); }},
    {"g2o, SE2", ".g2o", [](auto& path, int n) { return write_file(path, g2o_text(n, 2, false)); },
     [](auto& path) { return read_as<parse_g2o>(path).has_value(); }},
    {"g2o, SE3", ".g2o", [](auto& path, int n) { return write_file(path, g2o_text(n, 3, false)); },
     [](auto& path) { return read_as<parse_g2o>(path).has_value(); }},
    {"g2o, edges alone", ".g2o",
     [](auto& path, int n) { return write_file(path, g2o_text(n, 2, true)); },
     [](auto& path) { return read_as<parse_g2o>(path).has_value(); }},
};

struct Reading {
  double megabytes = 0;
  double seconds = 0;
};

// Returns the fastest of several readings, which are repeated for at least a tenth of a second.
Reading time_of(const Reader& reader, const fs::path& folder, int num_lines) {
  constexpr double Enough = 0.1;
  const fs::path path = folder / fmt::format("text{}", reader.suffix);
  require(reader.write(path, num_lines));
  Reading reading{static_cast<double>(fs::file_size(path)) / 1e6, 0};
  double total = 0;
  for (int repeats = 0; repeats < 3 || total < Enough; ++repeats) {
    const std::clock_t start = std::clock();
    if (!reader.read(path)) throw UserError(fmt::format("{}: cannot be read", path.string()));
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    reading.seconds = repeats == 0 ? seconds : std::min(reading.seconds, seconds);
    total += seconds;
  }
  fs::remove(path);
  return reading;
}

}  // namespace

DataTable bench_readers(int num_lines) {
  DataTable table("readers", fmt::format("Text files of {} lines, read from a folder", num_lines),
                  {{"format", "format"},
                   {"megabytes", "MB", "{:.1f}"},
                   {"seconds", "s", "{:.3f}"},
                   {"megabytes_per_second", "MB/s", "{:.0f}"},
                   {"times_a_tenth", "times that of a tenth of the lines", "{:.1f}"}});
  // Makes each reading get its memory from the system. By default, small files would reuse memory
  // of the previous reading and large ones would not, as if the reader were slower for large files.
  mallopt(M_MMAP_THRESHOLD, 1 << 17);
  const ScratchFolder folder = require(ScratchFolder::make());
  ProgressBar bar("readers", std::ssize(Readers));
  std::int64_t num_done = 0;
  for (const Reader& reader : Readers) {
    bar.update(num_done++, reader.name);
    const Reading small = time_of(reader, folder.path(), std::max(num_lines / 10, 1));
    const Reading large = time_of(reader, folder.path(), num_lines);
    table.add({std::string(reader.name), large.megabytes, large.seconds,
               large.megabytes / large.seconds, large.seconds / small.seconds});
  }
  table.note("Seconds are of the processor, the fewest of three readings or more.");
  return table;
}

}  // namespace thallo::cli
