// A schedule text beside the schedule that it means: where its faults are, and which line decides
// at which site.
#pragma once

#include <vector>

#include <QStringList>

#include "core/base/diagnostic.h"
#include "gui/models/schedule_data.h"

namespace thallo::gui {

// The faults that reading a text ended with, each with its place.
std::vector<TextFault> readFaults(const Diagnostic& fault);

// For each line the id of the site at which it says what is chosen there; empty where it is written
// in another way than schedules are printed, and for comments.
QStringList sitesOfLines(const QString& text, const SiteTable& table);

}  // namespace thallo::gui
