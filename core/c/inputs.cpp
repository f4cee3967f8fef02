// The functions of thallo.h that bind inputs.
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "core/c/handle.h"
#include "core/c/thallo.h"

namespace thallo::c_api {
namespace {

// The fault of binding values that are not there, or of a type that there is not.
Fault check_array(const char* name, int type, Required values, const int64_t* extents,
                  size_t num_extents) {
  if (auto null = find_null({{"name", name}}); failed(null)) return null;
  if (type < THALLO_FLOAT || type > THALLO_UINT8) {
    return {THALLO_INVALID_ARGUMENT,
            fmt::format("'{}' is bound to values of type {}, which there is not (legal: "
                        "THALLO_FLOAT, THALLO_DOUBLE, THALLO_INT32, THALLO_UINT8)",
                        name, type)};
  }
  if (num_extents > 0) {
    if (auto null = find_null({{"extents", extents}}); failed(null)) return null;
  }
  for (size_t i = 0; i < num_extents; ++i) {
    if (values.pointer == nullptr && extents[i] == 0) return {};  // no value is read
  }
  return find_null({values});
}

// Fails if the name is bound by the other function. `is_unknown` says by which it is.
Fault check_kind(const Energy& energy, std::string_view name, bool is_unknown) {
  const FieldId field = energy.find_field(name);
  const bool names_unknown = field.valid() && energy.field(field).kind == FieldKind::Unknown;
  if (names_unknown == is_unknown) return {};
  return {THALLO_INVALID_INPUT,
          is_unknown ? fmt::format("'{}' is no unknown; bind it by thallo_bind_array() or "
                                   "thallo_bind_device_array()",
                                   name)
                     : fmt::format("'{}' is an unknown, into which the solution is written; bind "
                                   "it by thallo_bind_unknown() or thallo_bind_device_unknown()",
                                   name)};
}

// Binds values of type T, or const T.
template <class T>
void bind_values(EnergySolver& solver, const char* name, thallo_type type, T* values,
                 std::size_t count, const Shape& shape) {
  const auto as = [&]<class Value>(Value) {
    using Element = std::conditional_t<std::is_const_v<T>, const Value, Value>;
    solver.bind(name, std::span(static_cast<Element*>(values), count), shape);
  };
  switch (type) {
    case THALLO_FLOAT: return as(float{});
    case THALLO_DOUBLE: return as(double{});
    case THALLO_INT32: return as(std::int32_t{});
    case THALLO_UINT8: return as(std::uint8_t{});
  }
}

// T is void or const void.
template <class T>
thallo_status bind(thallo_solver* solver, const char* name, thallo_type type, T* values,
                   const int64_t* extents, size_t num_extents) {
  return run_on(solver, {}, [&](Handle& handle) -> Fault {
    if (auto bad = check_array(name, type, {"values", values}, extents, num_extents); failed(bad))
      return bad;
    const Shape shape(extents, extents + num_extents);
    const Energy& energy = handle.solver.energy();
    const auto count = BoundArrays::num_values(energy, name, shape);
    if (!count) return fault(THALLO_INVALID_INPUT, count.error());
    if (auto other = check_kind(energy, name, !std::is_const_v<T>); failed(other)) return other;
    bind_values(handle.solver, name, type, values, *count, shape);
    return {};
  });
}

ScalarType scalar_type(thallo_type type) {
  switch (type) {
    case THALLO_DOUBLE: return ScalarType::Double;
    case THALLO_INT32: return ScalarType::Int32;
    case THALLO_UINT8: return ScalarType::UInt8;
    default: return ScalarType::Float;
  }
}

// An array on a device, as a C function is given it.
struct DeviceArguments {
  thallo_type type;
  const void* address;
  std::span<const int64_t> extents;
  const int64_t* strides;
  size_t num_strides;
  void* stream;
  bool is_unknown;
};

Fault bind_device(EnergySolver& solver, const char* name, const DeviceArguments& array) {
  if (auto bad = check_array(name, array.type, {"address", array.address}, array.extents.data(),
                             array.extents.size());
      failed(bad))
    return bad;
  if (array.num_strides > 0) {
    if (auto null = find_null({{"strides", array.strides}}); failed(null)) return null;
  }
  const Shape shape(array.extents.begin(), array.extents.end());
  if (const auto count = BoundArrays::num_values(solver.energy(), name, shape); !count)
    return fault(THALLO_INVALID_INPUT, count.error());
  if (auto other = check_kind(solver.energy(), name, array.is_unknown); failed(other)) return other;
  solver.bind(name,
              {.address = reinterpret_cast<std::uintptr_t>(array.address),
               .type = scalar_type(array.type),
               .strides = {array.strides, array.strides + array.num_strides},
               .stream = reinterpret_cast<std::uintptr_t>(array.stream),
               .is_constant = !array.is_unknown},
              shape);
  return {};
}

}  // namespace
}  // namespace thallo::c_api

using namespace thallo;         // NOLINT: the functions below are outside of it
using namespace thallo::c_api;  // NOLINT

thallo_status thallo_bind_unknown(thallo_solver* solver, const char* name, thallo_type type,
                                  void* values, const int64_t* extents, size_t num_extents) {
  return bind(solver, name, type, values, extents, num_extents);
}

thallo_status thallo_bind_array(thallo_solver* solver, const char* name, thallo_type type,
                                const void* values, const int64_t* extents, size_t num_extents) {
  return bind(solver, name, type, values, extents, num_extents);
}

thallo_status thallo_bind_device_unknown(thallo_solver* solver, const char* name, thallo_type type,
                                         void* address, const int64_t* extents, size_t num_extents,
                                         const int64_t* strides, size_t num_strides, void* stream) {
  return run_on(solver, {}, [&](Handle& handle) {
    return bind_device(handle.solver, name,
                       {type, address, {extents, num_extents}, strides, num_strides, stream, true});
  });
}

thallo_status thallo_bind_device_array(thallo_solver* solver, const char* name, thallo_type type,
                                       const void* address, const int64_t* extents,
                                       size_t num_extents, const int64_t* strides,
                                       size_t num_strides, void* stream) {
  return run_on(solver, {}, [&](Handle& handle) {
    return bind_device(
        handle.solver, name,
        {type, address, {extents, num_extents}, strides, num_strides, stream, false});
  });
}

thallo_status thallo_bind_number(thallo_solver* solver, const char* name, double number) {
  return run_on(solver, {{"name", name}}, [&](Handle& handle) -> Fault {
    const auto valid = BoundArrays::check_number(handle.solver.energy(), name, number);
    if (!valid) return fault(THALLO_INVALID_INPUT, valid.error());
    handle.solver.bind(name, number);
    return {};
  });
}

thallo_status thallo_unbind(thallo_solver* solver, const char* name) {
  return run_on(solver, {{"name", name}}, [&](Handle& handle) -> Fault {
    handle.solver.unbind(name);
    return {};
  });
}
