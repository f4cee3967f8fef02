#pragma once

// Computes the tables of AdditionOrders for one bound instance.

#include "core/kernel/bind/index_evaluator.h"
#include "core/kernel/bind/tables.h"
#include "core/kernel/program.h"

namespace thallo {

class AdditionTables {
 public:
  // All arguments must outlive this object. `extents` are those of all dims that indices are over,
  // also of the program's other tables.
  AdditionTables(const KernelProgram& program, const Binding& binding,
                 const std::vector<std::int64_t>& extents, BoundTables& tables)
      : program_(program),
        extents_(extents),
        tables_(tables),
        evaluator_(program, binding, extents, tables) {}

  // Returns the most points that a list of the order can have, as a double because there may be
  // more than any table can hold, and the most bytes of its tables.
  double num_points(const AdditionOrder& order) const;
  double bytes(const AdditionOrder& order) const;
  // Sets the extents of the order's dims to upper bounds, without a look at the maps.
  void bound(const AdditionOrder& order);
  void add(const AdditionOrder& order);

 private:
  double num_points(const std::vector<DimId>& dims) const;
  double num_points(const AdditionOrder::List& list) const;
  // Returns the number of the target of each point; -1 where it adds nothing.
  std::vector<std::int64_t> targets_of(const AdditionOrder& order, const AdditionOrder::List& list);
  void add(const AdditionOrder::List& list, const std::vector<std::int64_t>& targets,
           const std::vector<std::int64_t>& of_points);
  void append_coordinates(const std::vector<DimId>& dims, std::int64_t number, MapId to);

  const KernelProgram& program_;
  const std::vector<std::int64_t>& extents_;
  BoundTables& tables_;
  IndexEvaluator evaluator_;
};

}  // namespace thallo
