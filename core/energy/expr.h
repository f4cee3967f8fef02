#pragma once

// The vocabulary of models in the C++ builder: scalar expressions (Expr), short vectors of them
// (Vec), components of an index (IndexExpr), and their arithmetic. All three are small values that
// refer to the EnergyBuilder (builder.h) whose graph contains them, and must not outlive it.
// Arithmetic on plain numbers alone gives a number and needs no builder.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace thallo {

class EnergyBuilder;

// A scalar expression. A plain number is one too: it becomes a constant of the graph of the first
// other expression it is combined with.
class Expr {
 public:
  Expr() = default;
  Expr(double number) : number_(number) {}  // NOLINT: 2 * x
  Expr(EnergyBuilder* builder, ExprId id) : builder_(builder), id_(id) {}
  bool is_number() const { return builder_ == nullptr; }
  double number() const { return number_; }
  EnergyBuilder* builder() const { return builder_; }  // null for a number
  ExprId id() const { return id_; }                    // invalid for a number

 private:
  EnergyBuilder* builder_ = nullptr;
  ExprId id_;
  double number_ = 0;
};

// A short vector of scalars: the channels of a read, a point, a matrix row by row. One of size 1 is
// also a scalar.
class Vec {
 public:
  Vec() = default;
  Vec(std::vector<Expr> elements) : elements_(std::move(elements)) {}  // NOLINT
  Vec(std::initializer_list<Expr> elements) : elements_(elements) {}
  Vec(Expr element) : elements_{element} {}  // NOLINT
  operator Expr() const;                     // NOLINT: size 1, anything else is a fault
  std::size_t size() const { return elements_.size(); }
  Expr operator[](std::size_t i) const;
  Vec slice(std::size_t begin, std::size_t end) const;  // half-open
  auto begin() const { return elements_.begin(); }
  auto end() const { return elements_.end(); }
  EnergyBuilder* builder() const;  // that of the first element that has one

 private:
  std::vector<Expr> elements_;
};

// Arithmetic is element-wise; a scalar or a vector of size 1 is combined with every element.
#define THALLO_DECLARE_ARITHMETIC(op)    \
  Expr operator op(Expr a, Expr b);      \
  Vec operator op(const Vec& a, Expr b); \
  Vec operator op(Expr a, const Vec& b); \
  Vec operator op(const Vec& a, const Vec& b);
THALLO_DECLARE_ARITHMETIC(+)
THALLO_DECLARE_ARITHMETIC(-)
THALLO_DECLARE_ARITHMETIC(*)
THALLO_DECLARE_ARITHMETIC(/)
#undef THALLO_DECLARE_ARITHMETIC
Expr operator-(Expr a);
Vec operator-(const Vec& a);

// Conditions are numbers 0 and 1. condition * e is 0 where the condition does not hold, even if e
// is not finite there.
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator>(Expr a, Expr b);
Expr operator>=(Expr a, Expr b);
Expr operator&&(Expr a, Expr b);
Expr operator||(Expr a, Expr b);
Expr operator!(Expr a);
Expr equal(Expr a, Expr b);
Expr select(Expr condition, Expr then_value, Expr else_value);
Vec select(Expr condition, const Vec& then_value, const Vec& else_value);

Expr freeze(Expr a);  // value of a, derivative 0 (the energy language's Constant)
Expr pow(Expr a, Expr exponent);
Expr sqrt(Expr a);
Expr sin(Expr a);
Expr cos(Expr a);
Expr tan(Expr a);
Expr asin(Expr a);
Expr acos(Expr a);
Expr atan(Expr a);
Expr atan2(Expr y, Expr x);
Expr sinh(Expr a);
Expr cosh(Expr a);
Expr tanh(Expr a);
Expr exp(Expr a);
Expr log(Expr a);
Expr abs(Expr a);

// One component of an index: a domain, a map lookup or an integer, and sums and integer multiples
// of these.
class IndexExpr {
 public:
  IndexExpr(EnergyBuilder* builder, Affine affine)
      : builder_(builder), affine_(std::move(affine)) {}
  IndexExpr(int constant)
      : affine_(IndexTable::component(std::int64_t{constant})) {}  // NOLINT: X(0)
  const Affine& affine() const { return affine_; }
  EnergyBuilder* builder() const { return builder_; }  // null for a constant
  DomainId domain() const;                             // invalid unless it is just one domain

 private:
  EnergyBuilder* builder_ = nullptr;
  Affine affine_;
};
IndexExpr operator+(const IndexExpr& a, const IndexExpr& b);
IndexExpr operator-(const IndexExpr& a, const IndexExpr& b);
IndexExpr operator*(int factor, const IndexExpr& a);

}  // namespace thallo
