// Prints expressions the way one would write them: infix, a / b for a * b^-1, indices in
// parentheses, channels in brackets, e.g. `w_fit * (Offset(x, y)[0] - Target(x, y)[0])`. The text
// does not depend on the order in which a graph was built.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace thallo {

// The names behind the ids, provided by their owner: an Energy, a KernelProgram, a test.
struct ExprNames {
  std::function<std::string(FieldId)> field;
  std::function<int(FieldId)> num_channels;  // if it is 1, no channel is printed
  std::function<std::string(MapId)> map;
  std::function<int(MapId)> num_outputs;  // if it is 1, no output is printed
  std::function<std::string(DimId)> dim;
};

class ExprPrinter {
 public:
  ExprPrinter(const ExprGraph& graph, ExprNames names) : graph_(graph), names_(std::move(names)) {}

  std::string text(ExprId expression) const;
  // "x - 1, y"
  std::string text(IndexId index) const;
  std::string text(const Affine& component) const;

  // From now on, this expression is printed as `name`.
  void name(ExprId expression, std::string name);

  // Returns the expressions at or below the roots that occur more than once and are worth a name,
  // operands before users. Leaves and negations are not worth one; expressions inside a Sum cannot
  // have one, because its domains mean nothing outside. Naming the others keeps the length of the
  // text proportional to the size of the graph.
  std::vector<ExprId> shared(std::span<const ExprId> roots) const;

 private:
  // The levels of binding, the loosest first; an expression in a tighter position gets parentheses.
  enum class Level { Condition, Sum, Product, Power, Atom };
  std::string print(ExprId expression, Level level) const;
  std::string access(ExprId expression) const;
  std::string sample(ExprId expression, FieldId image) const;
  std::string sum_over_domains(ExprId expression) const;  // an Op::Sum
  std::string sum(ExprId expression) const;               // an Op::Add
  std::string product(std::span<const ExprId> factors) const;
  std::string power(ExprId expression) const;
  std::string call(std::string_view function, ExprId expression) const;
  std::string channel(int channel, int num_channels) const;

  const ExprGraph& graph_;
  ExprNames names_;
  std::map<ExprId, std::string> given_;
};

}  // namespace thallo
