#pragma once

// Estimates the work of a plan's program without lowering its parts, from the energy's expressions,
// their derivatives and the plan. The work of a lowered program (work.h) is exact, but a search
// over thousands of plans cannot afford it: a part that was never lowered takes from one to a
// hundred milliseconds, and nine of ten parts of random plans are new, so that lowering prices from
// 14 to 430 plans a second on one core (curve_fit: 3,600; measured at -O1), and `auto` would take
// from 0.04 to 14 seconds. Cost models predict times from either. Only the solver's own steps,
// which all plans share, are lowered.
//
// Compared with lowering, it ignores low-level choices, bounds the pattern of a sparse JtJ by what
// could meet, and knows nothing about masks and what passes save (core/kernel/generate.h).
//
// An Estimator belongs to one energy and one instance. It differentiates the energy once and keeps
// its results about parts and intermediates by what they depend on, up to some thousands of them.
// One thread at a time may use it.

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/cost/model/work.h"
#include "core/energy/binding.h"
#include "core/kernel/lower.h"
#include "core/schedule/plan.h"
#include "core/schedule/precision.h"

namespace thallo {

// Returns the statistics of the energy's own maps.
std::map<MapId, MapStatistics> map_statistics(const Energy& energy, const Binding& binding);

// What a plan stores besides products.
struct StoredValues {
  std::vector<Materialization> intermediates;  // one per energy.intermediates()
  // For each of sums_of(energy), whether it is parallel.
  std::vector<bool> sums;

  friend bool operator==(const StoredValues&, const StoredValues&) = default;
};
StoredValues no_stored_values(const Energy& energy);
StoredValues stored_values(const Plan& plan);

// How a plan stores the solver's vectors.
struct VectorStorage {
  ScalarType type = ScalarType::Working;  // except for b and the diagonal
  VectorOrder order = VectorOrder::Plain;

  friend auto operator<=>(const VectorStorage&, const VectorStorage&) = default;
};
VectorStorage vector_storage(const Plan& plan);

class Estimator {
 public:
  // The extents are taken from the binding; `statistics` must belong to its maps, as those of
  // map_statistics() do. Energy and binding must outlive the estimator.
  Estimator(const Energy& energy, const Binding& binding, std::map<MapId, MapStatistics> statistics,
            const ProgramOptions& options);
  ~Estimator();
  Estimator(const Estimator&) = delete;
  Estimator& operator=(const Estimator&) = delete;

  // The options of the programs whose work is estimated.
  const ProgramOptions& program_options() const;

  // Steps have the names of the program's steps, as far as both have them.
  ProgramWork estimate(const Plan& plan);

  // An estimate whose steps are not copied: they are shared with other plans.
  struct Pieces {
    ProgramWork frame;  // without steps
    std::vector<const StepWork*> steps;
    std::vector<std::shared_ptr<const void>> owners;  // of the steps
  };
  Pieces pieces(const Plan& plan);

  // The functions below return single pieces, for searches that vary one decision at a time. All
  // assume a plan that stores the given values.
  struct PartWork {
    std::vector<StepWork> steps;
    std::optional<StepWork> dense_product;  // once for all parts that add to a dense JtJ
    double product_bytes = 0;               // stored J, JtJ and Jp
    bool starts_product = false;            // true if some kernel gathers Ap
    // The parallel Sums whose products Jp reads, directly or through others; see sum_products().
    std::vector<std::size_t> sums;
  };
  std::shared_ptr<const PartWork> part(const Part& part, const StoredValues& stored,
                                       VectorStorage vectors = {});
  // Returns the intermediates that residuals read, directly or through others but not through
  // parallel Sums, ascending.
  const std::vector<std::size_t>& intermediates_of(const std::vector<ResidualRef>& residuals,
                                                   const StoredValues& stored);
  // What residuals, or an intermediate's values or derivatives, read directly from intermediates,
  // if all Sums are serial.
  struct Reads {
    std::vector<std::size_t> values, gradients;  // of these intermediates
  };
  Reads reads(const std::vector<ResidualRef>& residuals);
  Reads reads(std::size_t intermediate, bool of_gradient);
  using Steps = std::shared_ptr<const std::vector<StepWork>>;
  // Returns the kernels that store an intermediate.
  Steps intermediate(std::size_t which, const StoredValues& stored);
  // Returns the kernels that store the values of all parallel Sums.
  std::vector<StepWork> sum_values(const StoredValues& stored);
  // Returns the kernels that compute the products of these parallel Sums, numbered as in
  // PartWork::sums, in every linear iteration.
  std::vector<StepWork> sum_products(const std::vector<std::size_t>& which,
                                     const StoredValues& stored, VectorStorage vectors = {});
  // Returns the solver's own steps: those of pcg.
  Steps solver(const Plan& plan, bool starts_product);
  // Returns the work without steps: maps and bytes, for a plan whose parts store this many bytes of
  // products.
  ProgramWork frame(const StoredValues& stored, double product_bytes);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace thallo
