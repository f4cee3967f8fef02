// What was measured of a case, or of a part of one.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace thallo::cli {

// What a value says of the quantity if it is not the quantity itself: a run that was ended had done
// no less.
enum class Bound { Exact, AtLeast, AtMost };

struct MeasuredCase {
  std::map<std::string, double> values;          // by the keys of quantities
  std::map<std::string, Bound> bounds;           // of the values that are not exact
  std::vector<std::pair<double, double>> curve;  // its method says of what
  bool is_complete = true;                       // false if it should be gone on with
  double limit = 0;  // seconds that a run had where a bound was found; 0: nothing was ended
  std::string conditions = {};  // one sentence

  Bound bound(const std::string& key) const {
    const auto found = bounds.find(key);
    return found == bounds.end() ? Bound::Exact : found->second;
  }
  void set(const std::string& key, double value, Bound bound = Bound::Exact) {
    values[key] = value;
    if (bound != Bound::Exact) bounds[key] = bound;
  }
};

}  // namespace thallo::cli
