#pragma once

// The device memory of one bound instance: the energy's fields and sparse maps, and the program's
// buffers, where a buffer's views (one per unknown) lie one after the other in one allocation. Also
// what the launches need to know about sizes: extents, offsets in the unknown vector, N.

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/backend/cuda/device.h"
#include "core/backend/cuda/memory.h"
#include "core/kernel/program.h"

namespace thallo::cuda {

class Storage {
 public:
  // Allocates for the binding's extents and sets the program's buffers to zero; uploads nothing.
  // Fails when the device is out of memory.
  static Expected<std::unique_ptr<Storage>> allocate(const KernelProgram& program,
                                                     bool double_precision, const Binding& binding,
                                                     const Stream& stream);

  // The same sizes, so that the memory can be used for this binding as well.
  bool fits(const Binding& binding) const;

  void upload_field(const Binding& binding, FieldId field, const Stream& stream);  // unknown, array
  void upload_map(const Binding& binding, MapId map, const Stream& stream);
  void download_field(Binding& binding, FieldId field, const Stream& stream) const;

  CUdeviceptr field(FieldId id) const { return field_pointers_[id.value()]; }
  CUdeviceptr map(MapId id) const { return maps_[id.value()].pointer(); }
  CUdeviceptr state_slot(StateSlot slot) const;
  const DeviceBuffer& buffer(std::size_t buffer) const { return buffers_[buffer]; }
  ScalarType buffer_type(std::size_t buffer) const;
  std::size_t buffer_size(std::size_t buffer) const;  // scalars

  std::int64_t extent(DimId dim) const { return extents_[dim.value()]; }
  std::int64_t num_points(const std::vector<DimId>& dims) const;
  std::int64_t offset(FieldId unknown) const { return offsets_[unknown.value()]; }  // scalars
  std::int64_t num_unknowns() const { return num_unknowns_; }                       // scalars
  std::size_t bytes() const;                                                        // all of it

  // 32 when every index into a field or map, and every number of points, is an int; else, and with
  // THALLO_CUDA_INDEX_BITS=64, 64.
  int index_bits() const { return index_bits_; }

 private:
  Storage(const KernelProgram& program, bool double_precision, const Binding& binding);
  std::int64_t num_scalars(FieldId field) const;
  ScalarType type_of(FieldId field) const;
  void choose_index_bits();

  const KernelProgram& program_;
  bool double_precision_;
  std::vector<std::int64_t> bound_extents_;  // as the binding gave them
  std::vector<std::int64_t> extents_;        // of the program's dims
  std::vector<std::int64_t> offsets_;        // by FieldId; -1 for what is no unknown
  std::int64_t num_unknowns_ = 0;
  int index_bits_ = 32;
  std::vector<DeviceBuffer> fields_;  // by FieldId; empty for what lies in a buffer
  std::vector<DeviceBuffer> maps_;
  std::vector<DeviceBuffer> buffers_;
  std::vector<CUdeviceptr> field_pointers_;
};

}  // namespace thallo::cuda
