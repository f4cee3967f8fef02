// The ways to measure a case of a table or figure. Each is a function that runs the case and
// returns a value for some of the item's quantities:
//
//   iteration_time   milliseconds of a nonlinear iteration under the schedule that a quantity is
//                    named after; of the key "time", under the schedule of the case
//   throughput       thousands of elements (pixels, vertices) that a whole solve takes in a second,
//                    under the schedule that a quantity is named after
//   off_optimum      percent by which the schedule that the paper's cost model chooses is slower
//                    than the best one that is known; both are predicted for the device whose spec
//                    a quantity is named after, so that no device is needed
//   distribution     milliseconds of the schedules of the published space, see distribution.h
//   digits           digits_1 and digits_2: correct digits from both starts of a NIST data set
//   error_over_time  mse, seconds, seconds_1 and seconds_01 (until 1 and 0.1 % above the least); a
//                    curve of seconds and the mean squared error relative to the least one
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cli/reproduce/paper.h"
#include "core/cli/session.h"
#include "core/schedule/precision.h"

namespace thallo::cli {

// Where and how cases are run.
struct ReproduceRun {
  Session& session;
  std::string backend = "auto";
  int device = 0;
  int num_threads = 0;
  bool is_tiny = false;
  // The store of explorations; absent if none is kept.
  std::optional<std::filesystem::path> measurements = {};
  std::optional<double> seconds_left = {};  // absent if there is no budget
};

struct MeasuredCase {
  std::map<std::string, double> values;          // by the keys of quantities
  std::vector<std::pair<double, double>> curve;  // its method says of what
  bool is_complete = true;                       // false if it should be gone on with
  std::string conditions;                        // one sentence
};

struct Method {
  std::string_view name;
  // `input` is the case's input with files that are there. Throws UserError if it cannot be run.
  MeasuredCase (*measure)(const ReproduceRun& run, const PaperItem& item, const PaperCase& one,
                          const CaseInput& input);
  bool runs = true;  // false if it predicts, for which no device is needed
  // The axes of its curves, if it has any. A share is on a linear axis, all else on logarithmic
  // ones.
  std::string_view curve_x = "", curve_y = "";
};

const Method* find_method(std::string_view name);  // null if there is none
std::vector<std::string> method_names();

}  // namespace thallo::cli
