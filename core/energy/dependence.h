#pragma once

// Does an expression depend on the unknowns? Two questions: does its *value* (any unknown read,
// through named intermediates and frozen parts too), and can it have a *derivative* (unknown reads
// that are not behind Freeze, a comparison or the condition of a Select).

#include <map>

#include "core/energy/energy.h"

namespace thallo {

class UnknownDependence {
 public:
  // The data must outlive it; its intermediates must not read each other in a circle.
  explicit UnknownDependence(const Energy::Data& data) : data_(data) {}

  bool value(ExprId expression) { return find(expression).value; }
  bool derivative(ExprId expression) { return find(expression).derivative; }

 private:
  struct Answer {
    bool value = false;
    bool derivative = false;
  };
  Answer find(ExprId expression);
  Answer read(FieldId field);

  const Energy::Data& data_;
  std::map<ExprId, Answer> answers_;
};

}  // namespace thallo
