// Detects when rounding errors hide whether steps lower the cost. Where the cost is smooth, the
// change of a step shrinks with the decrease that the model promises, even if the gradient is
// wrong. If steps from one point promise less and less but change the cost as much as before, the
// change is rounding, and no trust region radius finds a better point.
#pragma once

#include <string>
#include <vector>

namespace thallo {

class RoundingFloor {
 public:
  // Must be called when the next steps start from another point.
  void restart() { rejections_.clear(); }

  // Records a finite step that was rejected: the decrease that the model promised, the change of
  // the cost, and the cost before. Returns true if an earlier step from the same point promised a
  // hundred times as much and changed the cost by at most ten times as much.
  bool is_reached_by(double promised, double change, double cost);

  // Describes what was seen when the floor was reached.
  std::string text() const;

 private:
  struct Rejection {
    double promised;  // relative to the cost
    double changed;   // magnitude, relative to the cost
  };
  std::vector<Rejection> rejections_;  // since the last restart
};

}  // namespace thallo
