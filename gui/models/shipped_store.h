// The measurements that ship with a problem, as a part of a person's own store.
#pragma once

#include <QString>

#include "core/base/diagnostic.h"

namespace thallo::gui {

// The store in which a person explores a problem begins with the measurements that ship with it,
// and gets those that ship with a later version: of a problem or a device that it has none of. Does
// nothing when none ship. Fails when the store cannot be read or written.
Expected<void> addShipped(const QString& store, const QString& problem);

}  // namespace thallo::gui
