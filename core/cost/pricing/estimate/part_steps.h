// The steps that a part of a plan has, with their estimated work. Private to estimates.
#pragma once

#include <optional>
#include <vector>

#include "core/cost/pricing/estimate/part_pieces.h"
#include "core/cost/pricing/estimate/step_builder.h"
#include "core/cost/pricing/estimator.h"
#include "core/kernel/lower.h"

namespace thallo {

// The sizes of an instance, and what is in memory.
struct EstimateSizes {
  std::vector<std::int64_t> extents;  // by DimId
  double num_unknowns = 0;            // N
  ProgramOptions options;

  double elements(const std::vector<DimId>& dims) const;
  double points(const std::vector<DomainId>& domains, const IndexTable& indices) const;
  // Bytes of a scalar in memory.
  double scalar(ScalarType type) const;
};

// What a table is; the second part of its key says of which field or part.
enum TableKind { FieldTable, VectorTable, ProductTable, TrialTable };

Table field_table(const Anatomy& anatomy, const EstimateSizes& sizes, FieldId field);
// A view of a solver vector.
Table vector_table(const Energy& energy, const EstimateSizes& sizes, SolverVector vector,
                   FieldId unknown, VectorStorage vectors);
// The blocks of the preconditioner at the elements of an unknown, of which a triangle is stored.
Table block_table(const Energy& energy, const EstimateSizes& sizes, FieldId unknown,
                  VectorStorage vectors);
// Loads what an effort without reads loads.
void add_loads(StepBuilder& step, const Anatomy& anatomy, const EstimateSizes& sizes,
               const Effort& effort, double times = 1);

struct PartSteps {
  std::vector<StepWork> steps;
  double product_bytes = 0;             // stored J, JtJ and Jp
  bool starts_product = false;          // a kernel of the part gathers Ap and needs no cleared one
  bool reads_products_of_sums = false;  // Jp is computed from derivatives
  // What multiplies the dense JtJ, once for all parts that add to it.
  std::optional<StepWork> dense_product;
};

// `pieces` are those of the part's residuals; `efforts` are their efforts without reads.
PartSteps part_steps(const Anatomy& anatomy, const EstimateSizes& sizes, const PartPieces& pieces,
                     const PartEfforts& efforts, const Part& part, VectorStorage vectors);

}  // namespace thallo
