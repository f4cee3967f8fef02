#pragma once

// The part of validate.h that checks what expressions read: indices of accesses, arguments of
// sparse maps, dims of bounds tests, positions of samples, and intermediates that read each other.

#include <set>
#include <string>
#include <vector>

#include "core/energy/dependence.h"
#include "core/energy/fault_finder.h"

namespace thallo {

class ReadValidation : FaultFinder {
 public:
  ReadValidation(const Energy::Data& data, std::vector<Diagnostic>& faults)
      : FaultFinder(data, faults) {}

  void check_accesses();
  // True if an intermediate reads itself, directly or through others, which is a fault.
  bool has_circle();
  // Must not be called if there is a circle: checking the dependence on unknowns would then never
  // end.
  void check_samples();

 private:
  void check_access(ExprId id, const SourceLocation& where);
  void check_index(IndexId index, const std::vector<DimId>& dims, const std::string& who,
                   const SourceLocation& where);
  void check_component(const Affine& component, DimId expected, std::size_t position,
                       const std::string& who, const SourceLocation& where);
  void check_lookups(IndexId index, const SourceLocation& where);
  void check_sample(ExprId id, const SourceLocation& where, UnknownDependence& dependence);
  void check_layer_sample(ExprId id, const SourceLocation& where);

  std::set<AtomId> checked_lookups_;
  std::set<ExprId> checked_samples_;
};

}  // namespace thallo
