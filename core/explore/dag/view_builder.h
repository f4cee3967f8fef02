// Collects nodes and edges of a view and orders them. Private to views.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/explore/dag/view.h"

namespace thallo {

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

}  // namespace thallo
