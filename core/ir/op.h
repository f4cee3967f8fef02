#pragma once

// The closed list of expression operations. One line here defines the enumerator, the kind, the
// name in printed text, the number of operands and whether the result is a boolean. Passes that
// must know every op switch over Op without a default, so that a new line breaks them at compile
// time. Passes that treat ops of a kind alike switch over OpKind.
//
// Semantics, corner cases included:
// - Values are real numbers; booleans are the numbers 0 and 1. Conjunction is Mul, so b*b = b.
// - Mul with boolean operands is a *selection*: when any boolean operand is 0 the product is 0,
//   whatever the other operands are (infinite or NaN values behind a false mask never leak). 0*x
//   folds to 0 for the same reason.
// - Div does not exist: a/b is a * PowI(b, -1).
// - Select(c, a, b) takes the value of one side only; the other may be NaN.
// - Access reads a field. Outside the field every channel reads 0. (An index made of plain domains
//   over the field's own dims and of map lookups into them is inside by construction and is not
//   tested.)
// - InBounds(component, dim): 0 <= component < extent(dim).
// - IndexValue: the integer component as a real number.
// - Freeze(e): the value of e, with derivative 0.
// - Identity(e): e, opaque to simplification, with derivative 1.
// - Sum(domains, e): sum of e over all points of the domains; an empty domain sums to 0.
// - Sample(image, x, y): bilinear interpolation, exact at integers; texels outside read as 0. Its
//   derivative by x or y is the sample of the declared derivative image at the same place.
// - SampleLayer(images, x, y, z): bilinear interpolation in layer z (an integer) of a stack of
//   images with missing texels. A texel is missing if it is outside or if its channel 0 is
//   -infinity. Missing texels get no weight and the weights of the others are scaled up, first
//   along a row, then between the two rows. Every channel is -infinity where all texels are missing
//   and where there is no layer z. Its derivative is 0.
// - Both samples, all channels and derivatives alike, are NaN where a coordinate is NaN.
// - Abs has derivative +1 at 0, as Select(0 <= x, 1, -1).
// - Less, LessEq and Eq are false when an operand is NaN.
// - Argument(k): what a function is applied to, in the function written as an expression. Only a
//   loss has any: 0 is s, and the derivative by it 1; 1 is its scale a, which is a constant.

#include <cstdint>
#include <optional>
#include <string_view>

namespace thallo {

// What an operation is like, for counts and texts that need not tell every op apart.
enum class OpKind : std::uint8_t {
  Leaf,            // has no operands
  Sample,          // interpolates in an image
  Sum,             // adds up over domains
  Arithmetic,      // additions and multiplications
  Root,            // as costly as a division
  Transcendental,  // a function of the mathematical library
  Choice,          // a comparison, a selection or a logical operation: one instruction
  Opaque,          // the operand itself
};

// X(Name, kind, text, num_operands, is_boolean). num_operands counts expressions and is -1 for
// n-ary ops; what else a node holds (value, field, index, dim, domains, exponent) has accessors in
// ExprGraph.
#define THALLO_FOR_EACH_OP(X)                      \
  X(Constant, Leaf, "constant", 0, false)          \
  X(Access, Leaf, "access", 0, false)              \
  X(InBounds, Leaf, "in_bounds", 0, true)          \
  X(IndexValue, Leaf, "index", 0, false)           \
  X(Sample, Sample, "sample", 2, false)            \
  X(SampleLayer, Sample, "sample_layer", 3, false) \
  X(Sum, Sum, "sum", 1, false)                     \
  X(Add, Arithmetic, "+", -1, false)               \
  X(Mul, Arithmetic, "*", -1, false)               \
  X(PowI, Arithmetic, "powi", 1, false)            \
  X(Pow, Transcendental, "pow", 2, false)          \
  X(Sqrt, Root, "sqrt", 1, false)                  \
  X(Sin, Transcendental, "sin", 1, false)          \
  X(Cos, Transcendental, "cos", 1, false)          \
  X(Tan, Transcendental, "tan", 1, false)          \
  X(Asin, Transcendental, "asin", 1, false)        \
  X(Acos, Transcendental, "acos", 1, false)        \
  X(Atan, Transcendental, "atan", 1, false)        \
  X(Atan2, Transcendental, "atan2", 2, false)      \
  X(Sinh, Transcendental, "sinh", 1, false)        \
  X(Cosh, Transcendental, "cosh", 1, false)        \
  X(Tanh, Transcendental, "tanh", 1, false)        \
  X(Asinh, Transcendental, "asinh", 1, false)      \
  X(Acosh, Transcendental, "acosh", 1, false)      \
  X(Atanh, Transcendental, "atanh", 1, false)      \
  X(Exp, Transcendental, "exp", 1, false)          \
  X(Log, Transcendental, "log", 1, false)          \
  X(Log10, Transcendental, "log10", 1, false)      \
  X(Abs, Choice, "abs", 1, false)                  \
  X(Less, Choice, "<", 2, true)                    \
  X(LessEq, Choice, "<=", 2, true)                 \
  X(Eq, Choice, "==", 2, true)                     \
  X(Not, Choice, "not", 1, true)                   \
  X(Or, Choice, "or", 2, true)                     \
  X(Select, Choice, "select", 3, false)            \
  X(Freeze, Opaque, "constant_of", 1, false)       \
  X(Identity, Opaque, "identity", 1, false)        \
  X(Argument, Leaf, "argument", 0, false)

enum class Op : std::uint8_t {
#define THALLO_OP_ENUMERATOR(name, kind, text, operands, boolean) name,
  THALLO_FOR_EACH_OP(THALLO_OP_ENUMERATOR)
#undef THALLO_OP_ENUMERATOR
};

struct OpInfo {
  Op op;
  OpKind kind;
  std::string_view name;
  std::string_view text;
  int num_operands;
  bool is_boolean;
};

const OpInfo& info(Op op);

// Returns the value of an operation on real operands. Throws InternalError for n-ary ops (for Mul
// see ExprGraph::evaluate_product) and for ops whose nodes hold more than operands: Constant,
// Access, InBounds, IndexValue, Sample, SampleLayer, Sum, PowI.
double evaluate(Op op, double a, double b = 0, double c = 0);

// Returns x^n by repeated multiplication; n < 0 gives 1 / x^-n.
double evaluate_powi(double x, int n);

}  // namespace thallo
