#include "problems/face_fitting/ict_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/io/byte_cursor.h"
#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"

namespace thallo::face_fitting {
namespace {

struct DeltaHeader {
  std::size_t num_vertices = 0;
  std::vector<bool> is_expression;
  std::size_t data_offset = 0;
};

Expected<DeltaHeader> parse_header(const std::filesystem::path& name, std::string_view content) {
  constexpr std::string_view End = "\ndata\n";
  const std::size_t end = content.find(End);
  if (!content.starts_with("ICTBLEND 1\n") || end == std::string_view::npos) {
    return fail_at({name.string(), 1, 0},
                   "this is no file of face deltas, which starts with 'ICTBLEND 1' and has a line "
                   "'data' behind its header");
  }
  DeltaHeader header;
  header.data_offset = end + End.size();
  TextCursor cursor(name.string(), content.substr(0, end));
  std::int64_t num_vertices = 0;
  while (!cursor.at_end()) {
    const std::string_view key = cursor.word();
    if (key == "vertices" && (!cursor.read(num_vertices) || num_vertices <= 0)) {
      return fail(cursor.unexpected("the number of vertices"));
    }
    if (key == "shape") header.is_expression.push_back(!cursor.word().starts_with("identity"));
    cursor.line();
  }
  if (num_vertices == 0 || header.is_expression.empty()) {
    return fail_at({name.string(), 0, 0},
                   "found {} vertices and {} shapes; the header has a line 'vertices COUNT' and a "
                   "line 'shape NAME' for each shape",
                   num_vertices, header.is_expression.size());
  }
  header.num_vertices = static_cast<std::size_t>(num_vertices);
  return header;
}

// The numbers of the shapes in the file, in the published order.
std::vector<std::size_t> published_order(const std::vector<bool>& is_expression) {
  constexpr std::size_t FirstIdentities = 70;
  constexpr std::size_t MostExpressions = 57;
  std::vector<std::size_t> order;
  std::vector<std::size_t> expressions;
  std::vector<std::size_t> identities;
  for (std::size_t i = 0; i < is_expression.size(); ++i) {
    (is_expression[i] ? expressions : identities).push_back(i);
  }
  const auto first = identities.begin() +
                     static_cast<std::ptrdiff_t>(std::min(FirstIdentities, identities.size()));
  order.assign(identities.begin(), first);
  expressions.resize(std::min(MostExpressions, expressions.size()));
  order.insert(order.end(), expressions.begin(), expressions.end());
  order.insert(order.end(), first, identities.end());
  return order;
}

}  // namespace

Expected<FaceModel> parse_ict_model(const std::filesystem::path& name, std::string_view content,
                                    const Mesh& neutral, int num_shapes) {
  THALLO_TRY(const auto header, parse_header(name, content));
  const std::size_t num_vertices = header.num_vertices;
  if (neutral.positions.size() < num_vertices) {
    return fail_at({name.string(), 0, 0}, "has deltas of {} vertices, the neutral mesh has {}",
                   num_vertices, neutral.positions.size());
  }
  FaceModel model;
  model.average.positions.assign(
      neutral.positions.begin(),
      neutral.positions.begin() + static_cast<std::ptrdiff_t>(num_vertices));
  for (const auto& triangle : neutral.triangles) {
    if (std::ranges::max(triangle) < static_cast<std::int32_t>(num_vertices)) {
      model.average.triangles.push_back(triangle);
    }
  }
  std::vector<std::size_t> order = published_order(header.is_expression);
  order.resize(std::min(order.size(), static_cast<std::size_t>(num_shapes)));
  std::vector<std::int32_t> deltas(3 * num_vertices);
  const std::size_t bytes = deltas.size() * sizeof(std::int32_t);
  for (const std::size_t shape : order) {
    const std::size_t offset = header.data_offset + shape * bytes;
    ByteCursor cursor(name.string(), content, std::min(offset, content.size()));
    if (!cursor.read_values(deltas)) return fail(cursor.truncated("the deltas of a shape", bytes));
    model.is_expression.push_back(header.is_expression[shape]);
    for (const std::int32_t delta : deltas) {
      model.displacements.push_back(static_cast<float>(1e-6 * delta));
    }
  }
  normalize(model);
  return model;
}

Expected<FaceModel> read_ict_model(const std::filesystem::path& deltas, int num_shapes) {
  std::filesystem::path neutral_path = deltas.parent_path() / "ict_generic_neutral_mesh.obj";
  for (const char* suffix : {".xz", ".gz", ".bz2"}) {
    const std::filesystem::path compressed = neutral_path.string() + suffix;
    if (!std::filesystem::exists(neutral_path) && std::filesystem::exists(compressed)) {
      neutral_path = compressed;
    }
  }
  THALLO_TRY(const auto content, read_file(deltas));
  THALLO_TRY(const auto neutral, read_mesh(neutral_path));
  return parse_ict_model(deltas, content, neutral, num_shapes);
}

}  // namespace thallo::face_fitting
