// Derivatives through a solve: how a number that is made of the solution changes with the inputs.
//
// At a solution X the gradient of the cost E is zero, whatever the inputs θ are. So X follows θ by
// dX = -H⁻¹ (∂²E/∂X∂θ) dθ, with the whole Hessian H of E: the second derivatives of residuals and
// losses count, and damping does not. A number L with the gradient v by X has the gradient
// -∂(λ·∇E)/∂θ by θ, where H λ = v. That system is solved by conjugate gradients; each of their
// iterations takes a linear solve with JtJ, which is close to H where residuals are small, and a
// product with H (core/diff/slope_energy.h). Where the residuals leave directions open, λ is about
// the shortest one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/diagnostic.h"
#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

// Numbers of fields by name, each in the field's order, the channels of an element adjacent.
using FieldValues = std::map<std::string, std::vector<double>>;

class PullBack {
 public:
  // Both must outlive it. Programs are compiled when they are needed first.
  PullBack(const Energy& energy, Backend& backend, CompileOptions options);
  ~PullBack();

  // Returns the gradients of L by these inputs, arrays or params, at the solution in the binding,
  // which is valid and on the host. `by_unknowns` are those of L by what unknowns store; by those
  // that are absent it is zero. Entries that are excluded, held, or at their bounds stay where they
  // are. Fails if a name is none, if the unknowns are no minimum or H is singular, and where
  // derivatives are not known.
  Expected<FieldValues> gradients(const Binding& binding, const FieldValues& by_unknowns,
                                  const std::vector<std::string>& inputs);

 private:
  class Programs;
  std::unique_ptr<Programs> programs_;
};

}  // namespace thallo
