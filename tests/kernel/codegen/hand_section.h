// A section over one dim N, written by hand as statements, up to the items of its root scope: what
// the steps of order_body() (body_conditions, body_sequence) work on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/kernel/codegen/body_items.h"
#include "tests/support/hand_code.h"

namespace thallo::test {

struct HandSection {
  // Fields over N.
  FieldId array(const std::string& name) { return hand.field(name, {n}); }
  FieldId buffer(const std::string& name) { return hand.field(name, {n}, 1, FieldKind::Buffer); }

  Affine shifted(std::int64_t offset) {
    IndexTable& indices = graph.indices();
    return indices.add(indices.component(i), IndexTable::component(offset));
  }
  IndexId at(std::int64_t offset) { return graph.indices().intern(MultiIndex{shifted(offset)}); }
  ExprId read(FieldId field, std::int64_t offset = 0) { return graph.access(field, at(offset), 0); }
  ExprId positive(FieldId field) { return graph.binary(Op::Less, graph.constant(0), read(field)); }
  ExprId exp(FieldId field) { return graph.unary(Op::Exp, read(field)); }
  ExprId product(const std::vector<ExprId>& factors) { return graph.mul(factors); }
  Statement store(FieldId field, ExprId value) { return {Store{field, at(0), 0, value}}; }

  // Makes the values and items of the statements, instead of those of an earlier call.
  void build(const Block& statements, bool bounds_pass = true) {
    reductions.clear();
    body = {};
    hand.program.passes.bounds = bounds_pass;
    builder = std::make_unique<BodyBuilder>(hand.program, graph, reductions, body);
    builder->build({i}, statements);
    items = std::make_unique<BodyItems>(*builder, builder->root());
  }

  // The value of an expression, and the item that computes it.
  ValueId value(ExprId expression) const { return builder->root().expressions.at(expression); }
  std::size_t position(ExprId expression) const { return items->find(value(expression)).value(); }
  const BodyItem& item(ExprId expression) const { return (*items)[position(expression)]; }
  // The items of the statements, in their order.
  std::vector<std::size_t> statements() const {
    std::vector<std::size_t> result;
    for (std::size_t k = 0; k < items->size(); ++k)
      if ((*items)[k].kind == BodyItem::Kind::Statement) result.push_back(k);
    return result;
  }

  HandDeclarations hand;
  ExprGraph& graph = hand.program.graph;
  DimId n = hand.dim("N");
  DomainId i = hand.domain(n);
  std::vector<Reduction> reductions;
  CodeBody body;
  std::unique_ptr<BodyBuilder> builder;
  std::unique_ptr<BodyItems> items;
};

}  // namespace thallo::test
