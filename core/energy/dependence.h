#pragma once

// Tells in which of two ways an expression depends on the unknowns. Its *value* does if it reads
// any unknown, through channels of intermediates and frozen parts too. It can have a *derivative*
// if it reads an unknown outside of Freeze, SampleLayer, comparisons, Not, Or and the condition of
// a Select.

#include <map>

#include "core/energy/energy.h"

namespace thallo {

class UnknownDependence {
 public:
  // The data must outlive this object; its intermediates must not read each other in a circle.
  explicit UnknownDependence(const Energy::Data& data) : data_(data) {}

  bool value(ExprId expression) { return find(expression).value; }
  bool derivative(ExprId expression) { return find(expression).derivative; }

 private:
  struct Answer {
    bool value = false;
    bool derivative = false;
  };
  Answer find(ExprId expression);
  Answer read(ExprId access);

  const Energy::Data& data_;
  std::map<ExprId, Answer> answers_;
};

}  // namespace thallo
