// Computes what the nodes of a view cost, in flops and bytes, for the sizes of an instance. Private
// to views.
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
  // Without sizes, all figures are absent. `subject` must outlive this object; `sizes` are used in
  // the constructor only.
  DagFigures(const DagSubject& subject, const Plan& plan, const DagSizes* sizes);

  std::optional<double> flops_of(const DagComputation& computation) const;
  // Returns the flops of an expression of the computation, including everything below it.
  std::optional<double> flops_of(const DagComputation& computation, ExprId expression) const;
  std::optional<double> bytes_of(FieldId field) const;
  // Returns the bytes of an intermediate or Sum; `field` holds its values.
  std::optional<double> bytes_of(const DagComputation& computation, FieldId field) const;

  struct OfProduct {
    std::optional<double> flops, bytes;
  };
  // Returns the figures of a product ("J", "JtF" ...) of a part, or of all parts together if `part`
  // is empty.
  OfProduct of_product(const std::string& part, const std::string& name) const;

 private:
  std::optional<double> flops_of(const std::vector<ExprId>& expressions,
                                 const std::vector<DomainId>& domains) const;
  void add_products(const Part& part, const StoredValues& stored, Estimator& estimator);

  const DagSubject& subject_;
  std::vector<std::int64_t> extents_;  // empty if there are no sizes
  Precision precision_ = Precision::Float;
  std::map<std::string, OfProduct> products_;  // by "fit.J", "JtF"
};

}  // namespace thallo
