#pragma once

// Finds points of a kernel that meet at an element which they add to. Nothing says which of them
// comes first, so a program with such points does not add in the same order at every run.

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/kernel/program.h"

namespace thallo {

// What a ScatterAdd or MatrixAdd adds.
struct Addition {
  FieldId memory;               // the field, or the matrix
  std::vector<FieldId> fields;  // by whose elements it is indexed: itself, or row and column
  std::vector<IndexId> at;
  std::vector<int> channels;
  ExprId value;
};
std::optional<Addition> addition_in(const Statement& statement);

// Where the points of one kernel meet. What a point adds by itself, in loops, has an order.
class Meetings {
 public:
  // The program must outlive it.
  Meetings(const KernelProgram& program, const Kernel& kernel);

  // True if two points may add to one element by this addition, which a point of the section makes.
  bool meet(const Section& section, const Addition& addition) const;

 private:
  // The components of the indices that are the coordinates of the point, in their order; none if
  // points are not told apart by the element.
  using Places = std::vector<std::pair<std::size_t, std::size_t>>;
  std::optional<Places> places(const Section& section, const Addition& addition) const;
  bool is_target(const Section& section, const Addition& addition) const;

  using Elements = std::pair<FieldId, std::vector<std::vector<DimId>>>;  // memory, dims of fields
  Elements elements(const Addition& addition) const;
  void collect(const Section& section, std::size_t number, const Block& block);

  const KernelProgram& program_;
  std::map<Elements, std::set<std::size_t>> sections_;  // that add to them
  std::map<Elements, std::set<Places>> places_;
};

}  // namespace thallo
