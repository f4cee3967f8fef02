// Writes files of the user.
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

}  // namespace thallo::gui
