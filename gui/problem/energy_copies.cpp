#include "gui/problem/energy_copies.h"

#include <utility>

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QUuid>

#include "gui/base/file_text.h"
#include "gui/base/write_file.h"

namespace thallo::gui {
namespace {

QString hashOf(const QString& text) {
  return QCryptographicHash::hash(bytesOfText(text), QCryptographicHash::Sha1).toHex().left(8);
}

// Returns the same folder for every spelling of the energy's path.
QString folderOf(const QString& root, const QString& energy) {
  const QString canonical = QFileInfo(energy).canonicalFilePath();
  return keptFolder(root, canonical.isEmpty()
                              ? QDir::cleanPath(QFileInfo(energy).absoluteFilePath())
                              : canonical);
}

// Returns null while a running program owns the copy.
std::unique_ptr<QLockFile> lockOf(const QString& copy) {
  auto lock = std::make_unique<QLockFile>(copy + ".lock");
  // No lock expires by age, since people leave a text open for days. QLockFile ignores the lock of
  // a program that has ended.
  lock->setStaleLockTime(0);
  if (!lock->tryLock(0) && lock->error() == QLockFile::LockFailedError) return nullptr;
  return lock;
}

}  // namespace

std::optional<EnergyCopy> EnergyCopies::find(const QString& energy, const QString& saved) const {
  if (m_root.isEmpty() || energy.isEmpty()) return std::nullopt;
  const QDir folder(folderOf(m_root, energy));
  for (const QFileInfo& info : folder.entryInfoList({"*.lua"}, QDir::Files, QDir::Time)) {
    const QString path = info.filePath();
    const auto lock = path == m_own ? nullptr : lockOf(path);
    QFile file(path);
    if (!lock || !file.open(QIODevice::ReadOnly)) continue;
    QString text = textOfBytes(file.readAll());
    if (text != saved)
      return EnergyCopy{path, std::move(text), info.lastModified(),
                        info.fileName().section('-', 0, 0) != hashOf(saved)};
    file.remove();
  }
  return std::nullopt;
}

Expected<void> EnergyCopies::keep(const QString& energy, const QString& saved,
                                  const QString& text) {
  if (m_root.isEmpty() || energy.isEmpty()) return {};
  if (m_own.isEmpty()) {
    const QDir folder(folderOf(m_root, energy));
    folder.mkpath(QStringLiteral("."));
    m_own = folder.filePath(hashOf(saved) + '-' +
                            QUuid::createUuid().toString(QUuid::WithoutBraces) + ".lua");
    m_lock = lockOf(m_own);
  }
  auto written = writeFile(m_own, bytesOfText(text));
  if (!written) drop();
  return written;
}

void EnergyCopies::drop() {
  if (!m_own.isEmpty()) QFile::remove(std::exchange(m_own, {}));
  m_lock.reset();
}

bool EnergyCopies::take(const EnergyCopy& copy) {
  auto lock = lockOf(copy.path);
  if (!lock || !QFile::exists(copy.path)) return false;
  drop();
  m_own = copy.path;
  m_lock = std::move(lock);
  return true;
}

void EnergyCopies::remove(const EnergyCopy& copy) {
  if (const auto lock = lockOf(copy.path)) QFile::remove(copy.path);
}

}  // namespace thallo::gui
