#pragma once

// An Energy is ½ Σ‖r‖² over residual groups. It consists of dims, fields, sparse maps, named
// intermediates, residual groups and exclusion masks over one expression graph, and is immutable.
// EnergyBuilder (C++) and load_energy (Lua) make it, and both go through the same validation. Sizes
// are not part of it: a Binding (binding.h) gives the extents and the data of one instance.
//
// Order everywhere: fields in declaration order; the elements of a field with its first dimension
// fastest; the channels of an element adjacent (offset = channels * (i0 + n0*(i1 + n1*i2)) +
// channel). The unknown vector of a solve is the concatenation of all unknown fields in declaration
// order; a field on a manifold has its tangent channels there (manifold.h).

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/energy/loss.h"
#include "core/energy/manifold.h"
#include "core/ir/graph.h"

namespace thallo {

struct Dim {
  std::string name;
  int slot = -1;  // position among the dims, as numbered by the user
  // The position of the extent in the published parameter list, where it is not among the dims: of
  // the number of edges of a graph. Otherwise -1.
  int count_slot = -1;
  SourceLocation where = {};  // of a graph
  // True if it is a batch: its members have nothing to do with each other, and are solved each by
  // itself.
  bool is_batch = false;
};

enum class FieldKind {
  Unknown,       // solved for
  Array,         // read-only data over dims
  Param,         // scalar (rank 0), one value per solve
  Intermediate,  // named subexpression with its own domains
  Buffer,        // belongs to a KernelProgram (solver vectors, products)
};
template <>
inline constexpr EnumNames enum_names<FieldKind> = {
    "kind of fields", {"unknown", "array", "param", "intermediate", "buffer"}};

// The type in which the values of a field are stored. Working is float or double, depending on the
// solve. Half has 16 bits; only products that a program stores have it (core/base/half.h).
enum class ScalarType { Working, Half, Float, Double, Int32, UInt8 };

struct Field {
  std::string name;
  FieldKind kind = FieldKind::Array;
  ScalarType type = ScalarType::Working;
  std::vector<DimId> dims;  // empty for a Param
  int channels = 1;
  int slot = -1;  // position in the published parameter list; binding is by name
  SourceLocation where = {};
  Manifold manifold = Manifold::Euclidean;  // other than Euclidean for unknowns only
  // Of a Param: the type in which a program hands the number over by position. The solver computes
  // with it in its own precision, whatever that is.
  ScalarType host_type = ScalarType::Working;

  // Returns how many numbers a step of one element of the unknown has, which is also its share of
  // every solver vector.
  int tangent_channels() const {
    return manifold == Manifold::Euclidean ? channels : thallo::tangent_channels(manifold);
  }
  // True if a program binds it.
  bool is_input() const { return kind != FieldKind::Intermediate && kind != FieldKind::Buffer; }
};

// An integer map between index spaces: a tuple of |out| coordinates for every point of the `in`
// space. In an optional map, -1 as the first coordinate means "missing": reads through it give 0,
// scatters are dropped.
struct SparseMap {
  std::string name;
  std::vector<DimId> in;
  std::vector<DimId> out;
  int slot = -1;
  bool optional = false;
  SourceLocation where;
};

// A subexpression over its own domains. Reading a named one outside its dims yields 0 in every
// channel, under every schedule. A found one is read outside only if the value does not count
// (found/intermediates.h).
struct Intermediate {
  FieldId field;                  // its entry in fields(); channels = values.size()
  std::vector<DomainId> domains;  // one per dim of the field
  std::vector<ExprId> values;     // one per channel, over `domains`
  bool is_found = false;          // made by with_found_intermediates(), not by the author
};

struct ResidualGroup {
  std::string name;
  std::vector<DomainId> domains;  // the residual exists for every point of these; first = fastest
  std::vector<ExprId> residuals;  // scalars, in the order written
  SourceLocation where;
  std::optional<Loss> loss;
};

// A Sum of a residual, or of an intermediate that a residual reads, with its name in schedules: the
// author's name or, without one, a short content hash ("%3fa1").
struct NamedSum {
  ExprId sum;
  std::string name;
};

// An expression with the name that its author gave it.
struct NamedExpression {
  ExprId expression;
  std::string name;
};

// Entries of `unknown` at points where `condition` holds never change.
struct Exclusion {
  FieldId unknown;
  std::vector<DomainId> domains;  // one per dim of the unknown
  ExprId condition;               // boolean
  std::set<int> channels = {};    // of a held part: those that it holds
};

// The box that a solve keeps the entries of an unknown in.
struct Bounds {
  FieldId unknown;
  std::vector<DomainId> domains;     // one per dim of the unknown
  std::vector<ExprId> lower, upper;  // of each channel; constants -inf and inf where there is none
  SourceLocation where;
};

class FoundIntermediates;
enum class FoundSites;

// Base class of derived facts that take time to compute and that a higher layer caches with the
// energy.
class EnergyFacts {
 public:
  virtual ~EnergyFacts() = default;
};

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
  const std::vector<Exclusion>& held() const { return data_.held; }
  const std::vector<Bounds>& bounds() const { return data_.bounds; }
  const std::vector<NamedSum>& sums() const { return data_.sums; }

