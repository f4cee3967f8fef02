// All ways to decide about one part of a plan, with bounds of their prices.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/search/search.h"

namespace thallo {

// Bounds of what steps take, whatever the program streams beside them.
class StepBounds {
 public:
  // The pricer must outlive the bounds.
  StepBounds(const Energy& energy, PlanPricer& pricer);

  // Returns the seconds that the steps add to a nonlinear iteration at least, in a program that
  // stores this many bytes of products or more.
  double of(const std::vector<StepWork>& steps, double product_bytes = 0);
  // Returns the seconds of a nonlinear iteration that are not spent in steps.
  double beside_steps(const Plan& plan);

 private:
  PlanPricer& pricer_;
  ProgramWork least_, most_;  // without steps: those that stream the least and the most
};

// A way to decide about a part.
struct PartWay {
  Part part;
  std::vector<Directive> directives;
  std::shared_ptr<const Estimator::PartWork> work;
  double bound = 0;  // seconds that its own steps take at least, without the following
  // Bounds of what it shares with other parts: the dense JtJ, and the products of parallel Sums.
  double of_dense_product = 0, of_sums = 0;
};

struct PartWays {
  std::vector<PartWay> ways;  // those with the lowest bounds first
  double least_of_sums = 0;   // the lowest of_sums

  double bound() const;  // of the first; infinite if there is no way
};

// Finds the ways to decide about parts, for each set of residuals and each plan of what is stored.
class PartWaysTable {
 public:
  // All schedules have the solver's vectors stored so.
  PartWaysTable(const SearchSpace& space, PlanPricer& pricer, StepBounds& bounds,
                VectorStorage vectors)
      : space_(space), pricer_(pricer), bounds_(bounds), vectors_(vectors) {}

  // Returns the ways to decide about a part if `stored` is stored. At the node the partition is
  // decided, and nothing else.
  const PartWays& of(const ScheduleSpace::Node& node, const Part& part, const StoredValues& stored);

 private:
  // What the work of a part depends on: its residuals, parallel Sums, and what is stored of the
  // intermediates that it reads.
  using Key = std::pair<std::vector<ResidualRef>, std::vector<bool>>;

  const SearchSpace& space_;
  PlanPricer& pricer_;
  StepBounds& bounds_;
  VectorStorage vectors_;
  std::map<Key, PartWays> found_;
};

// Visits the nodes that are reached by deciding about all sites that `is_wanted`, in every way, and
// about all others by default, up to the stage `last`; of the low-level stage, only what is pinned.
// Returns false if the visitor ended it.
using SiteFilter = std::function<bool(const Site&)>;
using NodeVisitor = std::function<bool(const ScheduleSpace::Node&)>;
bool visit_ways(const ScheduleSpace& space, ScheduleSpace::Node node, Stage last,
                const SiteFilter& is_wanted, const NodeVisitor& visitor);

}  // namespace thallo
