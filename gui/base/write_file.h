// Writes files of the user, and names folders for what belongs to them.
#pragma once

#include <QByteArray>
#include <QString>

#include "core/base/diagnostic.h"

namespace thallo::gui {

// What becomes of the file that is replaced: nothing, or it is kept as FILE~.
enum class FileBefore { Dropped, Kept };

// Replaces the file by one with this content, so that it is never half written. Files that ship
// with Thallo are refused.
Expected<void> writeFile(const QString& file, const QByteArray& content,
                         FileBefore before = FileBefore::Dropped);

// Returns the folder for what belongs to `key` (the name of a problem, or the path of a file) in
// `root`, or an empty path if `root` is empty. The hash in its name distinguishes paths. The name
// before the hash is only for people who look into the folder.
QString keptFolder(const QString& root, const QString& key);

}  // namespace thallo::gui
