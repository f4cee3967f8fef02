#pragma once

// How the values of a body move from one thread to the next, and with them the places in memory
// that they lead to.

#include <vector>

#include "core/kernel/features.h"

namespace thallo {

class Motions {
 public:
  Motions() = default;
  explicit Motions(const CodeBody& body);

  Motion motion(ValueId value) const {
    return value.valid() ? motions_[value.index()] : Motion::Still;
  }
  // Returns the map through which a value jumps; invalid if there is none.
  MapId jumped_by(ValueId value) const {
    return value.valid() ? jumped_by_[value.index()] : MapId();
  }

 private:
  MapId map_among(const std::vector<ValueId>& operands) const;
  Motion affine_motion(const Instruction& v) const;
  Motion element_motion(const Instruction& v) const;

  std::vector<Motion> motions_;
  std::vector<MapId> jumped_by_;
};

}  // namespace thallo
