// Collects nodes and edges of a view and orders them. Private to views.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/explore/dag/view.h"

namespace thallo {

class DagViewBuilder {
 public:
  std::size_t num_nodes() const { return nodes_.size(); }
  // The id must be new.
  DagNode& add(DagNode node);
  // Nodes that were added; both stay where they are while nodes are added.
  DagNode& operator[](const std::string& id) { return nodes_.at(id); }
  const std::map<std::string, DagNode>& nodes() const { return nodes_; }
  bool contains(const std::string& id) const { return nodes_.contains(id); }

  // Both nodes must be there in the end. An edge that is added again gets one more label, and is
  // cut if it is once.
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
  std::vector<std::string> ids_;  // as they were added
  std::map<std::pair<std::string, std::string>, Edge> edges_;
};

}  // namespace thallo
