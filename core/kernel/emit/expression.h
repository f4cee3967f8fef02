#pragma once

// Values of a body as C expressions. A named value is its name; any other is spelled out, with as
// few parentheses as precedence asks for. In a float program no operation is done in double unless
// its operands are Scalar values; a Scalar that meets a Real one is converted first. Private to
// emission.

#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/emit/context.h"
#include "core/kernel/emit/term.h"
#include "core/kernel/emit/uses.h"
#include "core/kernel/emit/vector_access.h"
#include "core/kernel/vector_layout.h"

namespace thallo {

class ExpressionWriter {
 public:
  ExpressionWriter(EmitContext& context, const CodeBody& body, const Uses& uses)
      : context_(context),
        body_(body),
        uses_(uses),
        layout_(context.program()),
        names_(body.values.size()) {}

  void set_name(ValueId value, std::string name) { names_[value.index()] = std::move(name); }

  // From here on the text is inside a loop that is to be vectorized (c.cpp):
  // conjunctions and disjunctions evaluate all operands, which takes no branches, and functions
  // have vector variants.
  void vectorize() { is_vectorized_ = true; }

  // The value in its own type.
  Term term(ValueId value);
  // Real, Scalar, Bool or Index value as a floating-point number.
  Term number(ValueId value, bool as_double);
  // As a condition.
  Term condition(ValueId value);
  // The scalar of a field, where VectorLayout says it lies; an invalid element is that of a rank-0
  // field.
  std::string access(FieldId field, ValueId element, int channel);
  // Several channels as one value of a vector type, "const float4".
  std::string vector_access(FieldId field, ValueId element, const VectorUnit& unit,
                            const std::string& type);
  // The position of a matrix row (or column) in the unknown vector.
  std::string matrix_index(const MatrixRow& row);

 private:
  Term affine(const Instruction& instruction);
  Term element(const Instruction& instruction);
  Term map_load(const Instruction& instruction);
  std::string position(const ChannelPlace& place, ValueId element, Precedence alone);
  Term load(const Instruction& instruction);
  Term window(const Instruction& load);
  std::string guard_of(const Instruction& load);
  Term sample(const Instruction& instruction);
  Term operation(const Instruction& instruction);
  Term sum(const Instruction& instruction, bool as_double);
  Term product(const Instruction& instruction, bool as_double);
  Term power(const Instruction& instruction, bool as_double);
  Term powers_of(const Term& base, int exponent, bool as_double);
  // Where the exponent is constant, by roots if it can be.
  Term real_power(const Instruction& instruction, bool as_double);
  Term comparison(const Instruction& instruction);
  Term call(std::string_view function, const Instruction& instruction, bool as_double);
  bool is_named(ValueId value) const { return !names_[value.index()].empty(); }
  ValueId skip_identities(ValueId value) const;

  EmitContext& context_;
  const CodeBody& body_;
  const Uses& uses_;
  VectorLayout layout_;
  std::vector<std::string> names_;
  bool is_vectorized_ = false;
};

}  // namespace thallo
