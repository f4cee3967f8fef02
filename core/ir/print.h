// Expressions as text, the way one would write them: infix, a/b for a * b^-1, indices in
// parentheses, channels in brackets: `w_fit * (Offset(x, y)[0] - Target(x, y)[0])`. Text does not
// depend on the order in which a graph was built.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace thallo {

// Who knows the names behind the ids: an Energy, a KernelProgram, a test.
struct ExprNames {
  std::function<std::string(FieldId)> field;
  std::function<int(FieldId)> num_channels;  // one: the channel is not printed
  std::function<std::string(MapId)> map;
  std::function<int(MapId)> num_outputs;  // one: the output is not printed
  std::function<std::string(DimId)> dim;
};

class ExprPrinter {
 public:
  ExprPrinter(const ExprGraph& graph, ExprNames names) : graph_(graph), names_(std::move(names)) {}

  std::string text(ExprId expression) const;
  // "x - 1, y"
  std::string text(IndexId index) const;
  std::string text(const Affine& component) const;

  // From now on this expression is printed as `name`.
  void name(ExprId expression, std::string name);

  // The expressions below the roots that occur more than once and are worth a name (no leaves, no
  // negations), operands before users. Naming them keeps the text as long as the graph is large.
  std::vector<ExprId> shared(std::span<const ExprId> roots) const;

 private:
  enum class Level { Condition, Sum, Product, Power, Atom };
  std::string print(ExprId expression, Level level) const;
  std::string sum(ExprId expression) const;
  std::string product(std::span<const ExprId> factors) const;
  std::string power(ExprId expression) const;
  std::string call(std::string_view function, ExprId expression) const;
  std::string channel(int channel, int num_channels) const;

  const ExprGraph& graph_;
  ExprNames names_;
  std::map<ExprId, std::string> given_;
};

}  // namespace thallo
