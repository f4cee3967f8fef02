// Adds the measurements that ship with a problem to a person's own store.
#pragma once

#include <QString>

#include "core/base/diagnostic.h"

namespace thallo::gui {

// A person's store of a problem starts with the measurements that ship with the problem. It later
// receives those that ship with newer versions, for problems and devices that it has none of. Does
// nothing if none ship. Fails if the store cannot be read or written.
Expected<void> addShipped(const QString& store, const QString& problem);

}  // namespace thallo::gui
