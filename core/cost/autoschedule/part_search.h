// Predicted seconds of parts and of what plans store, and the cheapest of all that can be decided
// about a part alone. Each is found once. Private to the autoscheduler.
#pragma once

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "core/cost/autoschedule.h"

namespace thallo {

// A decision against a default must promise this share of the time; what promises less is left.
inline constexpr double WorthDeciding = 0.005;
// The same for a part that stores more of J, JtJ and Jp than another, and for one whose products no
// cache holds: then much depends on what the model knows little of.
inline constexpr double WorthStoring = 0.05;
inline constexpr double WorthStreaming = 0.2;
// The same for another layout of the vectors, which changes nearly all kernels a little.
inline constexpr double WorthBlocking = 0.03;

// All seconds are those of a nonlinear iteration, without the solver's own steps, but with what it
// takes to start Ap.
class AutoSearch {
 public:
  // All must outlive the search.
  AutoSearch(const Energy& energy, Estimator& estimator, const CostModel& model,
             const DeviceSpec& device, const AutoOptions& options);

  struct Outcome {
    double seconds = 0;
    double product_bytes = 0;  // that the parts store together
    std::vector<Part> parts;
  };
  // Every part at its best, and the kernels that store values.
  Outcome best(const std::vector<Part>& parts, const StoredValues& stored);
  double best_seconds(const std::vector<Part>& parts, const StoredValues& stored);

  // A part as it is, with all that it needs; infinity if it does not fit.
  double seconds_of(const Part& part, const StoredValues& stored);
  // The kernels that store what is stored of an intermediate.
  double storing(std::size_t intermediate, const StoredValues& stored);

 private:
  struct WeighedPart {
    Part part;
    double seconds = std::numeric_limits<double>::infinity();
    double of_dense_product = 0;  // of these, what parts with a dense JtJ have in common
    bool starts_product = false;  // it writes Ap, so that the solver need not
    double product_bytes = 0;     // stored J, JtJ and Jp
    bool is_streamed = false;     // these are more than the cache of the device

    bool is_worth_more_than(const WeighedPart& other) const;
  };
  struct BestPart {
    WeighedPart of_all;
    WeighedPart of_starting;  // infinity: none starts the product
    void consider(WeighedPart part);
  };
  // Parts together.
  class Together;
  using Flags = std::vector<bool>;
  const BestPart& best(const Part& part, const StoredValues& stored);
  double storing_all(const StoredValues& stored);
  WeighedPart weighed(const Part& part, const StoredValues& stored);
  double seconds_of(const std::vector<StepWork>& steps, double product_bytes = 0);
  BestPart cheapest(const Part& part, const StoredValues& stored);
  std::vector<Part> operators(const Part& part, bool can_gather) const;

  const Energy& energy_;
  Estimator& estimator_;
  const CostModel& model_;
  const DeviceSpec& device_;
  const AutoOptions& options_;
  ProgramWork frame_;
  double start_by_solver_ = 0;  // what the solver takes to start Ap where no part does
  std::map<std::pair<std::vector<ResidualRef>, Flags>, BestPart> parts_;
  std::map<std::pair<std::size_t, Flags>, double> storing_;
};

}  // namespace thallo
