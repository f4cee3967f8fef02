// What workers are asked for the kernels of a schedule.
#pragma once

#include <QByteArray>
#include <QString>

namespace thallo::gui {

class Analysis;

// Opens the problem for its device, of which none need be there.
QByteArray openRequest(const Analysis& analysis);
QByteArray kernelsRequest(const QString& schedule, bool compiles);

}  // namespace thallo::gui
