#pragma once

// The device memory of one bound instance: the energy's fields and sparse maps, and the program's
// buffers. A field may lie in memory of the program that embeds Thallo. A buffer is one allocation
// that holds all its views (one per unknown) as core/kernel/vector_layout.h lays them out.

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "core/backend/cuda/device.h"
#include "core/backend/cuda/memory.h"
#include "core/kernel/bind/sizes.h"
#include "core/kernel/memory_type.h"
#include "core/kernel/program.h"
#include "core/schedule/precision.h"

namespace thallo::cuda {

class Storage {
 public:
  // Allocates all memory, but none for fields that the binding has on a device, and uploads
  // nothing. Fails if the device is out of memory.
  static Expected<std::unique_ptr<Storage>> allocate(const KernelProgram& program,
                                                     Precision precision, ProgramSizes sizes,
                                                     const Binding& binding);

  // Sets the program's buffers to zero.
  void clear_buffers(const Stream& stream);
  // Gives an unknown or an array memory of its own unless it has some. Fails if the device is out
  // of memory.
  Expected<void> own_field(FieldId field);
  // True if kernels can work on this array where it is: it has the type of the field, its values
  // are adjacent, and vectors of them are aligned.
  bool can_use(FieldId field, const DeviceArray& array) const;
  // Lets the field be at this address, and frees its own memory.
  void use_field(FieldId field, CUdeviceptr address);
  // The following need a field with memory of its own.
  void upload_field(const Binding& binding, FieldId field, const Stream& stream);
  // Uploads the maps for `sizes`, whose extents must be those of sizes().
  void upload_maps(const ProgramSizes& sizes, const Binding& binding, const Stream& stream);
  void download_field(Binding& binding, FieldId field, const Stream& stream) const;
  DeviceArray own_array(FieldId field) const;

  const ProgramSizes& sizes() const { return sizes_; }
  CUdeviceptr field(FieldId id) const { return field_pointers_[id.index()]; }
  CUdeviceptr map(MapId id) const { return maps_[id.index()].pointer(); }
  CUdeviceptr state_slot(StateSlot slot) const;
  const DeviceBuffer& buffer(std::size_t buffer) const { return buffers_[buffer]; }
  ScalarType buffer_type(std::size_t buffer) const;
  std::size_t buffer_size(std::size_t buffer) const;  // scalars
  std::size_t bytes() const;                          // of all that was allocated here
  std::size_t map_bytes() const;                      // of all maps
  std::size_t field_bytes(FieldId field) const {
    return num_scalars(field) * size_of(type_of(field));
  }
  // The memory that kernels may change: the unknowns and the buffers.
  struct Piece {
    CUdeviceptr pointer = 0;
    std::size_t bytes = 0;
  };
  std::vector<Piece> changing() const;

 private:
  Storage(const KernelProgram& program, Precision precision, ProgramSizes sizes)
      : program_(program), precision_(precision), sizes_(std::move(sizes)) {}
  Expected<void> allocate_inputs(const Binding& binding);
  Expected<void> allocate_buffers();
  std::size_t num_scalars(FieldId field) const {
    return static_cast<std::size_t>(sizes_.num_scalars(field));
  }
  ScalarType type_of(FieldId field) const;

  const KernelProgram& program_;
  Precision precision_;
  ProgramSizes sizes_;
  std::vector<DeviceBuffer> fields_;  // by FieldId; empty for fields without memory of their own
  std::vector<DeviceBuffer> maps_;
  std::vector<DeviceBuffer> buffers_;
  std::vector<CUdeviceptr> field_pointers_;  // by FieldId
};

}  // namespace thallo::cuda
