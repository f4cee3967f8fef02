#include "gui/base/write_file.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include "core/base/assets.h"

namespace thallo::gui {
namespace {

tl::unexpected<Diagnostic> refuse(const QString& file, const QString& why) {
  return fail("{} cannot be written: {}", file.toStdString(), why.toStdString());
}

// A file that is written again without a change does not replace the one that is kept.
Expected<void> keep(const QString& file, const QByteArray& next) {
  QFile now(file);
  if (!now.exists() || (now.open(QIODevice::ReadOnly) && now.readAll() == next)) return {};
  const QString kept = file + '~';
  QFile::remove(kept);
  if (!now.copy(kept)) return refuse(kept, now.errorString());
  return {};
}

}  // namespace

Expected<void> writeFile(const QString& file, const QByteArray& content, FileBefore before) {
  if (is_shipped(file.toStdString()))
    return refuse(file, QObject::tr("it ships with Thallo; save a copy, which is yours"));
  QSaveFile out(file);
  if (!out.open(QIODevice::WriteOnly) || out.write(content) < 0)
    return refuse(file, out.errorString());
  if (before == FileBefore::Kept) {
    THALLO_CHECK(keep(file, content));
  }
  if (!out.commit()) return refuse(file, out.errorString());
  return {};
}

QString keptFolder(const QString& root, const QString& key) {
  if (root.isEmpty()) return {};
  const QByteArray hash =
      QCryptographicHash::hash(key.toUtf8(), QCryptographicHash::Sha1).toHex().left(8);
  return QDir(root).filePath(QFileInfo(key).completeBaseName() + '-' + hash);
}

}  // namespace thallo::gui
