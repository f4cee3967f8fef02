// Finds what every linear iteration computes again under a plan: the far side of the cut, which
// view.h defines. Private to views.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/explore/dag/subject.h"
#include "core/kernel/frequency.h"

namespace thallo {

class Recomputation {
 public:
  // `computations` must belong to the plan.
  Recomputation(const DagSubject& subject, const Plan& plan,
                const std::vector<DagComputation>& computations);

  // True if linear iterations compute the value, or the derivatives, of the node again.
  bool of_value(const std::string& id) const { return values_.contains(id); }
  bool of_gradient(const std::string& id) const { return gradients_.contains(id); }
  bool is_far(const std::string& id) const { return of_value(id) || of_gradient(id); }
  Frequency frequency_of(const std::string& id) const {
    return is_far(id) ? Frequency::LinearIteration : Frequency::NonlinearIteration;
  }
  // True if linear iterations load the field, or the stored values or derivatives of its node, to
  // compute the reader.
  bool loads(const std::string& reader, FieldId field) const {
    return loads_.contains({reader, field});
  }

 private:
  std::set<std::string> values_, gradients_;
  std::set<std::pair<std::string, FieldId>> loads_;
};

}  // namespace thallo
