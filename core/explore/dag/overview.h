// Collects the nodes and edges of a view, first those of the overview: fields, the values that are
// computed from them, and products. Private to views.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/explore/dag/figures.h"
#include "core/explore/dag/view.h"
#include "core/schedule/shown_names.h"

namespace thallo {

// Collects nodes and edges of a view and orders them.
class DagViewBuilder {
 public:
  std::size_t num_nodes() const { return nodes_.size(); }
  // Adds a node, whose id must be new.
  DagNode& add(DagNode node);
  // Accesses a node that was added. References stay valid while further nodes are added.
  DagNode& operator[](const std::string& id) { return nodes_.at(id); }
  bool contains(const std::string& id) const { return nodes_.contains(id); }

  // Adds an edge. Both nodes must have been added by the time the view is finished. Adding an edge
  // again adds a label to it; the edge is part of the cut if any of its additions says so.
  void connect(const std::string& from, const std::string& to, bool is_cut,
               const std::string& label = {});

  DagView finish(std::string name) &&;

 private:
  struct Edge {
    bool is_cut = false;
    std::set<std::string> labels;
  };
  std::vector<std::string> ordered_ids() const;

  std::map<std::string, DagNode> nodes_;
  std::vector<std::string> ids_;  // in the order in which they were added
  std::map<std::pair<std::string, std::string>, Edge> edges_;
};

// Adds the nodes of the overview.
class DagOverview {
 public:
  // All arguments must outlive this object.
  DagOverview(DagViewBuilder& builder, const DagSubject& subject, const Plan& plan,
              const std::vector<DagComputation>& computations, const Recomputation& again,
              const DagFigures& figures, const std::set<std::string>& expanded);

  void add_nodes();
  // Draws edges from everything that a computation reads.
  void connect(const DagComputation& computation);
  // Draws edges from what the derivatives of a computation read and its values do not.
  void connect_derivatives(const DagComputation& computation);
  // Ids of the nodes that can be expanded. The single node that stands for all params is one of
  // them.
  std::vector<std::string> expandable() const;
  // Returns the id of the node that a field is drawn as. Several params are drawn as one node,
  // unless that node is expanded.
  std::string node_of(FieldId field) const;
  // True if linear iterations read the field, and the field's node is on the near side, to compute
  // the reader.
  bool is_cut(const std::string& reader, FieldId field) const;

 private:
  std::vector<int> lines_of(const DagComputation& computation) const;
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
  ShownNames shown_;
  const std::vector<DagComputation>& computations_;
  const Recomputation& again_;
  const DagFigures& figures_;
  std::set<FieldId> fields_;  // the fields of the energy that something reads
  bool folds_params_ = false;
  bool expands_params_ = false;
};

}  // namespace thallo
