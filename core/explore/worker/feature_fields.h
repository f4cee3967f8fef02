#pragma once

// The fields of the features of a step (step_features.h) in JSON (core/base/json_fields.h).

#include "core/base/json_fields.h"
#include "core/explore/worker/step_features.h"

namespace thallo {

template <class Fields>
void visit_fields(StepFeatures& r, Fields&& fields) {
  fields("points", r.points);
  fields("flops", r.flops);
  fields("loads", r.loads);
  fields("reads", r.reads);
  fields("writes", r.writes);
  fields("scatters", r.scatters);
  fields("atomics", r.atomics);
  fields("must_read", r.must_read);
  fields("must_write", r.must_write);
}

}  // namespace thallo
