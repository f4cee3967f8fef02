// Writes expressions as the language has them: A(w + 1, h, 2) * sin(a) / (1 + P(v0(e))^2).
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/energy/energy.h"

namespace thallo::language {

// Returns what a text calls a field: an intermediate that has a content hash for a name is
// stored_3fa1 for "%3fa1".
std::string text_name(const Field& field);

class ExpressionText {
 public:
  // The names of loop variables; both must outlive this.
  ExpressionText(const Energy& energy, const std::map<DomainId, std::string>& domains)
      : energy_(energy), graph_(energy.graph()), domains_(domains) {}

  std::string text(ExprId expression) const { return write(expression, Level::Sum); }
  // From now on, this expression is written as `name`.
  void name(ExprId expression, std::string name) { given_[expression] = std::move(name); }
  void forget_names() { given_.clear(); }

 private:
  // The levels of binding, the loosest first; an expression in a tighter position gets parentheses.
  enum class Level { Sum, Product, Power, Atom };

  std::string write(ExprId expression, Level level) const;
  std::string component(const Affine& component) const;
  std::string term(const AffineTerm& term) const;
  std::string indices(IndexId index) const;
  std::string field_name(FieldId field) const { return text_name(energy_.field(field)); }
  std::string access(ExprId expression) const;
  std::string sample(ExprId expression) const;
  std::string sample_layer(ExprId expression) const;
  std::string channel_argument(ExprId expression, FieldId field) const;
  std::string sum(ExprId expression) const;
  std::string product(std::span<const ExprId> factors) const;
  std::string call(std::string_view function, ExprId expression) const;
  std::string operands(ExprId expression) const;

  const Energy& energy_;
  const ExprGraph& graph_;
  const std::map<DomainId, std::string>& domains_;
  std::map<ExprId, std::string> given_;
};

}  // namespace thallo::language
