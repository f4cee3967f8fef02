// An energy as views of it read it: every Sum that is a site is taken out of the expressions, so
// that it is read as a field is, and derivatives are expressions of their own. Private to views.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost/anatomy.h"
#include "core/energy/dependence.h"
#include "core/ir/print.h"
#include "core/schedule/plan.h"

namespace thallo {

// What a node of the overview computes at a point of its domains.
struct DagComputation {
  std::string id;  // of the node
  std::vector<DomainId> domains;
  std::vector<ExprId> values;
  std::vector<ExprId> derivatives;  // by the unknowns; weights of robust losses, too
  std::set<FieldId> products;       // of Sums, whose derivatives are part of its own
  bool stores_value = false;
  bool stores_gradient = false;
};

class DagSubject {
 public:
  // The energy must outlive this.
  explicit DagSubject(const Energy& energy);
  DagSubject(const DagSubject&) = delete;
  DagSubject& operator=(const DagSubject&) = delete;

  const Energy& energy() const { return energy_; }
  const Anatomy& anatomy() const { return anatomy_; }
  const ExprGraph& graph() const { return anatomy_.graph(); }
  const Field& field(FieldId field) const { return data_.fields[field.index()]; }
  ExprPrinter printer() const { return {data_.graph, names_}; }
  // Has the expression a derivative by an unknown?
  bool has_derivative(ExprId expression) { return dependence_.derivative(expression); }

  // The id of the node that is the field or computes what it holds: "field:X"; "intermediate:pose",
  // also for its derivatives; "sum:blurred".
  std::string node_of(FieldId field) const;
  // Does the field hold derivatives of its node?
  bool is_gradient(FieldId field) const;
  // The field of the derivatives of what the field has values of; invalid for other fields.
  FieldId gradient_of(FieldId field) const;
  // Expressions as lines "name = ...", without the last line's end.
  std::string text_of(const std::vector<ExprId>& values, std::string_view name) const;

  // Of intermediates, then Sums, then parts, each in the order of the plan.
  std::vector<DagComputation> computations(const Plan& plan) const;

  // The fields that expressions read, and where: "(w + 1, h)", "sampled", "" for a scalar.
  std::map<FieldId, std::set<std::string>> reads(const std::vector<ExprId>& expressions) const;
  // The field that a leaf or a sample reads; invalid for others.
  FieldId field_read_by(ExprId expression) const;
  std::string place_of(ExprId read) const;

 private:
  DagComputation intermediate(std::size_t number, Materialization stored) const;
  DagComputation sum(std::size_t number, bool is_parallel) const;  // of anatomy().sums()
  DagComputation part(const Part& part) const;

  const Energy& energy_;
  Anatomy anatomy_;
  Energy::Data data_;  // the energy's, with the fields of the anatomy
  ExprNames names_;
  UnknownDependence dependence_;
};

}  // namespace thallo
