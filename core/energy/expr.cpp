#include "core/energy/expr.h"

#include <fmt/format.h>

#include "core/energy/builder.h"

namespace thallo {
namespace {

EnergyBuilder* builder_of(std::initializer_list<Expr> expressions) {
  for (const Expr& e : expressions)
    if (!e.is_number()) return e.builder();
  return nullptr;
}

Expr apply(Op op, Expr a) {
  if (a.is_number()) return evaluate(op, a.number());
  return {a.builder(), a.builder()->graph().unary(op, a.id())};
}

Expr apply(Op op, Expr a, Expr b) {
  EnergyBuilder* builder = builder_of({a, b});
  if (!builder) return evaluate(op, a.number(), b.number());
  return {builder, builder->graph().binary(op, builder->id_of(a), builder->id_of(b))};
}

// Applies f element by element; a vector of size 1 goes with every element of the other.
template <class F>
Vec zip(const Vec& a, const Vec& b, const F& f) {
  if (a.size() != b.size() && a.size() != 1 && b.size() != 1) {
    EnergyBuilder* builder = a.builder() ? a.builder() : b.builder();
    if (builder)
      builder->report(
          {fmt::format("vectors of sizes {} and {} do not go together", a.size(), b.size())});
    return a;
  }
  std::vector<Expr> result;
  const std::size_t size = a.size() == 1 ? b.size() : a.size();
  for (std::size_t i = 0; i < size; ++i)
    result.push_back(f(a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]));
  return result;
}

}  // namespace

Vec::operator Expr() const {
  if (size() == 1) return elements_[0];
  if (builder())
    builder()->report(
        {fmt::format("a vector of size {} stands where one scalar is needed", size()), {}, {}});
  return size() == 0 ? Expr() : elements_[0];
}

Expr Vec::operator[](std::size_t i) const {
  if (i < size()) return elements_[i];
  if (builder())
    builder()->report(
        {fmt::format("a vector of size {} has no element {} (elements count from 0)", size(), i)});
  return {};
}

Vec Vec::slice(std::size_t begin, std::size_t end) const {
  std::vector<Expr> result;
  for (std::size_t i = begin; i < end; ++i) result.push_back((*this)[i]);
  return result;
}

EnergyBuilder* Vec::builder() const {
  for (const Expr& element : elements_)
    if (!element.is_number()) return element.builder();
  return nullptr;
}

Expr operator+(Expr a, Expr b) {
  EnergyBuilder* builder = builder_of({a, b});
  if (!builder) return a.number() + b.number();
  return {builder, builder->graph().add(builder->id_of(a), builder->id_of(b))};
}

Expr operator*(Expr a, Expr b) {
  EnergyBuilder* builder = builder_of({a, b});
  if (!builder) return a.number() * b.number();
  return {builder, builder->graph().mul(builder->id_of(a), builder->id_of(b))};
}

Expr operator-(Expr a) { return Expr(-1) * a; }
Expr operator-(Expr a, Expr b) { return a + -b; }

Expr operator/(Expr a, Expr b) {
  EnergyBuilder* builder = builder_of({a, b});
  if (!builder) return a.number() / b.number();
  return {builder, builder->graph().div(builder->id_of(a), builder->id_of(b))};
}

#define THALLO_DEFINE_ARITHMETIC(op)                            \
  Vec operator op(const Vec& a, Expr b) { return a op Vec(b); } \
  Vec operator op(Expr a, const Vec& b) { return Vec(a) op b; } \
  Vec operator op(const Vec& a, const Vec& b) {                 \
    return zip(a, b, [](Expr x, Expr y) { return x op y; });    \
  }
THALLO_DEFINE_ARITHMETIC(+)
THALLO_DEFINE_ARITHMETIC(-)
THALLO_DEFINE_ARITHMETIC(*)
THALLO_DEFINE_ARITHMETIC(/)
#undef THALLO_DEFINE_ARITHMETIC
Vec operator-(const Vec& a) { return Expr(-1) * a; }

Expr operator<(Expr a, Expr b) { return apply(Op::Less, a, b); }
Expr operator<=(Expr a, Expr b) { return apply(Op::LessEq, a, b); }
Expr operator>(Expr a, Expr b) { return b < a; }
Expr operator>=(Expr a, Expr b) { return b <= a; }
Expr operator&&(Expr a, Expr b) { return a * b; }
Expr operator||(Expr a, Expr b) { return apply(Op::Or, a, b); }
Expr operator!(Expr a) { return apply(Op::Not, a); }
Expr equal(Expr a, Expr b) { return apply(Op::Eq, a, b); }

Expr select(Expr condition, Expr then_value, Expr else_value) {
  if (condition.is_number()) return condition.number() != 0 ? then_value : else_value;
  EnergyBuilder* builder = condition.builder();
  return {builder, builder->graph().select(condition.id(), builder->id_of(then_value),
                                           builder->id_of(else_value))};
}

Vec select(Expr condition, const Vec& then_value, const Vec& else_value) {
  return zip(then_value, else_value, [&](Expr a, Expr b) { return select(condition, a, b); });
}

Expr freeze(Expr a) { return apply(Op::Freeze, a); }
Expr pow(Expr a, Expr exponent) { return apply(Op::Pow, a, exponent); }
Expr sqrt(Expr a) { return apply(Op::Sqrt, a); }
Expr sin(Expr a) { return apply(Op::Sin, a); }
Expr cos(Expr a) { return apply(Op::Cos, a); }
Expr tan(Expr a) { return apply(Op::Tan, a); }
Expr asin(Expr a) { return apply(Op::Asin, a); }
Expr acos(Expr a) { return apply(Op::Acos, a); }
Expr atan(Expr a) { return apply(Op::Atan, a); }
Expr atan2(Expr y, Expr x) { return apply(Op::Atan2, y, x); }
Expr sinh(Expr a) { return apply(Op::Sinh, a); }
Expr cosh(Expr a) { return apply(Op::Cosh, a); }
Expr tanh(Expr a) { return apply(Op::Tanh, a); }
Expr exp(Expr a) { return apply(Op::Exp, a); }
Expr log(Expr a) { return apply(Op::Log, a); }
Expr abs(Expr a) { return apply(Op::Abs, a); }

DomainId IndexExpr::domain() const {
  return builder_ ? builder_->graph().indices().as_domain(affine_) : DomainId();
}

IndexExpr operator+(const IndexExpr& a, const IndexExpr& b) {
  EnergyBuilder* builder = a.builder() ? a.builder() : b.builder();
  if (!builder) return {nullptr, Affine{a.affine().constant + b.affine().constant, {}}};
  return {builder, builder->graph().indices().add(a.affine(), b.affine())};
}

IndexExpr operator-(const IndexExpr& a, const IndexExpr& b) { return a + -1 * b; }

IndexExpr operator*(int factor, const IndexExpr& a) {
  return {a.builder(), IndexTable::scale(a.affine(), factor)};
}

}  // namespace thallo
