// What the pieces of an estimate depend on: they are kept by it. Private to estimates.
#pragma once

#include <compare>
#include <cstddef>
#include <tuple>
#include <vector>

#include "core/cost/pricing/estimator.h"

namespace thallo {

using Flags = std::vector<bool>;

// All that the work of a part depends on.
struct PartKey {
  PartKey(const Part& part, const StoredValues& stored, const std::vector<std::size_t>& read,
          VectorStorage its_vectors)
      : residuals(part.residuals),
        order(part.order),
        product(part.strategy, part.j_format, part.jtj_format, part.j_type, part.jtj_type,
                part.jp_type),
        places(part.jtf, part.jtjp, part.jt),
        vectors(its_vectors),
        flags(stored.sums) {
    for (const std::size_t i : read) {
      flags.push_back(stored.intermediates[i].value);
      flags.push_back(stored.intermediates[i].gradient);
    }
  }

  std::vector<ResidualRef> residuals;
  std::vector<DomainId> order;
  std::tuple<Strategy, StorageFormat, StorageFormat, ScalarType, ScalarType, ScalarType> product;
  std::tuple<ComputeAt, ComputeAt, ComputeAt> places;
  VectorStorage vectors;
  Flags flags;  // parallel Sums, then what is stored of the intermediates that are read

  friend auto operator<=>(const PartKey&, const PartKey&) = default;
};

struct SolverKey {
  VectorStorage vectors;
  bool has_library = false, starts_product = false;
  Flags sums;

  friend auto operator<=>(const SolverKey&, const SolverKey&) = default;
};

}  // namespace thallo
