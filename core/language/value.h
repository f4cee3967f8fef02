#pragma once

// What a Lua variable of an energy text can hold besides Lua's own types. Every Lua userdata in the
// sandbox is one of these, immutable. Scalars and vectors are ids into the expression graph of the
// load in progress; most others refer to declared things.

#include <cstddef>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

#include "core/energy/energy.h"
#include "core/schedule/statement.h"

namespace thallo::language {

// Stands for a value whose computation was a fault, which has been reported. Everything computed
// from it is Poison too and reports nothing, so that one run finds all independent faults.
struct Poison {};

struct Scalar {
  ExprId id;
};

struct Vector {
  std::vector<ExprId> entries;
  // Other than Euclidean for what is known to be a point of it: a read of a field of that type, or
  // what an operation makes of such. Entries and slices are plain numbers.
  Manifold manifold = Manifold::Euclidean;
};

// One coordinate, or several from a sparse map into a multi-dimensional space.
struct IndexTuple {
  std::vector<Affine> components;
};

struct DimRef {
  DimId id;
};

struct FieldRef {
  FieldId id;
};

struct MapRef {
  MapId id;
};

// A graph of a text in Opt's dialect.
struct GraphRef {
  std::size_t number = 0;  // of OptEnergy's graphs
};

// A 2-D image that is read between its texels.
struct SampledImage {
  Sampler sampler;
};

// An array over {W, H, L}: L images, one of which is read between its texels.
struct SampledImageArray {
  FieldId images;
};

// For `r.fit:loss(...)`: of huber(a) the loss and its scale, of a function none and ρ(s).
struct LossRef {
  const KnownLoss* known = nullptr;
  ExprId written;
};

// The method of a schedule name that is about to be called: r.fit:reorder.
struct ScheduleMethod {
  ScheduleName on;
  std::string method;
};

// float2, mat3f, uint8, SE3 ...
struct Type {
  std::string name;
  ScalarType scalar = ScalarType::Working;
  int channels = 1;
  Manifold manifold = Manifold::Euclidean;  // how an unknown of the type moves
};

// The result of Unknown(...), Array(...), Param(...) and Sparse(...), until Inputs{...} gives it a
// name.
struct Declaration {
  enum class Kind { Unknown, Array, Param, Sparse };
  Kind kind = Kind::Array;
  Type type;
  std::vector<DimId> dims;  // for a map: its `in` space
  std::vector<DimId> out;
  int slot = -1;
  bool optional = false;
  int order = 0;  // declarations count up in source order
  SourceLocation where;
};

using Value = std::variant<Poison, Scalar, Vector, IndexTuple, DimRef, FieldRef, MapRef, GraphRef,
                           SampledImage, SampledImageArray, LossRef, ScheduleName, ScheduleMethod,
                           Type, Declaration>;

// The word for a kind of value in messages, in the order of the variant; also the name of its Lua
// metatable.
inline constexpr const char* KindNames[] = {
    "faulty value", "expression",    "vector",          "index",         "dim",
    "field",        "sparse map",    "graph",           "sampled image", "sampled image array",
    "loss",         "schedule name", "schedule method", "type",          "input declaration"};
static_assert(std::size(KindNames) == std::variant_size_v<Value>);

inline const char* kind_name(const Value& value) { return KindNames[value.index()]; }

}  // namespace thallo::language
