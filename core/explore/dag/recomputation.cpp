#include "core/explore/dag/recomputation.h"

#include <map>

namespace thallo {
namespace {

// The value of a node, or its derivatives.
struct Task {
  const DagComputation* of = nullptr;
  bool is_gradient = false;
};

std::set<FieldId> fields_for(const DagSubject& subject, const Task& task) {
  std::set<FieldId> fields;
  for (const auto& [field, places] :
       subject.reads(task.is_gradient ? task.of->derivatives : task.of->values))
    fields.insert(field);
  if (task.is_gradient) fields.insert(task.of->products.begin(), task.of->products.end());
  return fields;
}

}  // namespace

Recomputation::Recomputation(const DagSubject& subject, const Plan& plan,
                             const std::vector<DagComputation>& computations) {
  std::map<std::string, const DagComputation*> by_id;
  for (const DagComputation& computation : computations) by_id[computation.id] = &computation;
  std::vector<Task> waiting;
  const auto begin = [&](const Task& task) {
    if ((task.is_gradient ? gradients_ : values_).insert(task.of->id).second)
      waiting.push_back(task);
  };
  for (const Part& part : plan.parts) {
    if (!stores_j(part.strategy) && !stores_jtj(part.strategy))
      begin({by_id.at("part:" + part.name), true});
  }
  while (!waiting.empty()) {
    const Task task = waiting.back();
    waiting.pop_back();
    for (const FieldId field : fields_for(subject, task)) {
      const auto source = by_id.find(subject.node_of(field));
      const bool is_gradient = subject.is_gradient(field);
      if (source != by_id.end() &&
          !(is_gradient ? source->second->stores_gradient : source->second->stores_value)) {
        begin({source->second, is_gradient});
      } else {
        loads_.emplace(task.of->id, field);
      }
    }
  }
}

}  // namespace thallo
