// What a solve ran on, and when.
#pragma once

#include "core/backend/backend.h"
#include "core/solve/summary.h"

namespace thallo {

// Of a solve that ends now. `cpu_seconds_before` is process_cpu_seconds() of when it began.
RunFacts run_facts(const Backend& backend, const Executable& executable, Precision precision,
                   double cpu_seconds_before);

// The processor time of all threads of this process so far.
double process_cpu_seconds();

}  // namespace thallo
