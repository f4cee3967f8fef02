// The ways to measure a case of a table or figure. Each is a function that runs the case and
// returns a value for some of the item's quantities:
//
//   iteration_time   milliseconds of a nonlinear iteration under the schedule that a quantity is
//                    named after; of the key "time", and with `passes`, under the schedule of the
//                    case
//   throughput       thousands of elements (pixels, vertices) that a whole solve takes in a second,
//                    under the schedule that a quantity is named after
//   off_optimum      percent by which the schedule that the paper's cost model chooses is slower
//                    than the best one that is known; both are predicted for the device whose spec
//                    a quantity is named after, so that no device is needed
//   digits           digits_1 and digits_2: correct digits from both starts of a NIST data set
//   error_over_time  mse, seconds, seconds_1 and seconds_01 (until 1 and 0.1 % above the least); a
//                    curve of seconds and the mean squared error relative to the least one
//   left_out_prediction, switched_search, search_modes, distribution
//                    in files of their own
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cli/reproduce/case_parts.h"
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
};

// What a method measures.
struct CaseToMeasure {
  const ReproduceRun& run;
  const TimeBudget& budget;
  CaseParts& parts;
  const PaperItem& item;
  const PaperCase& one;
  const CaseInput& written;  // of the case, as the paper's file has it
  const CaseInput& input;    // the same with the paths of files
};

struct Method {
  enum class Marks { None, Line, Scatter };

  std::string_view name;
  // Throws UserError if it cannot be run.
  MeasuredCase (*measure)(const CaseToMeasure& its);
  bool runs = true;        // false if it predicts, for which no device is needed
  bool has_parts = false;  // true if it obtains the case part by part
  // How its curves are drawn, if it has any, and their axes. A share is on a linear axis, all else
  // on logarithmic ones.
  Marks marks = Marks::None;
  std::string_view curve_x = "", curve_y = "";
};

const Method* find_method(std::string_view name);  // null if there is none
std::vector<std::string> method_names();
// Methods that take longer come later, so that a budget makes as much as possible.
std::size_t order_of(const Method& method);

}  // namespace thallo::cli
