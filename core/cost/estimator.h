#pragma once

// Estimates the work of the program that a plan would be lowered to, without lowering: from the
// energy's expressions, their derivatives and what the plan says about them. It is what a search
// over thousands of plans can afford; the work of a lowered program (work.h) is exact. Both are
// what cost models predict times from.
//
// It is rougher than lowering in these: all Sums count as serial, low-level choices do not count,
// the pattern of a sparse JtJ is bounded by what could meet, and nothing is known of masks.
//
// An Estimator is for one energy and one instance. It differentiates the energy once and keeps what
// it finds about parts and intermediates.

#include <map>
#include <memory>
#include <vector>

#include "core/cost/work.h"
#include "core/energy/binding.h"
#include "core/kernel/lower.h"
#include "core/schedule/plan.h"
#include "core/schedule/precision.h"

namespace thallo {

// Of the energy's own maps.
std::map<MapId, MapStatistics> map_statistics(const Energy& energy, const Binding& binding);

class Estimator {
 public:
  // The extents are those of the binding; `statistics` is of its maps. The energy must outlive the
  // estimator.
  Estimator(const Energy& energy, const Binding& binding, std::map<MapId, MapStatistics> statistics,
            Precision precision, const ProgramOptions& options);
  ~Estimator();
  Estimator(const Estimator&) = delete;
  Estimator& operator=(const Estimator&) = delete;

  // Steps are named as those of the program are, as far as both have them.
  ProgramWork estimate(const Plan& plan);

  // The pieces of an estimate, for searches that vary one decision at a time. All are for a plan in
  // which `stored` says what is stored of intermediates.
  struct PartWork {
    std::vector<StepWork> steps;
    double product_bytes = 0;     // stored J, JtJ and Jp
    bool starts_product = false;  // some kernel gathers Ap
  };
  PartWork part(const Part& part, const std::vector<Materialization>& stored,
                ScalarType vector_type = ScalarType::Working, std::size_t number = 0);
  // The intermediates that residuals read, also by way of others; ascending.
  const std::vector<std::size_t>& intermediates_of(const std::vector<ResidualRef>& residuals);
  // The kernels that store what is stored of one intermediate.
  std::vector<StepWork> intermediate(std::size_t which, const std::vector<Materialization>& stored);
  // The solver's own.
  std::vector<StepWork> solver(const Plan& plan, bool starts_product);
  // The frame for steps: maps and bytes, for a plan whose parts store so many bytes of products.
  ProgramWork frame(const std::vector<Materialization>& stored, double product_bytes) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace thallo
