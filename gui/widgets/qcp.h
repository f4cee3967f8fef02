// Includes QCustomPlot, whose header uses Qt's keywords `signals`, `slots` and `foreach`, which we
// do not use.
#pragma once

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit Q_EMIT
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef emit
#undef foreach
