// What the nodes of a view cost: flops and bytes for the sizes of an instance. Private to views.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/explore/dag/energy_dag.h"
#include "core/explore/dag/subject.h"

namespace thallo {

class DagFigures {
 public:
  // Without sizes all figures are absent. `subject` must outlive this, sizes are used here only.
  DagFigures(const DagSubject& subject, const Plan& plan, const DagSizes* sizes);

  std::optional<double> flops_of(const DagComputation& computation) const;
  // Of an expression of the computation and all below it.
  std::optional<double> flops_of(const DagComputation& computation, ExprId expression) const;
  std::optional<double> bytes_of(FieldId field) const;
  // Of an intermediate or Sum: `field` has its values.
  std::optional<double> bytes_of(const DagComputation& computation, FieldId field) const;

  struct OfProduct {
    std::optional<double> flops, bytes;
  };
  // "J", "JtF" ... of a part; without a part's name of all parts.
  OfProduct of_product(const std::string& part, const std::string& name) const;

 private:
  std::optional<double> flops_of(const std::vector<ExprId>& expressions,
                                 const std::vector<DomainId>& domains) const;
  void add_products(const Part& part, const StoredValues& stored, Estimator& estimator);

  const DagSubject& subject_;
  std::vector<std::int64_t> extents_;  // empty without sizes
  Precision precision_ = Precision::Float;
  std::map<std::string, OfProduct> products_;  // by "fit.J", "JtF"
};

}  // namespace thallo
