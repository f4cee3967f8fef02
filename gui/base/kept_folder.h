// The folders of files that belong to one problem, or to one file of the user.
#pragma once

#include <QString>

namespace thallo::gui {

// Returns the folder for `key` (a name or a path) in `root`, or an empty path if `root` is empty.
// The hash in its name distinguishes paths. The name before the hash is only for people who look
// into the folder.
QString keptFolder(const QString& root, const QString& key);

}  // namespace thallo::gui
