#pragma once

// The C++ way to write an energy. A model reads like its mathematics:
//
//   EnergyBuilder e("line_fit");
//   const DimId N = e.dim("N"), P = e.dim("P");
//   const auto b = e.unknown("b", {P}), x = e.array("x", {N}), y = e.array("y", {N});
//   const auto i = e.domain(N);
//   e.residual("fit", y(i) - (b(0) + b(1) * x(i)));
//   Expected<Energy> energy = std::move(e).build();
//
// Handles (Expr, Vec, FieldHandle ...) are small values that refer to the builder; they must not
// outlive it. Faults (wrong rank, other dim, vectors that do not fit ...) do not stop a model from
// being written down: build() reports all of them, each with the line where it was made. The Lua
// front end is a second user of this same class.

#include <cstdint>
#include <map>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/energy/energy.h"

namespace thallo {

class EnergyBuilder;

// The line of the caller, as the place of what is declared there; pass another one to overrule it.
inline SourceLocation place_of(const std::source_location& caller) {
  return {caller.file_name(), static_cast<int>(caller.line()), static_cast<int>(caller.column())};
}

// A scalar expression. A plain number is one too, and gets its builder from what it meets.
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

// Arithmetic is element-wise; a scalar or a vector of size 1 goes with every element.
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

// One component of an index: a domain, domain +/- integer, a map lookup, a constant, and sums of
// these.
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

// A field (or named intermediate) that can be read at an index: X(i, j) is the Vec of all channels,
// X(i, j)[c] one of them.
class FieldHandle {
 public:
  FieldHandle(EnergyBuilder* builder, FieldId id) : builder_(builder), id_(id) {}
  FieldId id() const { return id_; }
  template <class... I>
  Vec operator()(I... index) const {
    return at({IndexExpr(index)...});
  }
  Vec at(const std::vector<IndexExpr>& index) const;

 private:
  EnergyBuilder* builder_;
  FieldId id_;
};

// A sparse map: v0(e) is an index into its output dim, v0.at({e}, k) the k-th of several
// coordinates.
class MapHandle {
 public:
  MapHandle(EnergyBuilder* builder, MapId id) : builder_(builder), id_(id) {}
  MapId id() const { return id_; }
  template <class... I>
  IndexExpr operator()(I... index) const {
    return at({IndexExpr(index)...});
  }
  IndexExpr at(const std::vector<IndexExpr>& index, int output = 0) const;

 private:
  EnergyBuilder* builder_;
  MapId id_;
};

class EnergyBuilder {
 public:
  explicit EnergyBuilder(std::string name);
  EnergyBuilder(const EnergyBuilder&) = delete;
  EnergyBuilder& operator=(const EnergyBuilder&) = delete;

  // Declarations. `slot` is the published parameter position (-1: none); slots are unique within
  // fields and maps together.
  using Caller = std::source_location;
  DimId dim(std::string name, int slot = -1);
  IndexExpr domain(DimId dim, std::string name = "");  // name empty: the dim's in lower case
  DomainId add_domain(DimId dim, std::string name = "");
  FieldHandle unknown(std::string name, std::vector<DimId> dims, int channels = 1, int slot = -1,
                      ScalarType type = ScalarType::Working,
                      SourceLocation where = place_of(Caller::current()));
  FieldHandle unknown(std::string name, std::vector<DimId> dims, Manifold pose, int slot = -1,
                      SourceLocation where = place_of(Caller::current()));
  FieldHandle array(std::string name, std::vector<DimId> dims, int channels = 1, int slot = -1,
                    ScalarType type = ScalarType::Working,
                    SourceLocation where = place_of(Caller::current()));
  Expr param(std::string name, int slot = -1, SourceLocation where = place_of(Caller::current()));
  MapHandle map(std::string name, std::vector<DimId> in, std::vector<DimId> out, int slot = -1,
                bool optional = false, SourceLocation where = place_of(Caller::current()));
  // A named intermediate over `domains`; name empty: a short content hash ("%3fa1"), and an equal
  // one that was made before is found again.
  FieldHandle intermediate(std::string name, const std::vector<DomainId>& domains,
                           const Vec& values, SourceLocation where = place_of(Caller::current()));
  FieldHandle intermediate(std::string name, const std::vector<IndexExpr>& domains,
                           const Vec& values, SourceLocation where = place_of(Caller::current()));

  // Expressions.
  Expr constant(double value);
  Expr in_bounds(const IndexExpr& component, DimId dim);
  Expr in_bounds(const IndexExpr& component);  // of the dim of its one domain
  Expr value_of(const IndexExpr& component);
  Expr sum(const std::vector<DomainId>& domains, Expr summand);
  Expr sum(const std::vector<IndexExpr>& domains, Expr summand);
  // What schedules call a Sum; the first name given counts, an empty one leaves it to the content
  // hash. Returns its position in Energy::sums().
  std::size_t name_sum(ExprId sum, const std::string& name);
  // Bilinear interpolation of a 2-D array; dx, dy are its derivatives along x and y (id invalid:
  // none).
  Vec sample(FieldId image, FieldId dx, FieldId dy, Expr x, Expr y);
  // The same in one layer of an array over three dims, with missing texels (ir/op.h).
  Vec sample_layer(FieldId images, Expr x, Expr y, Expr layer);
  Vec read(FieldId field, const std::vector<IndexExpr>& index, SourceLocation where = {});
  IndexExpr lookup(MapId map, const std::vector<IndexExpr>& index, int output = 0,
                   SourceLocation where = {});

  // Statements. The domains of a residual group are those of its accesses, in creation order
  // (Energy::make says what becomes of residuals over different ones).
  void residual(std::string name, const Vec& residuals,
                SourceLocation where = place_of(Caller::current()));
  // The robust loss of a group that was declared, one at most.
  void loss(std::string_view group, LossKind kind, Expr scale,
            SourceLocation where = place_of(Caller::current()));
  // Conditions of several exclusions of one unknown are joined by "or".
  void exclude(FieldId unknown, const std::vector<DomainId>& domains, Expr condition,
               SourceLocation where = place_of(Caller::current()));
  void exclude(const FieldHandle& unknown, const std::vector<IndexExpr>& domains, Expr condition,
               SourceLocation where = place_of(Caller::current()));

  // For front ends: the place that faults of what follows are blamed on, where nothing better is
  // known.
  void set_place(SourceLocation place) { place_ = std::move(place); }
  void report(Diagnostic fault);
  const std::vector<Diagnostic>& faults() const { return faults_; }
  ExprId id_of(Expr expression);  // makes a constant of a number
  ExprGraph& graph() { return data_.graph; }
  const Energy::Data& data() const { return data_; }

  Expected<Energy> build() &&;

 private:
  FieldHandle add_field(Field field);
  std::vector<DomainId> domain_ids(const std::vector<IndexExpr>& domains, const char* of_what);

  Energy::Data data_;
  std::vector<Diagnostic> faults_;
  SourceLocation place_;
};

}  // namespace thallo
