// An energy in the form that views read: every Sum that is a site is replaced by a read of a field
// of its own, and derivatives are separate expressions; and what of it every linear iteration
// computes again. Private to views.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cost/pricing/anatomy.h"
#include "core/energy/dependence.h"
#include "core/ir/print.h"
#include "core/kernel/frequency.h"
#include "core/schedule/plan.h"

namespace thallo {

// What a node of the overview computes at one point of its domains.
struct DagComputation {
  std::string id;  // of the node
  std::vector<DomainId> domains;
  std::vector<ExprId> values;
  std::vector<ExprId> derivatives;  // by the unknowns, with the weights of robust losses
  std::set<FieldId> products;       // of Sums, whose derivatives are part of its own
  bool stores_value = false;
  bool stores_gradient = false;
};

class DagSubject {
 public:
  // The energy must outlive this object.
  explicit DagSubject(const Energy& energy);
  DagSubject(const DagSubject&) = delete;
  DagSubject& operator=(const DagSubject&) = delete;

  const Energy& energy() const { return energy_; }
  const Anatomy& anatomy() const { return anatomy_; }
  const ExprGraph& graph() const { return anatomy_.graph(); }
  const Field& field(FieldId field) const { return data_.fields[field.index()]; }
  ExprPrinter printer() const { return {data_.graph, names_}; }
  // True if the expression has a derivative by an unknown.
  bool has_derivative(ExprId expression) { return dependence_.derivative(expression); }

  // Returns the id of the node that stands for the field: "field:X" for an input,
  // "intermediate:pose" for the values and the derivatives of an intermediate, "sum:blurred" for a
  // Sum.
  std::string node_of(FieldId field) const;
  // True if the field holds derivatives of its node.
  bool is_gradient(FieldId field) const;
  // Returns the field with the derivatives of the value that `field` holds; invalid if there is
  // none.
  FieldId gradient_of(FieldId field) const;
  // Returns the expressions as lines "name = ...", without a final line break.
  std::string text_of(const std::vector<ExprId>& values, std::string_view name) const;

  // Returns the computations of all intermediates, then of all Sums, then of all parts, each in the
  // order of the plan.
  std::vector<DagComputation> computations(const Plan& plan) const;

  // Returns the fields that the expressions read, and where they read them: "(w + 1, h)",
  // "sampled", or "" for a scalar.
  std::map<FieldId, std::set<std::string>> reads(const std::vector<ExprId>& expressions) const;
  // Returns the field that a leaf or a sample reads; invalid for other expressions.
  FieldId field_read_by(ExprId expression) const;
  std::string place_of(ExprId read) const;

 private:
  DagComputation intermediate(std::size_t number, Materialization stored) const;
  DagComputation sum(std::size_t number, bool is_parallel) const;  // of anatomy().sums()
  DagComputation part(const Part& part) const;

  const Energy& energy_;
  Anatomy anatomy_;
  Energy::Data data_;  // the energy's data, with the fields of the anatomy added
  ExprNames names_;
  UnknownDependence dependence_;
};

// What every linear iteration computes again under a plan: the far side of the cut, which view.h
// defines.
class Recomputation {
 public:
  // `computations` must belong to the plan.
  Recomputation(const DagSubject& subject, const Plan& plan,
                const std::vector<DagComputation>& computations);

  // True if linear iterations compute the value, or the derivatives, of the node again.
  bool of_value(const std::string& id) const { return values_.contains(id); }
  bool of_gradient(const std::string& id) const { return gradients_.contains(id); }
  bool is_far(const std::string& id) const { return of_value(id) || of_gradient(id); }
  Frequency frequency_of(const std::string& id) const {
    return is_far(id) ? Frequency::LinearIteration : Frequency::NonlinearIteration;
  }
  // True if linear iterations load the field, or the stored values or derivatives of its node, to
  // compute the reader.
  bool loads(const std::string& reader, FieldId field) const {
    return loads_.contains({reader, field});
  }

 private:
  std::set<std::string> values_, gradients_;
  std::set<std::pair<std::string, FieldId>> loads_;
};

}  // namespace thallo
