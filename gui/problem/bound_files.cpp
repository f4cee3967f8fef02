#include "gui/problem/bound_files.h"

#include <algorithm>
#include <variant>

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include "core/base/suggest.h"
#include "core/problem/files/bind_inputs.h"
#include "gui/base/picture_file.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

constexpr int ThumbnailSize = 96;  // pixels of the longer side, enough for a scale of 2

QString trFile(const char* text) { return QCoreApplication::translate("BoundFile", text); }

QString counted(std::size_t count, const char* one, const char* many) {
  return countText(count) + ' ' + trFile(count == 1 ? one : many);
}

// Takes every n-th pixel, so that the work does not grow with the image beyond reading it.
QImage thumbnailOf(const Layer& layer) {
  if (!layer.fault.empty()) return {};
  const int step = std::max(1, std::max(layer.width, layer.height) / (2 * ThumbnailSize));
  Image small((layer.width + step - 1) / step, (layer.height + step - 1) / step,
              static_cast<int>(layer.channels.size()));
  const auto width = static_cast<std::size_t>(layer.width);
  for (int y = 0; y < small.height; ++y) {
    for (int x = 0; x < small.width; ++x) {
      const std::size_t pixel =
          static_cast<std::size_t>(y * step) * width + static_cast<std::size_t>(x * step);
      for (int c = 0; c < small.channels; ++c)
        small.at(x, y, c) =
            layer.value(pixel * layer.channels.size() + static_cast<std::size_t>(c));
    }
  }
  return toQImage(small).scaled(ThumbnailSize, ThumbnailSize, Qt::KeepAspectRatio,
                                Qt::SmoothTransformation);
}

QString channelsText(std::size_t count) { return counted(count, "channel", "channels"); }

// Describes the values that the part has in memory, as numbers of four bytes.
QString sizeOf(const BoundPart& part) {
  double values = static_cast<double>(part.num_channels);
  QStringList extents;
  for (const std::int64_t extent : part.extents) {
    values *= static_cast<double>(extent);
    extents.append(countText(extent));
  }
  QStringList words;
  // "1,200 edges": the elements of a mesh or graph are called by the part's name.
  const bool isTable =
      part.extents.size() == 1 && !std::holds_alternative<NpyArray>(part.file->content);
  words.append(isTable ? extents.front() + ' ' + toQt(part.name)
                       : extents.join(QStringLiteral(" × ")));
  if (!isTable || part.num_channels > 1) words.append(channelsText(part.num_channels));
  words.append(bytesText(4 * values));
  return words.join(QStringLiteral(", "));
}

QString contentText(const Raster& raster) {
  const Layer& first = raster.layers.front();
  const QString text = QStringLiteral("%1 × %2, %3")
                           .arg(first.width)
                           .arg(first.height)
                           .arg(channelsText(first.channels.size()));
  if (raster.layers.size() == 1) return text;
  return counted(raster.layers.size(), "picture", "pictures") + ": " + text;
}
QString contentText(const Mesh& mesh) {
  const QString vertices = counted(mesh.positions.size(), "vertex", "vertices");
  return mesh.triangles.empty()
             ? vertices
             : vertices + ", " + counted(mesh.triangles.size(), "triangle", "triangles");
}
QString contentText(const PoseGraph& graph) {
  return counted(graph.num_vertices(), "pose", "poses") + ", " +
         counted(graph.num_edges(), "edge", "edges");
}
QString contentText(const BalProblem& scene) {
  return counted(scene.cameras.size(), "camera", "cameras") + ", " +
         counted(scene.points.size(), "point", "points") + ", " +
         counted(scene.observations.size(), "observation", "observations");
}
QString contentText(const NpyArray& array) {
  QStringList shape;
  for (const std::int64_t extent : array.shape) shape.append(countText(extent));
  return shape.join(QStringLiteral(" × "));
}
QString contentText(const CsvTable& table) {
  return counted(table.num_rows(), "row", "rows") + ", " +
         counted(table.num_columns(), "column", "columns");
}
QString contentText(const NpzArchive& archive) {
  return counted(archive.num_arrays(), "array", "arrays");
}

QString absentText(const QFileInfo& info) {
  std::vector<std::string> beside;
  for (const QString& name : info.dir().entryList(QDir::AllEntries | QDir::NoDotAndDotDot))
    beside.push_back(name.toStdString());
  return trFile("There is no file or folder “%1”").arg(info.filePath()) +
         toQt(did_you_mean(info.fileName().toStdString(), beside));
}

}  // namespace

std::map<QString, InputFacts> factsOfBindings(const Energy& energy, const InputSources& sources,
                                              bool isComplete) {
  std::vector<SourceText> texts;
  for (const auto& [name, source] : sources)
    texts.push_back({name.toStdString(), source.toStdString()});
  const BindingCheck check = check_bindings(energy, texts);
  std::map<QString, InputFacts> facts;
  for (const auto& [name, part] : check.parts) {
    InputFacts& its = facts[toQt(name)];
    its.size = sizeOf(part);
    if (const auto* raster = std::get_if<Raster>(&part.file->content))
      its.thumbnail = thumbnailOf(raster->layers.front());
  }
  const auto add = [&](const std::string& name, const std::string& text) {
    QString& fault = facts[toQt(name)].fault;
    if (!fault.isEmpty()) fault += '\n';
    fault += toQt(text);
  };
  for (const BindingFault& fault : check.faults) {
    if (fault.is_missing && !isComplete) continue;
    if (fault.inputs.empty()) add("", fault.text);
    for (const std::string& input : fault.inputs) add(input, fault.text);
  }
  return facts;
}

InputFacts factsOfFile(const QString& path) {
  const QFileInfo info(path);
  if (path.isEmpty()) return {};
  if (!info.exists()) return {.fault = absentText(info)};
  if (info.isDir()) {
    const auto files = QDir(path).entryList(QDir::Files);
    return {.size = counted(static_cast<std::size_t>(files.size()), "file", "files")};
  }
  InputFacts facts{.size = bytesText(static_cast<double>(info.size()))};
  const auto file = read_data_file(path.toStdString());
  if (!file) return facts;
  facts.size = std::visit([](const auto& content) { return contentText(content); }, file->content) +
               ", " + facts.size;
  if (const auto* raster = std::get_if<Raster>(&file->content))
    facts.thumbnail = thumbnailOf(raster->layers.front());
  return facts;
}

}  // namespace thallo::gui
