#include "core/backend/host_memory.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>
#include <variant>

#include "core/backend/memory_limit.h"
#include "core/backend/with_type.h"
#include "core/base/error.h"
#include "core/kernel/bind/inverse_map.h"
#include "core/kernel/memory_type.h"
#include "core/kernel/vector_layout.h"

namespace thallo {
namespace {

bool is_energy_input(const Field& field) {
  switch (field.kind) {
    case FieldKind::Unknown:
    case FieldKind::Array:
    case FieldKind::Param: return true;
    case FieldKind::Intermediate:
    case FieldKind::Buffer: return false;
  }
  THALLO_UNREACHABLE();
}

template <class To, class From>
void convert(const From* from, To* to, std::size_t count) {
  if constexpr (std::is_same_v<To, From>) {
    if (count > 0) std::memcpy(to, from, count * sizeof(To));
  } else {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
  }
}

}  // namespace

Expected<HostAllocation> HostAllocation::make(std::size_t bytes, std::string_view name) {
  try {
    return HostAllocation(bytes);
  } catch (const std::bad_alloc&) {
    return fail("out of memory: {} bytes for '{}'", bytes, name);
  }
}

Expected<HostAllocation> HostAllocation::copy_of(std::span<const std::byte> from,
                                                 std::string_view name) {
  auto allocation = make(from.size(), name);
  if (allocation) std::ranges::copy(from, allocation->data());
  return allocation;
}

Expected<void> HostMemory::bind(const Binding& binding) {
  THALLO_TRY(auto sizes, ProgramSizes::make(program_, binding, memory_limit_));
  if (is_bound_ && sizes.have_equal_extents(sizes_)) {
    sizes_ = std::move(sizes);
    for (HostAllocation& buffer : buffers_) buffer.clear();
  } else {
    is_bound_ = false;
    THALLO_CHECK(check_memory_limit(program_, sizes, working(), memory_limit_));
    sizes_ = std::move(sizes);
    THALLO_CHECK(allocate());
    is_bound_ = true;
  }
  for (std::size_t i = 0; i < program_.fields.size(); ++i) {
    if (is_energy_input(program_.fields[i])) upload(binding, FieldId(i));
  }
  maps_ = map_values(program_, sizes_, binding);
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    THALLO_ASSERT_EQ(static_cast<std::int64_t>(maps_[i].size()), sizes_.num_entries(MapId(i)));
  }
  return {};
}

Expected<void> HostMemory::allocate() {
  inputs_.clear();
  buffers_.clear();
  inputs_.resize(program_.fields.size());
  fields_.assign(program_.fields.size(), nullptr);
  reaches_.assign(program_.fields.size(), 0);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const FieldId id(i);
    const Field& field = program_.field(id);
    if (!is_energy_input(field)) continue;
    THALLO_TRY(inputs_[i], HostAllocation::make(
                               static_cast<std::size_t>(sizes_.num_scalars(id)) * size_of(type(id)),
                               field.name));
    fields_[i] = inputs_[i].data();
    reaches_[i] = static_cast<std::size_t>(sizes_.num_scalars(id));
  }
  for (std::size_t b = 0; b < program_.buffers.size(); ++b) {
    const BufferDecl& decl = program_.buffers[b];
    const std::size_t scalar = size_of(buffer_type(b));
    THALLO_TRY(auto made,
               HostAllocation::make(static_cast<std::size_t>(sizes_.buffer_size(decl)) * scalar,
                                    decl.name));
    for (const BufferView& view : VectorLayout(program_).views(decl, sizes_)) {
      fields_[view.field.index()] = made.data() + static_cast<std::size_t>(view.begin) * scalar;
      reaches_[view.field.index()] = static_cast<std::size_t>(view.end - view.begin);
    }
    buffers_.push_back(std::move(made));
  }
  return {};
}

Precision HostMemory::working() const {
  return precision_ == HostPrecision::WorkingFloat ? Precision::Float : Precision::Double;
}

ScalarType HostMemory::type(FieldId field) const {
  if (precision_ == HostPrecision::AllDouble || is_param(program_, field)) {
    return ScalarType::Double;
  }
  return memory_type(program_, field, working());
}

std::span<double> HostMemory::doubles(FieldId field) const {
  THALLO_ASSERT(type(field) == ScalarType::Double, "field '{}' is not stored in double",
                program_.field(field).name);
  THALLO_ASSERT(fields_[field.index()] != nullptr, "field '{}' has no memory",
                program_.field(field).name);
  return {reinterpret_cast<double*>(fields_[field.index()]), reach(field)};
}

void HostMemory::upload(const Binding& binding, FieldId field) {
  const HostArray& values = binding.field(field);
  THALLO_ASSERT_EQ(static_cast<std::int64_t>(values.size()), sizes_.num_scalars(field));
  with_type(type(field), [&](auto to) {
    using To = decltype(to);
    std::visit(
        [&](const auto& from) {
          convert(from.data(), reinterpret_cast<To*>(fields_[field.index()]), from.size());
        },
        values.storage());
  });
}

void HostMemory::download(Binding& binding, FieldId field) const {
  HostArray& values = binding.field(field);
  THALLO_ASSERT_EQ(static_cast<std::int64_t>(values.size()), sizes_.num_scalars(field));
  with_type(type(field), [&](auto from) {
    using From = decltype(from);
    std::visit(
        [&](auto& to) {
          convert(reinterpret_cast<const From*>(fields_[field.index()]), to.data(), to.size());
        },
        values.storage());
  });
}

std::vector<std::span<std::byte>> HostMemory::changing() const {
  std::vector<std::span<std::byte>> pieces;
  for (const FieldId unknown : program_.unknowns) {
    pieces.push_back(inputs_[unknown.index()].span());
  }
  for (const HostAllocation& buffer : buffers_) pieces.push_back(buffer.span());
  return pieces;
}

std::vector<std::span<const std::byte>> HostMemory::pieces(const std::set<FieldId>& fields,
                                                           const std::set<MapId>& maps) const {
  std::vector<std::span<const std::byte>> pieces;
  for (const FieldId id : fields)
    if (const std::byte* its = field(id)) pieces.emplace_back(its, reach(id) * size_of(type(id)));
  for (const MapId id : maps) pieces.push_back(std::as_bytes(map(id)));
  return pieces;
}

std::vector<double> HostMemory::read_buffer(std::size_t buffer) const {
  return with_type(buffer_type(buffer), [&](auto from) {
    using From = decltype(from);
    std::vector<double> values(buffers_[buffer].bytes() / sizeof(From));
    convert(reinterpret_cast<const From*>(buffers_[buffer].data()), values.data(), values.size());
    return VectorLayout(program_).to_plain(program_.buffers[buffer], sizes_, values);
  });
}

void HostMemory::write_buffer(std::size_t buffer, std::span<const double> values) {
  with_type(buffer_type(buffer), [&](auto to) {
    using To = decltype(to);
    const std::vector<double> memory =
        VectorLayout(program_).from_plain(program_.buffers[buffer], sizes_, values);
    convert(memory.data(), reinterpret_cast<To*>(buffers_[buffer].data()), memory.size());
  });
}

}  // namespace thallo
