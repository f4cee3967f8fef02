// Adds to a view what its overview consists of: fields, what is computed of them, and products.
// Private to views.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/explore/dag/figures.h"
#include "core/explore/dag/recomputation.h"
#include "core/explore/dag/view_builder.h"

namespace thallo {

class DagOverview {
 public:
  // All must outlive this.
  DagOverview(DagViewBuilder& builder, const DagSubject& subject, const Plan& plan,
              const std::vector<DagComputation>& computations, const Recomputation& again,
              const DagFigures& figures, const std::set<std::string>& expanded);

  void add_nodes();
  // Draws what a computation reads.
  void connect(const DagComputation& computation);
  // Draws what its derivatives read and its values do not.
  void connect_derivatives(const DagComputation& computation);
  // The ids of what can be expanded; params are, where they would be one node.
  std::vector<std::string> expandable() const;
  // The node that a field is drawn as: several params are one node unless that is expanded.
  std::string node_of(FieldId field) const;
  // Do linear iterations read the field, a node on the near side, to compute the reader?
  bool is_cut(const std::string& reader, FieldId field) const;

 private:
  void add_field(FieldId field);
  void add_intermediate(const DagComputation& computation, FieldId field);
  void add_sum(const DagComputation& computation, FieldId field);
  void add_part(const DagComputation& computation, const Part& part);
  void add_products(const Part& part);
  void add_product(const std::string& part, const std::string& name, const std::string& text,
                   Frequency frequency, bool is_kept);
  void connect_product(const std::string& from, const std::string& to);

  DagViewBuilder& builder_;
  const DagSubject& subject_;
  const Plan& plan_;
  const std::vector<DagComputation>& computations_;
  const Recomputation& again_;
  const DagFigures& figures_;
  std::set<FieldId> fields_;  // that are read, of the energy
  bool folds_params_ = false;
  bool expands_params_ = false;
};

}  // namespace thallo
