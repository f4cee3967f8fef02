#include "gui/problem/energy_draft.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSaveFile>
#include <QStringList>

#include "core/problem/files/bind_inputs.h"
#include "core/problem/files/field_values.h"
#include "core/problem/files/problem_file.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

QString inputShape(const Energy& energy, const std::vector<DimId>& dims) {
  QStringList names;
  for (const DimId dim : dims) names.append(toQt(energy.dim(dim).name));
  return names.join(QStringLiteral(" × "));
}

EnergyInput inputOf(const Energy& energy, const Field& field) {
  EnergyInput input{.name = toQt(field.name),
                    .kind = toQt(to_string(field.kind)),
                    .shape = inputShape(energy, field.dims),
                    .accepts = QStringLiteral("a number"),
                    .isFile = false,
                    .mayBeMissing = field.kind == FieldKind::Unknown};
  if (field.dims.empty()) return input;
  input.isFile = true;
  input.accepts =
      QStringLiteral("a file, photo.png or mesh.ply:positions; a number; zeros, ones, ramp");
  if (field.channels > 1) input.shape += QStringLiteral(", %1 channels").arg(field.channels);
  return input;
}

QString tomlQuoted(QString text) {
  text.replace('\\', QStringLiteral("\\\\")).replace('"', QStringLiteral("\\\""));
  return '"' + text + '"';
}

QString tomlKey(const QString& name) {
  static const QRegularExpression Bare("^[A-Za-z0-9_-]+$");
  return Bare.match(name).hasMatch() ? name : tomlQuoted(name);
}

QString tomlValue(const QString& text, const QDir& folder) {
  static const QRegularExpression Number("^-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?$");
  if (Number.match(text).hasMatch()) return text;
  if (!QDir::isAbsolutePath(text)) return tomlQuoted(text);
  const QString relative = folder.relativeFilePath(text);
  return tomlQuoted(relative.startsWith(QStringLiteral("..")) ? text : relative);
}

}  // namespace

Expected<std::vector<EnergyInput>> readEnergyInputs(Session& session, const QString& energy) {
  const auto loaded = load_energy_file(session.front_ends(), energy.toStdString());
  if (!loaded) return fail(loaded.error());
  std::vector<EnergyInput> inputs;
  for (const Field& field : loaded->energy.fields())
    if (field.kind != FieldKind::Intermediate) inputs.push_back(inputOf(loaded->energy, field));
  for (const SparseMap& map : loaded->energy.maps()) {
    inputs.push_back({.name = toQt(map.name),
                      .kind = QStringLiteral("map"),
                      .shape = inputShape(loaded->energy, map.in) + QStringLiteral(" → ") +
                               inputShape(loaded->energy, map.out),
                      .accepts = QStringLiteral("a file of indices: mesh.ply:edges.0"),
                      .isFile = true,
                      .mayBeMissing = false});
  }
  for (const Dim& dim : loaded->energy.dims()) {
    inputs.push_back({.name = toQt(dim.name),
                      .kind = QStringLiteral("dim"),
                      .shape = {},
                      .accepts = QStringLiteral("its extent, if no file gives it"),
                      .isFile = false,
                      .mayBeMissing = true});
  }
  return inputs;
}

QString problemFileText(const EnergyDraft& draft) {
  const QFileInfo file(draft.file);
  const QDir folder = file.absoluteDir();
  QString text;
  if (!draft.title.isEmpty()) text += QStringLiteral("title = %1\n").arg(tomlQuoted(draft.title));
  text += QStringLiteral("energy = %1\n\n[bind]\n")
              .arg(tomlQuoted(folder.relativeFilePath(QFileInfo(draft.energy).absoluteFilePath())));
  for (const auto& [name, value] : draft.bindings)
    text += QStringLiteral("%1 = %2\n").arg(tomlKey(name), tomlValue(value, folder));
  return text;
}

Expected<void> writeProblemFile(Session& session, const EnergyDraft& draft) {
  const auto loaded = load_energy_file(session.front_ends(), draft.energy.toStdString());
  if (!loaded) return fail(loaded.error());
  const QDir folder = QFileInfo(draft.file).absoluteDir();
  std::vector<SourceText> sources;
  for (const auto& [name, value] : draft.bindings) {
    const std::string source = value.toStdString();
    sources.push_back({name.toStdString(),
                       is_value(source) ? source : folder.absoluteFilePath(value).toStdString()});
  }
  if (const auto bound = bind_inputs(loaded->energy, sources); !bound) return fail(bound.error());
  QSaveFile file(draft.file);
  if (!file.open(QIODevice::WriteOnly) || file.write(problemFileText(draft).toUtf8()) < 0 ||
      !file.commit()) {
    return fail("{} cannot be written: {}", draft.file.toStdString(),
                file.errorString().toStdString());
  }
  if (const auto read = read_problem_file(draft.file.toStdString(), session.front_ends()); !read)
    return fail(read.error());
  return {};
}

QString energyFault(Session& session, const QString& text, const QString& file, int* line) {
  const std::string written = text.toStdString();
  const std::string name = file.toStdString();
  const auto frontEnd = find_front_end(session.front_ends(), name, written);
  if (!frontEnd) return toQt(frontEnd.error());
  const auto loaded = (*frontEnd)->load(written, name);
  if (loaded) return {};
  if (line != nullptr) *line = loaded.error().where.line;
  return toQt(loaded.error());
}

}  // namespace thallo::gui