  const Dim& dim(DimId id) const { return data_.dims[id.value()]; }
  const Field& field(FieldId id) const { return data_.fields[id.value()]; }
  const SparseMap& map(MapId id) const { return data_.maps[id.value()]; }
  const Intermediate* find_intermediate(FieldId field) const;
  const Exclusion* find_exclusion(FieldId unknown) const;
  const Bounds* find_bounds(FieldId unknown) const;
  FieldId find_field(std::string_view name) const;  // invalid if absent
  FieldId find_unknown(std::string_view name) const;
  MapId find_map(std::string_view name) const;
  DimId find_dim(std::string_view name) const;
  // The dim of the members of a batch, of which there is at most one; invalid if there is none.
  DimId members() const;
  const std::vector<FieldId>& unknowns() const { return data_.unknowns; }  // in declaration order
  int num_residuals_per_point(const ResidualGroup& group) const {
    return static_cast<int>(group.residuals.size());
  }
  // The names of dims, of the unknowns, and of all that a program binds.
  std::vector<std::string> dim_names(const std::vector<DimId>& dims) const;
  std::vector<std::string> unknown_names() const;
  std::vector<std::string> input_names() const;
  // The found intermediates if with_found_intermediates() made this energy; else null.
  const FoundIntermediates* found() const { return found_.get(); }
  // Says which found intermediates schedules decide about.
  FoundSites found_sites() const { return found_sites_; }
  // Returns the energy from which with_found_intermediates() made this one, with the same fields,
  // domains and groups; this energy itself if it was not made so.
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
    // Channels that never change where the condition holds. Reads of them are frozen already.
    std::vector<Exclusion> held;
    std::vector<Bounds> bounds;  // at most one of an unknown
    // The Sums that were given names; make() appends the others. A name that is empty, or that a
    // field, a map or another Sum has, becomes the content hash. The entry of a Sum that no
    // residual uses stays, but its id becomes invalid.
    std::vector<NamedSum> sums;
    // The names that the author gave to expressions, whether they are stored or not. All entries of
    // a vector have the same name.
    std::vector<NamedExpression> names;
    std::vector<FieldId> unknowns;  // filled by make()
    // The place where an access was first written, if known; faults of the access are reported
    // there.
    std::map<ExprId, SourceLocation> places;
    // True if it was made of another energy: nobody is warned of what it does not use.
    bool is_derived = false;
  };
  // Validates (validate.h lists the rules), fills in the domains of residual groups that have none
  // (those of the group's accesses, in creation order), and warns of unused inputs. The Diagnostic
  // lists all faults, one per line, beginning with those in `faults`, which the caller has found.
  //
  // A group that is given no domains and whose residuals exist over different ones becomes one
  // group for each list of domains, named after the list: `fit` over (w, h) and over (w) becomes
  // `fit_w_h` and `fit_w`, in the order in which the lists are met. Each of them gets the group's
  // loss.
  //
  // An Array on the slot of an Unknown with equal dims and channels is a *constant view* of it, as
  // in published energies: its reads become frozen reads of the unknown, and the array is no longer
  // a field of the energy, so nothing is bound to it.
  static Expected<Energy> make(Data data, std::vector<Diagnostic> faults = {});

  const Data& data() const { return data_; }

  // Returns the cached facts of this energy, which are shared by all its copies. The first call on
  // any copy computes them by `find`, which must always be the same function. May be called from
  // any thread.
  const EnergyFacts& facts(std::unique_ptr<const EnergyFacts> (*find)(const Energy&)) const;

 private:
  friend class FoundIntermediates;
  struct KeptFacts;
  explicit Energy(Data data);
  Data data_;
  std::shared_ptr<KeptFacts> facts_;
  std::shared_ptr<const FoundIntermediates> found_;
  FoundSites found_sites_{};
};

// Returns all nodes that the roots are made of, including the values of the intermediates that they
// read, in ascending order.
std::vector<ExprId> nodes_behind(const Energy::Data& data, std::vector<ExprId> roots);

}  // namespace thallo
