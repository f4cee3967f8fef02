// Evaluates index expressions at points of domains, on the host, for the tables that are made when
// maps are bound. Used only by make_tables(), CsrTables and AdditionTables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/energy/access.h"
#include "core/energy/binding.h"
#include "core/kernel/bind/tables.h"
#include "core/kernel/program.h"

namespace thallo {

class IndexEvaluator {
 public:
  // All arguments must outlive this object; `extents` is indexed by DimId. Indices may read the
  // maps in `tables`, too.
  IndexEvaluator(const KernelProgram& program, const Binding& binding,
                 const std::vector<std::int64_t>& extents, const BoundTables& tables)
      : program_(program),
        indices_(program.graph.indices()),
        binding_(binding),
        extents_(extents),
        tables_(tables),
        num_bound_maps_(program.bound_maps().size()) {}

  std::int64_t num_points(const std::vector<DomainId>& domains) const;

  // Calls `visit` at every point, the first domain fastest. `visit` may call this function for
  // other domains.
  template <class Visit>
  void for_each_point(const std::vector<DomainId>& domains, Visit visit) {
    const std::int64_t count = num_points(domains);
    for (const DomainId domain : domains) coordinates_[domain] = 0;
    for (std::int64_t point = 0; point < count; ++point) {
      visit();
      for (const DomainId domain : domains) {
        std::int64_t& coordinate = coordinates_[domain];
        if (++coordinate < extent(indices_.domain(domain).dim)) break;
        coordinate = 0;
      }
    }
  }

  // A read of the unknown at `index`, with the tests that detect a read outside of it.
  struct Access {
    std::vector<DimId> dims;
    IndexId index;
    std::vector<BoundsTest> tests;
  };
  Access access(FieldId unknown, IndexId index) const;

  // Returns the element that is read at the current point; nothing if it is outside of the unknown.
  std::optional<std::int64_t> element(const Access& access) const;

 private:
  std::int64_t extent(DimId dim) const { return extents_[dim.index()]; }
  std::int64_t linear(const std::vector<DimId>& dims, IndexId index) const;
  std::int64_t at_point(const Affine& affine) const;
  std::int64_t at_point(const Atom& atom) const;

  const KernelProgram& program_;
  const IndexTable& indices_;
  const Binding& binding_;
  const std::vector<std::int64_t>& extents_;
  const BoundTables& tables_;
  std::size_t num_bound_maps_;
  std::map<DomainId, std::int64_t> coordinates_;
};

}  // namespace thallo
