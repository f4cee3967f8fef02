#pragma once

// Memory of one bound instance on the host: the energy's fields and maps, converted to what kernels
// read, and the program's buffers, where the views of a buffer (one per unknown) lie one after the
// other in one allocation.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/kernel/arguments.h"
#include "core/kernel/bind/sizes.h"

namespace thallo {

// What the elements of fields are in host memory: doubles throughout (interpreter), or each field's
// own type with this working type (emitted code).
enum class HostPrecision { AllDouble, WorkingFloat, WorkingDouble };

// Zero-initialized, aligned for vector instructions.
class HostAllocation {
 public:
  HostAllocation() = default;
  static Expected<HostAllocation> make(std::size_t bytes, std::string_view name);
  std::byte* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }
  void clear();

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte[], Free> data_;
  std::size_t bytes_ = 0;
};

class HostMemory {
 public:
  HostMemory(const KernelProgram& program, HostPrecision precision, std::int64_t memory_limit)
      : program_(program), precision_(precision), memory_limit_(memory_limit) {}

  // Allocates, within the limit of memory_limit.h, unless the sizes are those of the last bind,
  // clears the buffers, uploads everything.
  Expected<void> bind(const Binding& binding);
  void upload(const Binding& binding, FieldId field);
  void download(Binding& binding, FieldId field) const;

  const ProgramSizes& sizes() const { return sizes_; }
  ScalarType type(FieldId field) const;
  std::byte* buffer(std::size_t buffer) const { return buffers_[buffer].data(); }
  ScalarType buffer_type(std::size_t buffer) const {
    return type(program_.buffers[buffer].fields.front());
  }
  std::byte* field(FieldId field) const { return fields_[field.index()]; }  // null: none bound
  // Scalars from where a field begins to the end of its last one: more than it has where views of a
  // buffer reach into each other.
  std::size_t reach(FieldId field) const { return reaches_[field.index()]; }
  std::span<double> doubles(FieldId field) const;  // of a field whose type is Double, its reach
  double param(FieldId field) const { return doubles(field)[0]; }
  std::span<const std::int32_t> map(MapId map) const { return maps_[map.index()]; }

  void clear_buffer(std::size_t buffer) { buffers_[buffer].clear(); }
  std::vector<double> read_buffer(std::size_t buffer) const;
  void write_buffer(std::size_t buffer, std::span<const double> values);

 private:
  Expected<void> allocate();

  const KernelProgram& program_;
  HostPrecision precision_;
  std::int64_t memory_limit_;
  bool is_bound_ = false;
  ProgramSizes sizes_;
  std::vector<HostAllocation> inputs_;   // by FieldId; empty for what lies in a buffer
  std::vector<HostAllocation> buffers_;  // as program.buffers
  std::vector<std::byte*> fields_;       // by FieldId
  std::vector<std::size_t> reaches_;     // by FieldId
  std::vector<std::vector<std::int32_t>> maps_;
};

}  // namespace thallo
