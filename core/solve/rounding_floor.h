// Tells when rounding hides whether steps lower the cost. Where the cost is smooth, what a step
// changes shrinks with what its model promises, even if the gradient is wrong. Where steps from one
// point promise ever less and change the cost as much as before, rounding changes it, and no
// trust region radius finds a better point.
#pragma once

#include <string>
#include <vector>

namespace thallo {

class RoundingFloor {
 public:
  // The next steps are taken from another point.
  void restart() { rejections_.clear(); }

  // Takes a finite step that was rejected: the decrease that the model promised, by how much the
  // cost changed, and the cost before. True if a step from the same point promised a hundred times
  // as much and changed the cost by at most ten times as much.
  bool is_reached_by(double promised, double change, double cost);

  // What was seen when the floor was reached, for people.
  std::string text() const;

 private:
  struct Rejection {
    double promised;  // relative to the cost
    double changed;   // magnitude, relative to the cost
  };
  std::vector<Rejection> rejections_;  // since the last restart
};

}  // namespace thallo
