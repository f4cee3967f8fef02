#include "gui/problem/energy_draft.h"

#include <utility>

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringList>

#include "core/problem/energy_problem.h"
#include "core/problem/files/bind_inputs.h"
#include "core/problem/files/field_values.h"
#include "core/problem/files/problem_file.h"
#include "gui/base/file_text.h"
#include "gui/base/text.h"
#include "gui/base/write_file.h"

namespace thallo::gui {
namespace {

// Binds a picture at once, so that the first solve shows something.
constexpr const char* EnergyToStartFrom = R"(-- The picture that is near to A and smooth:
--
--   E(X) = 1/2 sum_p |X(p) - A(p)|^2 + 1/2 sum_p sum_q w^2 |X(p) - X(q)|^2
--
-- p runs over the pixels, q over the neighbors of p to the right and below.

local W, H = Dims("W", "H")

Inputs {
  X = Unknown(float, {W, H}),  -- the picture that is solved for
  A = Array(float, {W, H}),    -- the one that is given: bind it to photo.png:gray
  w = Param(float),            -- how smooth: 2, for example
}

local x, y = W(), H()

local function difference(dx, dy)
  return Select(InBounds(x + dx, y + dy), w * (X(x, y) - X(x + dx, y + dy)), 0)
end

Residuals {
  fit    = X(x, y) - A(x, y),
  smooth = {difference(1, 0), difference(0, 1)},
}
)";

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
  input.accepts = QStringLiteral(
      "a file, photo.png or mesh.ply:positions; a number; zeros, ones, ramp, random");
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

// The problem of another file or of a plugin that has the name of this problem file; null if there
// is none.
const ProblemRegistry::Entry* otherOfThisName(Session& session, const QFileInfo& file) {
  const auto* entry = session.problems().find_entry(file.completeBaseName().toStdString());
  if (entry == nullptr) return nullptr;
  const QFileInfo owner(toQt(entry->provenance));
  return owner.absoluteFilePath() == file.absoluteFilePath() ? nullptr : entry;
}

}  // namespace

QString freeProblemFile(Session& session, const QString& energy) {
  const QFileInfo info(energy);
  const QString name = info.completeBaseName();
  QString file = info.dir().filePath(name + ".toml");
  for (int i = 2; otherOfThisName(session, QFileInfo(file)) != nullptr; ++i)
    file = info.dir().filePath(QStringLiteral("%1_%2.toml").arg(name).arg(i));
  return file;
}

Expected<std::shared_ptr<const Energy>> loadEnergy(Session& session, const QString& file) {
  THALLO_TRY(auto loaded, load_energy_file(session.front_ends(), file.toStdString()));
  return std::make_shared<const Energy>(std::move(loaded.energy));
}

Expected<std::shared_ptr<const Energy>> energyOfFileProblem(Session& session,
                                                            const QString& problem) {
  const auto* entry = session.problems().find_entry(problem.toStdString());
  const auto* its =
      entry == nullptr ? nullptr : dynamic_cast<const EnergyProblem*>(entry->item.get());
  if (its == nullptr) return std::shared_ptr<const Energy>();
  THALLO_TRY(auto loaded, its->energy({}));
  return std::make_shared<const Energy>(std::move(loaded.energy));
}

std::vector<EnergyInput> inputsOf(const Energy& energy) {
  std::vector<EnergyInput> inputs;
  for (const Field& field : energy.fields())
    if (field.kind != FieldKind::Intermediate) inputs.push_back(inputOf(energy, field));
  for (const SparseMap& map : energy.maps()) {
    inputs.push_back(
        {.name = toQt(map.name),
         .kind = QStringLiteral("map"),
         .shape = inputShape(energy, map.in) + QStringLiteral(" → ") + inputShape(energy, map.out),
         .accepts = QStringLiteral("a file of indices: mesh.ply:edges.0"),
         .isFile = true,
         .mayBeMissing = false});
  }
  for (const Dim& dim : energy.dims()) {
    inputs.push_back({.name = toQt(dim.name),
                      .kind = QStringLiteral("dim"),
                      .accepts = QStringLiteral("its extent, if no file gives it"),
                      .isFile = false,
                      .mayBeMissing = true});
  }
  return inputs;
}

Expected<void> writeEnergyToStartFrom(const QString& path) {
  return writeFile(path, EnergyToStartFrom, FileBefore::Kept);
}

InputSources absoluteSources(const EnergyDraft& draft) {
  const QDir folder = QFileInfo(draft.file).absoluteDir();
  InputSources sources = draft.bindings;
  for (auto& [name, source] : sources)
    if (!is_value(source.toStdString())) source = folder.absoluteFilePath(source);
  return sources;
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
  THALLO_TRY(const auto loaded, load_energy_file(session.front_ends(), draft.energy.toStdString()));
  std::vector<SourceText> sources;
  for (const auto& [name, source] : absoluteSources(draft))
    sources.push_back({name.toStdString(), source.toStdString()});
  THALLO_CHECK(bind_inputs(loaded.energy, sources));
  const QFileInfo info(draft.file);
  if (const auto* other = otherOfThisName(session, info)) {
    return fail("there is a problem '{}' already, of {}; give the problem file another name",
                info.completeBaseName().toStdString(), other->provenance);
  }
  THALLO_CHECK(writeFile(draft.file, problemFileText(draft).toUtf8(), FileBefore::Kept));
  THALLO_CHECK(read_problem_file(draft.file.toStdString(), session.front_ends()));
  return {};
}

QString energyFault(Session& session, const QString& text, const QString& file, int* line) {
  const std::string written = bytesOfText(text).toStdString();
  const std::string name = file.toStdString();
  const auto frontEnd = find_front_end(session.front_ends(), name, written);
  if (!frontEnd) return toQt(frontEnd.error());
  const auto loaded = (*frontEnd)->load(written, name);
  if (loaded) return {};
  if (line != nullptr) *line = loaded.error().where.line;
  return toQt(loaded.error());
}

}  // namespace thallo::gui
