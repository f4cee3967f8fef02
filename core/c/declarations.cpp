// The functions of thallo.h that list what an energy declares: its dims, then its inputs in the
// order of the text, then its sparse maps.

#include <vector>

#include <fmt/format.h>

#include "core/c/handle.h"
#include "core/c/thallo.h"

namespace thallo::c_api {
namespace {

// A declaration with the dims that it is over.
struct Declared {
  thallo_declaration as_c;
  std::vector<DimId> dims;
};

thallo_kind kind_of(FieldKind kind) {
  if (kind == FieldKind::Unknown) return THALLO_UNKNOWN;
  return kind == FieldKind::Param ? THALLO_PARAM : THALLO_ARRAY;
}

thallo_type type_of(const Field& field) {
  switch (field.kind == FieldKind::Param ? field.host_type : field.type) {
    case ScalarType::Float: return THALLO_FLOAT;
    case ScalarType::Double: return THALLO_DOUBLE;
    case ScalarType::Int32: return THALLO_INT32;
    case ScalarType::UInt8: return THALLO_UINT8;
    case ScalarType::Working:
    case ScalarType::Half: break;
  }
  return THALLO_WORKING;
}

std::vector<Declared> declarations(const Energy& energy) {
  std::vector<Declared> all;
  const auto add = [&](const std::string& name, thallo_kind kind, thallo_type type,
                       std::size_t channels, std::vector<DimId> dims) {
    all.push_back({{name.c_str(), kind, type, static_cast<int64_t>(channels), dims.size()}, dims});
  };
  for (const Dim& dim : energy.dims()) add(dim.name, THALLO_DIM, THALLO_INT32, 1, {});
  for (const FieldKind kind : {FieldKind::Unknown, FieldKind::Param}) {
    for (const Field& field : energy.fields()) {
      const bool is_of_kind = kind == FieldKind::Param ? field.kind == kind
                                                       : field.kind == FieldKind::Unknown ||
                                                             field.kind == FieldKind::Array;
      if (is_of_kind)
        add(field.name, kind_of(field.kind), type_of(field),
            static_cast<std::size_t>(field.channels), field.dims);
    }
  }
  for (const SparseMap& map : energy.maps())
    add(map.name, THALLO_SPARSE, THALLO_INT32, map.out.size(), map.in);
  return all;
}

Expected<Declared> find_declaration(const Energy& energy, std::size_t number) {
  std::vector<Declared> all = declarations(energy);
  if (number < all.size()) return all[number];
  return fail("'{}' has {} declarations, and none of the number {}", energy.name(), all.size(),
              number);
}

}  // namespace
}  // namespace thallo::c_api

using namespace thallo;         // NOLINT: the functions below are outside of it
using namespace thallo::c_api;  // NOLINT

thallo_status thallo_count_declarations(thallo_solver* solver, size_t* count) {
  return run_on(solver, {{"count", count}}, [&](Handle& handle) -> Fault {
    *count = declarations(handle.solver.energy()).size();
    return {};
  });
}

thallo_status thallo_get_declaration(thallo_solver* solver, size_t number,
                                     thallo_declaration* declaration) {
  return run_on(solver, {{"declaration", declaration}}, [&](Handle& handle) {
    return store(find_declaration(handle.solver.energy(), number).map(&Declared::as_c),
                 declaration);
  });
}

thallo_status thallo_get_declared_dim(thallo_solver* solver, size_t number, size_t dim,
                                      const char** name) {
  return run_on(solver, {{"name", name}}, [&](Handle& handle) -> Fault {
    const Energy& energy = handle.solver.energy();
    const auto found = find_declaration(energy, number);
    if (!found) return fault(THALLO_INVALID_ARGUMENT, found.error());
    if (dim < found->dims.size()) {
      *name = energy.dim(found->dims[dim]).name.c_str();
      return {};
    }
    return {THALLO_INVALID_ARGUMENT, fmt::format("'{}' is over {} dims, and none of the number {}",
                                                 found->as_c.name, found->dims.size(), dim)};
  });
}
