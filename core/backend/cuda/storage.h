#pragma once

// The device memory of one bound instance: the energy's fields and sparse maps, and the program's
// buffers. A buffer is one allocation that holds all its views (one per unknown) as
// core/kernel/vector_layout.h lays them out.

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "core/backend/cuda/device.h"
#include "core/backend/cuda/memory.h"
#include "core/kernel/bind/sizes.h"
#include "core/kernel/program.h"
#include "core/schedule/precision.h"

namespace thallo::cuda {

class Storage {
 public:
  // Allocates all memory and uploads nothing. Fails if the device is out of memory.
  static Expected<std::unique_ptr<Storage>> allocate(const KernelProgram& program,
                                                     Precision precision, ProgramSizes sizes);

  // Sets the program's buffers to zero.
  void clear_buffers(const Stream& stream);
  void upload_field(const Binding& binding, FieldId field, const Stream& stream);  // unknown, array
  // Uploads the maps for `sizes`, whose extents must be those of sizes().
  void upload_maps(const ProgramSizes& sizes, const Binding& binding, const Stream& stream);
  void download_field(Binding& binding, FieldId field, const Stream& stream) const;

  const ProgramSizes& sizes() const { return sizes_; }
  CUdeviceptr field(FieldId id) const { return field_pointers_[id.index()]; }
  CUdeviceptr map(MapId id) const { return maps_[id.index()].pointer(); }
  CUdeviceptr state_slot(StateSlot slot) const;
  const DeviceBuffer& buffer(std::size_t buffer) const { return buffers_[buffer]; }
  ScalarType buffer_type(std::size_t buffer) const;
  std::size_t buffer_size(std::size_t buffer) const;  // scalars
  std::size_t bytes() const;                          // of all fields, maps and buffers
  // The memory that kernels may change: the unknowns and the buffers.
  std::vector<const DeviceBuffer*> changing() const;

 private:
  Storage(const KernelProgram& program, Precision precision, ProgramSizes sizes)
      : program_(program), precision_(precision), sizes_(std::move(sizes)) {}
  Expected<void> allocate_inputs();
  Expected<void> allocate_buffers();
  std::size_t num_scalars(FieldId field) const {
    return static_cast<std::size_t>(sizes_.num_scalars(field));
  }
  ScalarType type_of(FieldId field) const;

  const KernelProgram& program_;
  Precision precision_;
  ProgramSizes sizes_;
  std::vector<DeviceBuffer> fields_;  // by FieldId; empty for params and fields in a buffer
  std::vector<DeviceBuffer> maps_;
  std::vector<DeviceBuffer> buffers_;
  std::vector<CUdeviceptr> field_pointers_;  // by FieldId
};

}  // namespace thallo::cuda
