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
// Handles (FieldHandle, MapHandle; Expr, Vec and IndexExpr of expr.h) are small values that refer
// to the builder; they must not outlive it. Faults (wrong rank, other dim, vectors that do not fit
// ...) do not stop a model from being written down: build() reports all of them, each with the line
// of the declaration or statement to blame where one is known. The Lua front end writes energies
// through this same class.

#include <functional>
#include <initializer_list>
#include <set>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/energy/energy.h"
#include "core/energy/expr.h"

namespace thallo {

// Returns the line of the caller, as the place of a declaration or statement. A front end passes
// the line of its own text instead.
inline SourceLocation place_of(const std::source_location& caller) {
  return {caller.file_name(), static_cast<int>(caller.line()), static_cast<int>(caller.column())};
}

// A bound of an unknown: a number or an expression for all channels, or one for each.
struct Bound {
  Bound(double number) : of_channels(Expr(number)) {}  // NOLINT: X.bounds(0, 1)
  Bound(Expr expression) : of_channels(expression) {}  // NOLINT
  Bound(Vec each) : of_channels(std::move(each)) {}    // NOLINT
  Bound(std::initializer_list<Expr> each) : of_channels(each) {}
  Vec of_channels;
};

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
  // Keeps an unknown in a box, X.bounds(0, 1): see EnergyBuilder::bounds().
  void bounds(const Bound& lower, const Bound& upper,
              SourceLocation where = place_of(std::source_location::current())) const;

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
  // A dim of the edges of a graph, whose number is itself a parameter.
  DimId edges(std::string name, int count_slot, SourceLocation where = place_of(Caller::current()));
  // A dim of members that have nothing to do with each other: each is solved by itself.
  DimId batch(std::string name, int slot = -1);
  // A loop variable over the dim. An empty name becomes the dim's in lower case, numbered from its
  // second domain on: w, w2, w3.
  IndexExpr domain(DimId dim, std::string name = "");
  DomainId add_domain(DimId dim, std::string name = "");
  FieldHandle unknown(std::string name, std::vector<DimId> dims, int channels = 1, int slot = -1,
                      ScalarType type = ScalarType::Working,
                      SourceLocation where = place_of(Caller::current()));
  FieldHandle unknown(std::string name, std::vector<DimId> dims, Manifold pose, int slot = -1,
                      SourceLocation where = place_of(Caller::current()));
  FieldHandle array(std::string name, std::vector<DimId> dims, int channels = 1, int slot = -1,
                    ScalarType type = ScalarType::Working,
                    SourceLocation where = place_of(Caller::current()));
  Expr param(std::string name, int slot = -1, ScalarType host_type = ScalarType::Working,
             SourceLocation where = place_of(Caller::current()));
  MapHandle map(std::string name, std::vector<DimId> in, std::vector<DimId> out, int slot = -1,
                bool optional = false, SourceLocation where = place_of(Caller::current()));
  // A named intermediate over `domains`. An empty name becomes a short content hash ("%3fa1"); if
  // an equal intermediate was made without a name before, that one is returned.
  FieldHandle intermediate(std::string name, const std::vector<DomainId>& domains,
                           const Vec& values, SourceLocation where = place_of(Caller::current()));
  FieldHandle intermediate(std::string name, const std::vector<IndexExpr>& domains,
                           const Vec& values, SourceLocation where = place_of(Caller::current()));

  // Lets the residuals and intermediates that were made of the values of an intermediate read it in
  // their place. Returns whether there are any.
  bool read_in_place_of_values(FieldId intermediate);

  // Expressions.
  Expr constant(double value);
  Expr in_bounds(const IndexExpr& component, DimId dim);
  Expr in_bounds(const IndexExpr& component);  // the one dim that its domains run over
  Expr value_of(const IndexExpr& component);
  Expr sum(const std::vector<DomainId>& domains, Expr summand);
  Expr sum(const std::vector<IndexExpr>& domains, Expr summand);
  // Gives a Sum the name that schedules call it by: the first name that is not empty counts, and a
  // Sum without one is called by its content hash. Returns the Sum's position in Energy::sums().
  std::size_t name_sum(ExprId sum, const std::string& name);
  // Gives an expression, or one entry of a vector, the name that schedules call it by if it is
  // found to be an intermediate. The first name of an expression counts.
  void name(ExprId expression, const std::string& name);
  // Bilinear interpolation of a 2-D array, one value per channel. The images dx and dy are its
  // derivatives along x and y; an invalid id means that there is none.
  Vec sample(FieldId image, FieldId dx, FieldId dy, Expr x, Expr y);
  // Like sample(), in one layer of an array over three dims, with missing texels (core/ir/op.h).
  Vec sample_layer(FieldId images, Expr x, Expr y, Expr layer);
  Vec read(FieldId field, const std::vector<IndexExpr>& index, SourceLocation where = {});
  IndexExpr lookup(MapId map, const std::vector<IndexExpr>& index, int output = 0,
                   SourceLocation where = {});

  // Statements. The domains of a residual group are those of its accesses, in creation order
  // (Energy::make says what becomes of residuals over different ones).
  void residual(std::string name, const Vec& residuals,
                SourceLocation where = place_of(Caller::current()));
  // Gives a robust loss to a declared residual group, which has at most one: one of known_losses(),
  // or ρ(s) as its author writes it, [](Expr s) { return log(1 + s); }.
  void loss(std::string_view group, std::string_view known, Expr scale,
            SourceLocation where = place_of(Caller::current()));
  void loss(std::string_view group, const std::function<Expr(Expr)>& rho,
            SourceLocation where = place_of(Caller::current()));
  // Adds an exclusion. Several conditions for one unknown are joined by "or".
  void exclude(FieldId unknown, const std::vector<DomainId>& domains, Expr condition,
               SourceLocation where = place_of(Caller::current()));
  void exclude(const FieldHandle& unknown, const std::vector<IndexExpr>& domains, Expr condition,
               SourceLocation where = place_of(Caller::current()));

  // Lets channels of the unknown keep their start where the condition holds, as exclude() does for
  // all of them. Of a pose these are its position, its rotation, or both.
  void hold(FieldId unknown, std::set<int> channels, const std::vector<DomainId>& domains,
            Expr condition, SourceLocation where = place_of(Caller::current()));

  // Keeps the entries of the unknown between two bounds, of which infinity is none. They may depend
  // on params, and on arrays at the domains of the unknown's dims.
  void bounds(FieldId unknown, const Bound& lower, const Bound& upper,
              SourceLocation where = place_of(Caller::current()));
  // Returns a domain for each dim of the field: the first of `free` over the dim, which is taken
  // out, or a new one.
  std::vector<DomainId> element_domains(FieldId field, std::vector<DomainId>& free);

  // Reports a fault; for front ends and helpers such as vector_math.h.
  void report(Diagnostic fault);
  const std::vector<Diagnostic>& faults() const { return faults_; }
  ExprId id_of(Expr expression);  // makes a constant of a number
  ExprGraph& graph() { return data_.graph; }
  const Energy::Data& data() const { return data_; }

  Expected<Energy> build() &&;

 private:
  FieldHandle add_field(Field field);
  void add_loss(std::string_view group, Loss loss);
  void freeze_held();
  std::vector<DomainId> domain_ids(const std::vector<IndexExpr>& domains, const char* of_what);

  Energy::Data data_;
  std::vector<Diagnostic> faults_;
};

}  // namespace thallo
