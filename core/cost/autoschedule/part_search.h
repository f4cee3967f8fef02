// Finds the predicted seconds of parts and of stored values, and the cheapest combination of
// everything that can be decided about a part alone. Each result is computed once. Private to the
// autoscheduler.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "core/cost/autoschedule/autoschedule.h"

namespace thallo {

// A decision against a default must promise to save at least this share of the time.
inline constexpr double WorthDeciding = 0.005;
// A higher threshold for a part that would store more of J, JtJ and Jp than another, or whose
// products fit in no cache: such predictions depend on properties that the model knows little
// about.
inline constexpr double WorthStoring = 0.05;
inline constexpr double WorthStreaming = 0.2;
// The threshold for another layout of the vectors, which changes nearly all kernels a little.
inline constexpr double WorthBlocking = 0.03;
// The same of tiles.
inline constexpr double WorthTiling = 0.05;

// All seconds are per nonlinear iteration. They exclude the solver's own steps, but include
// starting Ap.
class AutoSearch {
 public:
  // All arguments must outlive the search.
  AutoSearch(const Energy& energy, PlanPricer& pricer, std::int64_t memory_limit);

  Estimator& estimator() { return pricer_.estimator(); }

  struct Outcome {
    double seconds = 0;
    double product_bytes = 0;  // stored by all parts together
    std::vector<Part> parts;
    std::vector<AutoStep> steps;  // one for each part
  };
  // Returns the best version of every part, and the kernels that store values.
  Outcome best(const std::vector<Part>& parts, const StoredValues& stored);
  double best_seconds(const std::vector<Part>& parts, const StoredValues& stored);

  // Returns the seconds of a part as it is, with everything that it needs; infinity if it does not
  // fit, or the linear solver cannot multiply by it.
  double seconds_of(const Part& part, const StoredValues& stored);
  // Returns the seconds of the kernels that store an intermediate.
  double storing(std::size_t intermediate, const StoredValues& stored);

 private:
  struct WeighedPart {
    Part part;
    double seconds = std::numeric_limits<double>::infinity();
    double of_dense_product = 0;  // of these, what parts with a dense JtJ share
    bool starts_product = false;  // true if it writes Ap, so that the solver need not
    double product_bytes = 0;     // stored J, JtJ and Jp
    bool is_streamed = false;     // true if these exceed the cache of the device

    bool is_worth_more_than(const WeighedPart& other) const;
  };
  struct BestPart {
    WeighedPart of_all;
    WeighedPart of_starting;                   // infinity if no part starts the product
    std::map<Strategy, double> of_strategies;  // the least seconds with each
    void consider(WeighedPart part);
  };
  // Combines parts.
  class Together;
  using Flags = std::vector<bool>;
  const BestPart& best(const Part& part, const StoredValues& stored);
  double storing_all(const StoredValues& stored);
  WeighedPart weighed(const Part& part, const StoredValues& stored);
  BestPart cheapest(const Part& part, const StoredValues& stored);
  std::vector<Part> operators(const Part& part, const std::vector<ComputeAt>& gathers) const;

  const Energy& energy_;
  PlanPricer& pricer_;
  double memory_limit_;
  double start_by_solver_ = 0;  // the solver's time to start Ap if no part does
  std::map<std::pair<std::vector<ResidualRef>, Flags>, BestPart> parts_;
  std::map<std::pair<std::size_t, Flags>, double> storing_;
};

}  // namespace thallo
