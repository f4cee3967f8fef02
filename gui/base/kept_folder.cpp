#include "gui/base/kept_folder.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>

namespace thallo::gui {

QString keptFolder(const QString& root, const QString& key) {
  if (root.isEmpty()) return {};
  const QByteArray hash =
      QCryptographicHash::hash(key.toUtf8(), QCryptographicHash::Sha1).toHex().left(8);
  return QDir(root).filePath(QFileInfo(key).completeBaseName() + '-' + hash);
}

}  // namespace thallo::gui
