#pragma once

// The data of a bound instance: unknowns, arrays and params, on the host or on the device already.
// An array that is on the device is used in its place (Storage::can_use), or copied if kernels
// cannot read it so.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/backend/cuda/array_kernels.h"
#include "core/backend/cuda/device.h"
#include "core/backend/cuda/storage.h"
#include "core/kernel/program.h"

namespace thallo::cuda {

class InstanceData {
 public:
  // All arguments must outlive it.
  InstanceData(const Device& device, const Stream& stream, const KernelProgram& program)
      : device_(device), stream_(stream), program_(program) {}

  // Null before the first resize and after forget().
  Storage* storage() const { return storage_.get(); }
  void resize(std::unique_ptr<Storage> storage) { storage_ = std::move(storage); }
  void forget() { storage_.reset(); }
  const std::vector<double>& params() const { return params_; }  // by FieldId
  std::int64_t bytes_moved() const { return bytes_moved_; }

  // True if the tables are those of the binding's extents and maps.
  bool has_tables_of(const Binding& binding) const;
  // Uploads the maps for these sizes, whose extents are those of the storage.
  void upload_tables(const ProgramSizes& sizes, const Binding& binding);
  // To be called once the tables are complete.
  void remember_tables(const Binding& binding);
  Expected<void> upload_all(const Binding& binding);
  // Returns true if launches have to be bound anew, which have params and places of fields.
  Expected<bool> upload(const Binding& binding, FieldId field);
  void download_unknowns(Binding& binding);
  // As Executable's: in the order of the program's fields, whatever the layout of vectors.
  std::vector<double> read_buffer(std::size_t buffer) const;
  void write_buffer(std::size_t buffer, const std::vector<double>& values);

 private:
  Expected<void> upload_field(const Binding& binding, FieldId field);
  Expected<void> copy_field(const DeviceArray& array, FieldId field);
  bool shares_memory_with_unknowns(const Binding& binding, const DeviceArray& array) const;

  const Device& device_;
  const Stream& stream_;
  const KernelProgram& program_;
  std::unique_ptr<Storage> storage_;
  std::vector<double> params_;
  // What the tables in the storage were made for.
  std::vector<std::int64_t> bound_extents_;
  std::vector<Binding::MapValues> bound_maps_;
  std::unique_ptr<const ArrayKernels> array_kernels_;  // null until an array is copied
  std::int64_t bytes_moved_ = 0;
};

}  // namespace thallo::cuda
