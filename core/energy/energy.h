#pragma once

// An Energy is ½ Σ‖r‖² over residual groups: dims, fields, sparse maps, named intermediates,
// residual groups and exclusion masks over one expression graph. It is immutable; EnergyBuilder
// (C++) and load_energy (Lua) make it, and both go through the same validation. Sizes are not part
// of it: a Binding (binding.h) gives the extents and the data of one instance.
//
// Order everywhere: fields in declaration order; the elements of a field with its first dimension
// fastest; the channels of an element adjacent (offset = channels * (i0 + n0*(i1 + n1*i2)) +
// channel). The unknown vector of a solve is the concatenation of all unknown fields in declaration
// order, with the tangent channels of those on a manifold (manifold.h).

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/loss.h"
#include "core/energy/manifold.h"
#include "core/ir/graph.h"

namespace thallo {

struct Dim {
  std::string name;
  int slot = -1;  // position among the dims as the user numbered them
};

enum class FieldKind {
  Unknown,       // solved for
  Array,         // read-only data over dims
  Param,         // scalar (rank 0), one value per solve
  Intermediate,  // named subexpression with its own domains
  Buffer,  // made by a KernelProgram (solver vectors, state, stored products); never part of an
           // Energy
};

// How a field's values are stored where the user gave them. Working = float or double as the solve
// asks. Half, of 16 bits, is for products that a program stores (core/base/half.h).
enum class ScalarType { Working, Half, Float, Double, Int32, UInt8 };

struct Field {
  std::string name;
  FieldKind kind = FieldKind::Array;
  ScalarType type = ScalarType::Working;
  std::vector<DimId> dims;  // empty for a Param
  int channels = 1;
  int slot = -1;  // position in the published parameter list; names are what binds
  SourceLocation where = {};
  Manifold manifold = Manifold::Euclidean;  // of an unknown

  // Numbers of a step of one element of an unknown, and of its part of every solver vector.
  int tangent_channels() const {
    return manifold == Manifold::Euclidean ? channels : thallo::tangent_channels(manifold);
  }
};

// "unknown", "array", "param", "intermediate", "buffer".
std::string_view to_string(FieldKind kind);

// Integer map between index spaces: a tuple of |out| coordinates for every point of the `in` space.
struct SparseMap {
  std::string name;
  std::vector<DimId> in;
  std::vector<DimId> out;
  int slot = -1;
  bool optional =
      false;  // -1 in the first coordinate means "missing": reads give 0, scatters are dropped
  SourceLocation where;
};

// A subexpression over its own domains. Reading a named one outside its dims yields 0 in every
// channel, under every schedule; what reading a found one there yields never counts.
struct Intermediate {
  FieldId field;                  // its entry in fields(); channels = values.size()
  std::vector<DomainId> domains;  // one per dim of the field
  std::vector<ExprId> values;     // one per channel, over `domains`
  bool is_found = false;          // by with_found_intermediates()
};

struct ResidualGroup {
  std::string name;
  std::vector<DomainId> domains;  // the residual exists for every point of these; first = fastest
  std::vector<ExprId> residuals;  // scalars, in the order written
  SourceLocation where;
  std::optional<Loss> loss;
};

// A Sum that residuals or the intermediates that they read have, as schedules call it: by the name
// that its author gave it, else by a short content hash ("%3fa1").
struct NamedSum {
  ExprId sum;
  std::string name;
};

// Entries of `unknown` at points where `condition` holds never change.
struct Exclusion {
  FieldId unknown;
  std::vector<DomainId> domains;  // one per dim of the unknown
  ExprId condition;               // boolean
};

class FoundIntermediates;
enum class FoundSites;

class Energy {
 public:
  const std::string& name() const { return data_.name; }
  const ExprGraph& graph() const { return data_.graph; }
  const std::vector<Dim>& dims() const { return data_.dims; }
  const std::vector<Field>& fields() const { return data_.fields; }
  const std::vector<SparseMap>& maps() const { return data_.maps; }
  const std::vector<Intermediate>& intermediates() const { return data_.intermediates; }
  const std::vector<ResidualGroup>& groups() const { return data_.groups; }
  const std::vector<Exclusion>& exclusions() const { return data_.exclusions; }
  const std::vector<NamedSum>& sums() const { return data_.sums; }

  const Dim& dim(DimId id) const { return data_.dims[id.value()]; }
  const Field& field(FieldId id) const { return data_.fields[id.value()]; }
  const SparseMap& map(MapId id) const { return data_.maps[id.value()]; }
  const Intermediate* find_intermediate(FieldId field) const;
  const Exclusion* find_exclusion(FieldId unknown) const;
  FieldId find_field(std::string_view name) const;  // invalid when absent
  MapId find_map(std::string_view name) const;
  DimId find_dim(std::string_view name) const;
  const std::vector<FieldId>& unknowns() const { return data_.unknowns; }  // in declaration order
  int num_residuals_per_point(const ResidualGroup& group) const {
    return static_cast<int>(group.residuals.size());
  }
  // Of an energy that with_found_intermediates() made: what was found, and the energy that it was
  // made of, with the same fields, domains and groups. Null, and the energy itself, for others.
  const FoundIntermediates* found() const { return found_.get(); }
  FoundSites found_sites() const { return found_sites_; }
  const Energy& as_written() const;

  struct Data {
    std::string name;
    ExprGraph graph;
    std::vector<Dim> dims;
    std::vector<Field> fields;
    std::vector<SparseMap> maps;
    std::vector<Intermediate> intermediates;
    std::vector<ResidualGroup> groups;
    std::vector<Exclusion> exclusions;
    // Those that have names come in; make() adds the others, after them. A name that a field, a map
    // or another Sum has, or an empty one, becomes the content hash; the Sum of one that no
    // residual is made of becomes invalid.
    std::vector<NamedSum> sums;
    std::vector<FieldId> unknowns;  // filled by make()
    // Where an access was first written, as far as known; faults of the access are reported there.
    std::map<ExprId, SourceLocation> places;
  };
  // Validates (validate.h lists what), fills in the domains of residual groups that have none
  // (those of the group's accesses, in creation order) and warns of unused inputs. All faults are
  // found, those handed in first; the Diagnostic lists them one a line.
  //
  // A group whose residuals exist over different domains becomes one group for each list of
  // domains, named after it: `fit` over (w, h) and over (w) becomes `fit_w_h` and `fit_w`, in the
  // order in which the lists are met. A loss goes to each of them.
  //
  // An Array on the slot of an Unknown with equal dims and channels is a *constant view* of it, as
  // published energies use it: its reads become Freeze(the unknown's read), and the array is no
  // field of the energy any more, so that nothing is bound for it.
  static Expected<Energy> make(Data data, std::vector<Diagnostic> faults = {});

  const Data& data() const { return data_; }

 private:
  friend class FoundIntermediates;
  explicit Energy(Data data) : data_(std::move(data)) {}
  Data data_;
  std::shared_ptr<const FoundIntermediates> found_;
  FoundSites found_sites_{};
};

// All nodes that the roots are made of, the values of the intermediates that they read included;
// ascending.
std::vector<ExprId> nodes_behind(const Energy::Data& data, std::vector<ExprId> roots);

}  // namespace thallo
