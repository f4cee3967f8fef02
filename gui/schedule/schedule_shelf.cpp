#include "gui/schedule/schedule_shelf.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLockFile>
#include <QUuid>

#include "gui/base/text.h"
#include "gui/base/write_file.h"

namespace thallo::gui {
namespace {

constexpr const char* ShelfFormat = "thallo-explorer schedule";
constexpr int ShelfVersion = 1;
constexpr int LockPatienceMs = 500;

QByteArray toJson(const KeptSchedule& entry, const QString& problem) {
  const QJsonObject json{{"format", ShelfFormat}, {"version", ShelfVersion}, {"problem", problem},
                         {"made", entry.made},    {"name", entry.name},      {"text", entry.text},
                         {"draft", entry.draft}};
  return QJsonDocument(json).toJson();
}

std::optional<QByteArray> contentOf(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  return file.readAll();
}

}  // namespace

ScheduleShelf::ScheduleShelf(QString folder) : m_root(std::move(folder)) {}

QString ScheduleShelf::folder() const { return keptFolder(m_root, m_problem); }

void ScheduleShelf::open(const QString& problem, const QStringList& taken) {
  m_problem = problem;
  m_taken = taken;
  const std::vector<Entry> before = m_known[problem];
  m_all.clear();
  if (!m_root.isEmpty()) {
    const QDir here(folder());
    for (const QString& name : here.entryList({"*.json"}, QDir::Files, QDir::Name)) {
      Entry entry = read(here.filePath(name));
      if (!entry) continue;
      // A known entry keeps its object, which others refer to.
      const auto known =
          std::ranges::find(before, entry->file, [](const Entry& its) { return its->file; });
      if (known != before.end()) {
        **known = *entry;
        entry = *known;
      }
      insert(std::move(entry));
    }
  }
  for (const Entry& entry : before)
    if (!entry->isRemoved && entry->file.isEmpty()) insert(entry);
  Q_EMIT changed();
}

void ScheduleShelf::close() {
  m_problem.clear();
  m_taken.clear();
  m_all.clear();
  Q_EMIT changed();
}

void ScheduleShelf::insert(Entry entry) {
  // Two programs may have chosen the same name at the same time.
  if (isTaken(entry->name)) entry->name = freeName(entry->name);
  const auto after =
      std::ranges::upper_bound(m_all, entry->made, {}, [](const Kept& its) { return its->made; });
  m_all.insert(after, entry);
  auto& known = m_known[m_problem];
  if (std::ranges::find(known, entry) == known.end()) known.push_back(std::move(entry));
}

bool ScheduleShelf::has(const Kept& kept) const {
  return std::ranges::find(m_all, kept) != m_all.end();
}

Kept ScheduleShelf::find(const QString& name) const {
  const auto found = std::ranges::find(m_all, name, [](const Kept& kept) { return kept->name; });
  return found == m_all.end() ? nullptr : *found;
}

bool ScheduleShelf::isTaken(const QString& name) const {
  return m_taken.contains(name) || find(name) != nullptr;
}

QString ScheduleShelf::freeName(const QString& wanted) const {
  if (!isTaken(wanted)) return wanted;
  int number = 2;
  while (isTaken(QStringLiteral("%1 %2").arg(wanted).arg(number))) ++number;
  return QStringLiteral("%1 %2").arg(wanted).arg(number);
}

ScheduleShelf::Entry ScheduleShelf::entryOf(const Kept& kept) const {
  const auto known = m_known.find(m_problem);
  if (known == m_known.end()) return nullptr;
  const auto entry = std::ranges::find(known->second, kept);
  return entry == known->second.end() ? nullptr : *entry;
}

Kept ScheduleShelf::add(const QString& name, const QString& text, const QString& draft) {
  auto entry =
      std::make_shared<KeptSchedule>(KeptSchedule{.name = freeName(name),
                                                  .text = text,
                                                  .draft = draft,
                                                  .made = QDateTime::currentMSecsSinceEpoch()});
  insert(entry);
  write(entry);
  Q_EMIT changed();
  return entry;
}

void ScheduleShelf::change(const Kept& kept, const QString& text, const QString& draft) {
  const Entry entry = entryOf(kept);
  if (!entry) return;
  const bool isThere = has(kept);
  if (isThere && entry->text == text && entry->draft == draft) return;
  entry->text = text;
  entry->draft = draft;
  entry->isRemoved = false;
  if (!isThere) insert(entry);
  write(entry);
  Q_EMIT changed();
}

Expected<void> ScheduleShelf::rename(const Kept& kept, const QString& name) {
  const QString wanted = name.trimmed();
  if (wanted == kept->name) return {};
  if (wanted.isEmpty()) return fail("a schedule needs a name (legal: any that is not taken)");
  if (isTaken(wanted)) {
    return fail("there is a schedule '{}' already (legal: any name that is not taken, as '{}')",
                wanted.toStdString(), freeName(wanted).toStdString());
  }
  if (const Entry entry = entryOf(kept)) {
    entry->name = wanted;
    write(entry);
    Q_EMIT renamed();
    Q_EMIT changed();
  }
  return {};
}

void ScheduleShelf::remove(const Kept& kept) {
  if (std::erase(m_all, kept) == 0) return;
  const Entry entry = entryOf(kept);
  if (!entry->file.isEmpty() && !isChangedElsewhere(*entry)) QFile::remove(entry->file);
  entry->file.clear();
  entry->onDisk.clear();
  entry->isRemoved = true;
  Q_EMIT changed();
}

bool ScheduleShelf::isChangedElsewhere(const KeptSchedule& entry) const {
  const auto content = contentOf(entry.file);
  return content && *content != entry.onDisk;
}

void ScheduleShelf::write(const Entry& entry) {
  if (m_root.isEmpty()) return;
  const QDir here(folder());
  here.mkpath(QStringLiteral("."));
  QLockFile lock(here.filePath(QStringLiteral("lock")));
  // Writes even if the lock was not obtained: losing the user's work would be worse than a conflict
  // with another program.
  lock.tryLock(LockPatienceMs);
  if (!entry->file.isEmpty() && isChangedElsewhere(*entry)) {
    const QString theirs = std::exchange(entry->file, {});
    entry->name = freeName(entry->name);
    if (Entry other = read(theirs)) insert(std::move(other));
    Q_EMIT renamed();
    Q_EMIT told(tr("Another window changed the same schedule; what is edited here is kept as “%1”.")
                    .arg(entry->name));
  }
  if (entry->file.isEmpty())
    entry->file = here.filePath(QUuid::createUuid().toString(QUuid::WithoutBraces) + ".json");
  const QByteArray json = toJson(*entry, m_problem);
  const auto written = writeFile(entry->file, json);
  if (written) {
    entry->onDisk = json;
    m_cannotWrite = false;
    return;
  }
  entry->file.clear();
  if (std::exchange(m_cannotWrite, true)) return;
  Q_EMIT told(
      tr("%1. Edited schedules are kept until the program ends.").arg(toQt(written.error())));
}

ScheduleShelf::Entry ScheduleShelf::read(const QString& file) {
  const auto content = contentOf(file);
  if (!content) {
    Q_EMIT told(tr("%1 cannot be read: a schedule that was edited is not shown.").arg(file));
    return nullptr;
  }
  QJsonParseError fault;
  const QJsonObject json = QJsonDocument::fromJson(*content, &fault).object();
  if (fault.error != QJsonParseError::NoError) {
    putAside(
        file,
        tr("at byte %1 its JSON has the fault “%2”").arg(fault.offset).arg(fault.errorString()));
    return nullptr;
  }
  if (json.value("format").toString() != ShelfFormat || json.value("name").toString().isEmpty() ||
      !json.value("text").isString()) {
    putAside(file, tr("it is no schedule with a name and a text"));
    return nullptr;
  }
  if (json.value("version").toInt() > ShelfVersion) {
    Q_EMIT told(tr("%1 is of a later version of this program, and is not shown.").arg(file));
    return nullptr;
  }
  return std::make_shared<KeptSchedule>(
      KeptSchedule{.name = json.value("name").toString(),
                   .text = json.value("text").toString(),
                   .draft = json.value("draft").toString(),
                   .file = file,
                   .made = static_cast<qint64>(json.value("made").toDouble()),
                   .onDisk = *content});
}

void ScheduleShelf::putAside(const QString& file, const QString& why) {
  QString aside = file + QStringLiteral(".damaged");
  for (int number = 2; QFileInfo::exists(aside); ++number)
    aside = QStringLiteral("%1.damaged%2").arg(file).arg(number);
  const bool isMoved = QFile::rename(file, aside);
  Q_EMIT told(
      isMoved
          ? tr("A schedule that was edited is damaged: %1. It was put aside as %2.").arg(why, aside)
          : tr("%1, a schedule that was edited, is damaged: %2.").arg(file, why));
}

}  // namespace thallo::gui
