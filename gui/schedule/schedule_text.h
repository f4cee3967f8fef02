// Relates a schedule text to the schedule that it means: where its faults are, and which line
// decides at which site.
#pragma once

#include <vector>

#include <QStringList>

#include "core/base/diagnostic.h"
#include "gui/schedule/schedule_data.h"

namespace thallo::gui {

// Returns the faults of reading a text, each with its place.
std::vector<TextFault> readFaults(const Diagnostic& fault);

// Returns, for each line, the id of the site whose current choice it states. Empty for comments and
// for statements in another form than schedules are printed in.
QStringList sitesOfLines(const QString& text, const SiteTable& table);

}  // namespace thallo::gui
