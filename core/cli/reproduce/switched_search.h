// The method `switched_search`: runs searches by predicted times with some of their switches on and
// off, and compares what they report of themselves.
#pragma once

#include "core/cli/reproduce/methods.h"

namespace thallo::cli {

// A quantity's figure is one that its search reports ("states priced"), or `seconds`, which the
// search took. Bytes are in MB (10^6), shares in percent. A search that was ended after the time
// that it may take would have reported no less. Nothing is measured: times are predicted for the
// item's device. Each search is a part of the case, which tables have in common.
MeasuredCase switched_search(const CaseToMeasure& its);

}  // namespace thallo::cli
