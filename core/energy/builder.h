#pragma once

// The C++ way to write an energy. Reads like the mathematics:
//
//   EnergyBuilder e("line_fit");
//   const auto N = e.dim("N");
//   const auto b = e.unknown("b", {e.dim("P")}), x = e.array("x", {N}), y = e.array("y", {N});
//   const auto i = e.domain(N);
//   e.residual("fit", y(i) - (b(0) + b(1) * x(i)));
//   Expected<Energy> energy = std::move(e).build();
//
// Handles (Expr, Vec, FieldHandle ...) are small values that refer to the builder; they must not
// outlive it. Faults (wrong rank, other dim ...) are collected with the place where they were made
// and reported together by build(). The Lua front end is a second user of this same class.

#include <initializer_list>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "core/energy/energy.h"

namespace thallo {

class EnergyBuilder;

// A scalar expression.
class Expr {
 public:
  Expr() = default;
  Expr(ExprGraph* graph, ExprId id) : graph_(graph), id_(id) {}
  ExprId id() const { return id_; }
  ExprGraph& graph() const { return *graph_; }
  bool valid() const { return graph_ != nullptr; }

 private:
  ExprGraph* graph_ = nullptr;
  ExprId id_;
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator+(Expr a, double b);
Expr operator+(double a, Expr b);
Expr operator-(Expr a, double b);
Expr operator-(double a, Expr b);
Expr operator*(Expr a, double b);
Expr operator*(double a, Expr b);
Expr operator/(Expr a, double b);
Expr operator/(double a, Expr b);
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator>(Expr a, Expr b);
Expr operator>=(Expr a, Expr b);
Expr operator<(Expr a, double b);
Expr operator<=(Expr a, double b);
Expr operator>(Expr a, double b);
Expr operator>=(Expr a, double b);
Expr operator&&(Expr a, Expr b);
Expr operator||(Expr a, Expr b);
Expr operator!(Expr a);
Expr equal(Expr a, Expr b);
Expr equal(Expr a, double b);
Expr select(Expr condition, Expr then_value, Expr else_value);
Expr select(Expr condition, Expr then_value, double else_value);
Expr freeze(Expr a);  // value of a, derivative 0 (the energy language's Constant)
Expr pow(Expr a, double exponent);
Expr pow(Expr a, Expr exponent);
Expr sqrt(Expr a);
Expr sin(Expr a);
Expr cos(Expr a);
Expr tan(Expr a);
Expr asin(Expr a);
Expr acos(Expr a);
Expr atan(Expr a);
Expr atan2(Expr y, Expr x);
Expr exp(Expr a);
Expr log(Expr a);
Expr abs(Expr a);

// A short vector of scalars, element-wise operators, scalars broadcast.
class Vec {
 public:
  Vec() = default;
  Vec(std::vector<Expr> elements) : elements_(std::move(elements)) {}  // NOLINT: a list is a Vec
  Vec(std::initializer_list<Expr> elements) : elements_(elements) {}
  std::size_t size() const { return elements_.size(); }
  Expr operator[](std::size_t i) const { return elements_[i]; }
  auto begin() const { return elements_.begin(); }
  auto end() const { return elements_.end(); }

 private:
  std::vector<Expr> elements_;
};

Vec operator+(const Vec& a, const Vec& b);
Vec operator-(const Vec& a, const Vec& b);
Vec operator*(Expr a, const Vec& b);
Vec operator*(double a, const Vec& b);
Expr dot(const Vec& a, const Vec& b);

// One component of an index: a domain, domain +/- integer, a map lookup, a constant, and sums of
// these.
class IndexExpr {
 public:
  IndexExpr(EnergyBuilder* builder, Affine affine)
      : builder_(builder), affine_(std::move(affine)) {}
  IndexExpr(int constant)
      : affine_(IndexTable::component(std::int64_t{constant})) {}  // NOLINT: X(0)
  const Affine& affine() const { return affine_; }
  EnergyBuilder* builder() const { return builder_; }

