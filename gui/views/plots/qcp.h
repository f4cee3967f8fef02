// QCustomPlot, whose header has Qt's words `signals`, `slots` and `foreach`, which are no
// words of ours.
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
