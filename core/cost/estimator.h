#pragma once

// Estimates the work of the program that a plan would be lowered to, without lowering: from the
// energy's expressions, their derivatives and what the plan says about them. It is what a search
// over thousands of plans can afford; the work of a lowered program (work.h) is exact. Both are
// what cost models predict times from.
//
// It is rougher than lowering in these: low-level choices do not count, the pattern of a sparse JtJ
// is bounded by what could meet, and nothing is known of masks.
//
// An Estimator is for one energy and one instance. It differentiates the energy once and keeps what
// it finds about parts and intermediates.

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/cost/work.h"
#include "core/energy/binding.h"
#include "core/kernel/lower.h"
#include "core/schedule/plan.h"
#include "core/schedule/precision.h"

namespace thallo {

// Of the energy's own maps.
std::map<MapId, MapStatistics> map_statistics(const Energy& energy, const Binding& binding);

// What a plan stores beside products.
struct StoredValues {
  std::vector<Materialization> intermediates;  // one per energy.intermediates()
  std::vector<bool> sums;                      // of sums_of(energy), which are parallel

  friend bool operator==(const StoredValues&, const StoredValues&) = default;
};
StoredValues no_stored_values(const Energy& energy);
StoredValues stored_values(const Plan& plan);

// How a plan stores the vectors of the solver.
struct VectorStorage {
  ScalarType type = ScalarType::Working;  // but for b and the diagonal
  VectorOrder order = VectorOrder::Plain;
};
VectorStorage vector_storage(const Plan& plan);

class Estimator {
 public:
  // The extents are those of the binding; `statistics` is of its maps. The energy must outlive the
  // estimator.
  Estimator(const Energy& energy, const Binding& binding, std::map<MapId, MapStatistics> statistics,
            Precision precision, const ProgramOptions& options);
  ~Estimator();
  Estimator(const Estimator&) = delete;
  Estimator& operator=(const Estimator&) = delete;

  // Of the programs whose work is estimated.
  const ProgramOptions& program_options() const;

  // Steps are named as those of the program are, as far as both have them.
  ProgramWork estimate(const Plan& plan);

  // The pieces of an estimate, for searches that vary one decision at a time. All are for a plan
  // that stores these values.
  struct PartWork {
    std::vector<StepWork> steps;
    std::optional<StepWork> dense_product;  // once for all parts that add to a dense JtJ
    double product_bytes = 0;               // stored J, JtJ and Jp
    bool starts_product = false;            // some kernel gathers Ap
    // The parallel Sums whose products Jp reads, also by way of others; see sum_products().
    std::vector<std::size_t> sums;
  };
  PartWork part(const Part& part, const StoredValues& stored, VectorStorage vectors = {},
                std::size_t number = 0);
  // The intermediates that residuals read, also by way of others, but not by way of parallel Sums;
  // ascending.
  const std::vector<std::size_t>& intermediates_of(const std::vector<ResidualRef>& residuals,
                                                   const StoredValues& stored);
  // What is read of intermediates, directly: by residuals, or by the values or derivatives of an
  // intermediate. With all Sums serial.
  struct Reads {
    std::vector<std::size_t> values, gradients;  // of these intermediates
  };
  Reads reads(const std::vector<ResidualRef>& residuals);
  Reads reads(std::size_t intermediate, bool of_gradient);
  // The kernels that store what is stored of one intermediate.
  std::vector<StepWork> intermediate(std::size_t which, const StoredValues& stored);
  // What stores the values of all parallel Sums.
  std::vector<StepWork> sum_values(const StoredValues& stored);
  // What computes the products of some of them, as PartWork::sums numbers them, in every linear
  // iteration.
  std::vector<StepWork> sum_products(const std::vector<std::size_t>& which,
                                     const StoredValues& stored, VectorStorage vectors = {});
  // The solver's own.
  std::vector<StepWork> solver(const Plan& plan, bool starts_product);
  // The frame for steps: maps and bytes, for a plan whose parts store so many bytes of products.
  ProgramWork frame(const StoredValues& stored, double product_bytes);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace thallo
