#pragma once

// The host memory of one bound instance: the energy's fields and maps, converted to the types that
// kernels read, and the program's buffers. A buffer is one allocation that holds all its views (one
// per unknown) as core/kernel/vector_layout.h lays them out.

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "core/base/aligned_bytes.h"
#include "core/kernel/arguments.h"
#include "core/kernel/bind/sizes.h"
#include "core/schedule/precision.h"

namespace thallo {

// The types of elements in host memory: double for all fields (interpreter), or each field's own
// type, in which Working stands for float or double (emitted code).
enum class HostPrecision { AllDouble, WorkingFloat, WorkingDouble };

class HostAllocation : public AlignedBytes {
 public:
  HostAllocation() = default;
  // Allocates zeroed memory. Fails with the name if memory is short.
  static Expected<HostAllocation> make(std::size_t bytes, std::string_view name);
  static Expected<HostAllocation> copy_of(std::span<const std::byte> from, std::string_view name);
  std::span<std::byte> span() const { return {data(), bytes()}; }

 private:
  using AlignedBytes::AlignedBytes;
};

class HostMemory {
 public:
  HostMemory(const KernelProgram& program, HostPrecision precision, std::int64_t memory_limit)
      : program_(program), precision_(precision), memory_limit_(memory_limit) {}

  // Allocates memory unless the sizes are those of the last bind, clears the buffers, and uploads
  // fields and maps. Fails if memory is short or the limit (memory_limit.h) is exceeded.
  Expected<void> bind(const Binding& binding);
  void upload(const Binding& binding, FieldId field);
  void download(Binding& binding, FieldId field) const;

  bool is_bound() const { return is_bound_; }
  const ProgramSizes& sizes() const { return sizes_; }
  ScalarType type(FieldId field) const;
  std::byte* buffer(std::size_t buffer) const { return buffers_[buffer].data(); }
  ScalarType buffer_type(std::size_t buffer) const {
    return type(program_.buffers[buffer].fields.front());
  }
  // Null if the field has no memory.
  std::byte* field(FieldId field) const { return fields_[field.index()]; }
  // Returns the number of scalars from the beginning of a field to the end of its last element. It
  // exceeds the field's own number of scalars if views of a buffer overlap.
  std::size_t reach(FieldId field) const { return reaches_[field.index()]; }
  std::span<double> doubles(FieldId field) const;  // all of reach(); the type must be Double
  double param(FieldId field) const { return doubles(field)[0]; }
  std::span<const std::int32_t> map(MapId map) const { return maps_[map.index()]; }

  // The memory that kernels may change: the unknowns and the buffers.
  std::vector<std::span<std::byte>> changing() const;
  // Returns the memory of these fields and maps; the pieces may overlap.
  std::vector<std::span<const std::byte>> pieces(const std::set<FieldId>& fields,
                                                 const std::set<MapId>& maps) const;

  void clear_buffer(std::size_t buffer) { buffers_[buffer].clear(); }
  std::vector<double> read_buffer(std::size_t buffer) const;
  void write_buffer(std::size_t buffer, std::span<const double> values);

 private:
  Expected<void> allocate();
  Precision working() const;  // what Working stands for in emitted code

  const KernelProgram& program_;
  HostPrecision precision_;
  std::int64_t memory_limit_;
  bool is_bound_ = false;
  ProgramSizes sizes_;
  std::vector<HostAllocation> inputs_;   // by FieldId; empty for fields in a buffer
  std::vector<HostAllocation> buffers_;  // in the order of program.buffers
  std::vector<std::byte*> fields_;       // by FieldId
  std::vector<std::size_t> reaches_;     // by FieldId
  std::vector<std::vector<std::int32_t>> maps_;
};

}  // namespace thallo
