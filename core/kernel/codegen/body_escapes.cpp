#include "core/kernel/codegen/body_escapes.h"

#include <algorithm>
#include <map>
#include <vector>

namespace thallo {
namespace {

class EscapeFinder {
 public:
  explicit EscapeFinder(const CodeBody& body) : body_(body) {}

  void run(CodeBlock& block, std::span<const ValueId> results) {
    std::vector<IfItem*> branches;
    locate(block, branches);
    uses_in(block, branches);
    for (const ValueId result : results) use(result, {});
  }

 private:
  // Where every value is defined: the branches around it.
  void locate(CodeBlock& block, std::vector<IfItem*>& branches) {
    for (CodeItem& item : block) {
      if (const auto* let = std::get_if<Let>(&item.node)) {
        place_[let->value] = branches;
      } else if (auto* branch = std::get_if<IfItem>(&item.node)) {
        branches.push_back(branch);
        locate(branch->body, branches);
        branches.pop_back();
      } else if (auto* loop = std::get_if<LoopItem>(&item.node)) {
        for (const Accumulator& a : loop->accumulators) place_[a.sum] = branches;
      }
    }
  }

  void use(ValueId value, const std::vector<IfItem*>& branches) {
    const auto defined = place_.find(value);
    if (defined == place_.end()) return;
    for (std::size_t k = 0; k < defined->second.size(); ++k) {
      IfItem* branch = defined->second[k];
      if (k < branches.size() && branches[k] == branch) continue;
      if (std::ranges::find(branch->escapes, value) == branch->escapes.end())
        branch->escapes.push_back(value);
    }
  }

  void uses_in(CodeBlock& block, std::vector<IfItem*>& branches) {
    for (CodeItem& item : block) {
      if (const auto* let = std::get_if<Let>(&item.node)) {
        for (const ValueId operand : body_[let->value].operands) use(operand, branches);
      } else if (const auto* store = std::get_if<StoreItem>(&item.node)) {
        use(store->element, branches);
        use(store->value, branches);
      } else if (const auto* add = std::get_if<AddItem>(&item.node)) {
        use(add->element, branches);
        use(add->value, branches);
        use(add->guard, branches);
      } else if (const auto* matrix = std::get_if<MatrixAddItem>(&item.node)) {
        use(matrix->row.element, branches);
        use(matrix->col.element, branches);
        use(matrix->value, branches);
        use(matrix->guard, branches);
      } else if (const auto* reduce = std::get_if<ReduceItem>(&item.node)) {
        use(reduce->value, branches);
      } else if (auto* branch = std::get_if<IfItem>(&item.node)) {
        use(branch->condition, branches);
        branches.push_back(branch);
        uses_in(branch->body, branches);
        branches.pop_back();
      } else if (auto* loop = std::get_if<LoopItem>(&item.node)) {
        for (const Accumulator& a : loop->accumulators) use(a.addend, branches);
        use(loop->begin, branches);
        use(loop->end, branches);
        uses_in(loop->body, branches);
      }
    }
  }

  const CodeBody& body_;
  std::map<ValueId, std::vector<IfItem*>> place_;
};

}  // namespace

void find_escapes(CodeBlock& block, const CodeBody& body, std::span<const ValueId> results) {
  EscapeFinder(body).run(block, results);
}

}  // namespace thallo
