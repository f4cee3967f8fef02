// Reads the text of a problem's energy.
#pragma once

#include "core/energy/energy.h"
#include "core/plugin/session.h"
#include "gui/problem/problem_data.h"

namespace thallo::gui {

// `energy` is null if the text has faults. The source is known then, too, if the problem is one of
// a .toml file.
EnergySource readEnergySource(Session& session, const QString& problem, const Energy* energy);

}  // namespace thallo::gui