 private:
  EnergyBuilder* builder_ = nullptr;
  Affine affine_;
};
IndexExpr operator+(const IndexExpr& a, const IndexExpr& b);
IndexExpr operator-(const IndexExpr& a, const IndexExpr& b);
IndexExpr operator*(int factor, const IndexExpr& a);

// A field (or named intermediate) that can be read at an index; X(i, j) is all channels, X(i, j)[c]
// one of them.
class FieldHandle {
 public:
  FieldHandle(EnergyBuilder* builder, FieldId id) : builder_(builder), id_(id) {}
  FieldId id() const { return id_; }
  // Scalar fields convert to Expr through Read.
  class Read;
  template <class... I>
  Read operator()(I... index) const;
  Read at(std::vector<IndexExpr> index) const;

 private:
  EnergyBuilder* builder_;
  FieldId id_;
};

// What a read gives: usable as Expr when the field has one channel, as Vec always.
class FieldHandle::Read {
 public:
  explicit Read(Vec channels) : channels_(std::move(channels)) {}
  operator Expr() const { return channels_[0]; }  // NOLINT: one channel
  operator Vec() const { return channels_; }      // NOLINT
  Expr operator[](std::size_t c) const { return channels_[c]; }
  const Vec& vec() const { return channels_; }

 private:
  Vec channels_;
};

class MapHandle {
 public:
  MapHandle(EnergyBuilder* builder, MapId id) : builder_(builder), id_(id) {}
  MapId id() const { return id_; }
  template <class... I>
  IndexExpr operator()(I... index) const {
    return at({IndexExpr(index)...});
  }
  IndexExpr at(std::vector<IndexExpr> index, int output = 0) const;

 private:
  EnergyBuilder* builder_;
  MapId id_;
};

class EnergyBuilder {
 public:
  explicit EnergyBuilder(std::string name);
  EnergyBuilder(const EnergyBuilder&) = delete;
  EnergyBuilder& operator=(const EnergyBuilder&) = delete;

  // Declarations. `slot` is the published parameter position (-1: none); slots must be unique
  // within fields and maps.
  DimId dim(std::string name, int slot = -1);
  IndexExpr domain(DimId dim, std::string name = "");
  DomainId add_domain(DimId dim, std::string name = "");
  FieldHandle unknown(std::string name, std::vector<DimId> dims, int channels = 1, int slot = -1,
                      ScalarType type = ScalarType::Working, SourceLocation where = {});
  FieldHandle array(std::string name, std::vector<DimId> dims, int channels = 1, int slot = -1,
                    ScalarType type = ScalarType::Working, SourceLocation where = {});
  Expr param(std::string name, int slot = -1, SourceLocation where = {});
  MapHandle map(std::string name, std::vector<DimId> in, std::vector<DimId> out, int slot = -1,
                bool optional = false, SourceLocation where = {});
  // A named intermediate over `domains`; name empty: its content hash.
  FieldHandle intermediate(std::string name, const std::vector<DomainId>& domains,
                           const Vec& values, SourceLocation where = {});

  // Expressions.
  Expr constant(double value);
  Expr in_bounds(const IndexExpr& component, DimId dim);
  Expr value_of(const IndexExpr& component);
  Expr sum(const std::vector<DomainId>& domains, Expr summand);
  Vec read(FieldId field, const std::vector<IndexExpr>& index, SourceLocation where = {});
  IndexExpr lookup(MapId map, const std::vector<IndexExpr>& index, int output = 0,
                   SourceLocation where = {});

  // Statements. The domains of a residual group are those of its accesses (semantics A.11), in
  // creation order.
  void residual(std::string name, const Vec& residuals, SourceLocation where = {});
  void exclude(FieldId unknown, const std::vector<DomainId>& domains, Expr condition,
               SourceLocation where = {});
  void use_preconditioner(bool use) { data_.use_preconditioner = use; }

  ExprGraph& graph() { return data_.graph; }
  const Energy::Data& data() const { return data_; }
  void report(Diagnostic fault) { faults_.push_back(std::move(fault)); }
  const std::vector<Diagnostic>& faults() const { return faults_; }

  Expected<Energy> build() &&;

 private:
  FieldHandle add_field(Field field);
  Energy::Data data_;
  std::vector<Diagnostic> faults_;
};

template <class... I>
FieldHandle::Read FieldHandle::operator()(I... index) const {
  return at({IndexExpr(index)...});
}

}  // namespace thallo
