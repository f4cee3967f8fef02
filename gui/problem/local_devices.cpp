#include "gui/problem/local_devices.h"

#include <utility>

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

#include "core/base/log.h"

namespace thallo::gui {
namespace {

constexpr QLatin1String Here("here:");

// The interpreter is a slow reference; nobody looks for fast schedules on it.
constexpr QLatin1String Interpreter("interpreter");

QString specFile(const QString& id) {
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::CacheLocation);
  return QDir(folder).filePath(QStringLiteral("devices/") + QString(id).replace(':', '_') +
                               ".toml");
}

}  // namespace

bool DeviceChoice::isHere() const { return id.startsWith(Here); }

QString deviceText(const QString& id) {
  return id.startsWith(Here) ? LocalDevices::tr("this machine (%1)").arg(id.section(':', 1, 1))
                             : id;
}

LocalDevices::LocalDevices(QString program) : m_program(std::move(program)) {
  new Command(
      {m_program, "devices", "--json"}, [this](const Expected<QString>& printed) { take(printed); },
      this);
}

void LocalDevices::take(const Expected<QString>& printed) {
  if (!printed) logger("gui").warn("the devices of this machine: {}", printed.error().message());
  const QJsonArray rows = QJsonDocument::fromJson(printed.value_or(QString()).toUtf8()).array();
  for (const QJsonValue& row : rows) {
    const QString backend = row["backend"].toString();
    if (backend == Interpreter) continue;
    int ordinal = 0;
    for (const QJsonValue& device : row["devices"].toArray()) {
      m_all.push_back({QStringLiteral("%1%2:%3").arg(Here, backend).arg(ordinal++),
                       device["name"].toString(), backend, tr("this machine")});
    }
  }
  m_isListed = true;
  Q_EMIT listed();
}

void LocalDevices::findSpec(const QString& id, Done done) {
  delete m_search;
  const auto known = m_specs.find(id);
  if (!id.startsWith(Here) || known != m_specs.end()) {
    return done(known == m_specs.end() ? id : known->second);
  }
  const QString file = specFile(id);
  QDir().mkpath(QFileInfo(file).path());
  m_search = new Command(
      QStringList{m_program, "devices", "--spec", "--backend", id.section(':', 1, 1), "--device",
                  id.section(':', 2, 2), "--write", file},
      [this, id, file, done = std::move(done)](const Expected<QString>& printed) {
        m_search.clear();
        if (!printed) return done(fail(printed.error()));
        m_specs[id] = file;
        done(file);
      },
      this);
}

}  // namespace thallo::gui
