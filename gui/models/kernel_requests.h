// Makes the requests to workers about the kernels of a schedule.
#pragma once

#include <QByteArray>
#include <QString>

namespace thallo::gui {

class Analysis;

// Opens the problem for its device, which need not be present.
QByteArray openRequest(const Analysis& analysis);
QByteArray kernelsRequest(const QString& schedule, bool compiles);

}  // namespace thallo::gui
