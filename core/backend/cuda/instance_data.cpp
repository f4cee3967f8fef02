#include "core/backend/cuda/instance_data.h"

#include <algorithm>
#include <utility>

#include "core/kernel/vector_layout.h"

namespace thallo::cuda {

bool InstanceData::has_tables_of(const Binding& binding) const {
  if (storage_ == nullptr || bound_extents_ != binding.extents()) return false;
  for (std::size_t i = 0; i < bound_maps_.size(); ++i)
    if (binding.shared_map(MapId(i)) != bound_maps_[i]) return false;
  return true;
}

void InstanceData::upload_tables(const ProgramSizes& sizes, const Binding& binding) {
  storage_->upload_maps(sizes, binding, stream_);
  bytes_moved_ += static_cast<std::int64_t>(storage_->map_bytes());
}

void InstanceData::remember_tables(const Binding& binding) {
  bound_extents_ = binding.extents();
  bound_maps_.clear();
  for (std::size_t i = 0; i < program_.bound_maps().size(); ++i)
    bound_maps_.push_back(binding.shared_map(MapId(i)));
}

Expected<void> InstanceData::upload_all(const Binding& binding) {
  params_.assign(program_.fields.size(), 0.0);
  for (std::size_t i = 0; i < program_.fields.size(); ++i) {
    switch (program_.fields[i].kind) {
      case FieldKind::Unknown:
      case FieldKind::Array:
        if (auto done = upload_field(binding, FieldId(i)); !done) return done;
        break;
      case FieldKind::Param: params_[i] = binding.param(FieldId(i)); break;
      case FieldKind::Intermediate:
      case FieldKind::Buffer: break;
    }
  }
  return {};
}

Expected<bool> InstanceData::upload(const Binding& binding, FieldId field) {
  if (program_.field(field).kind == FieldKind::Param) {
    // Params are argument words of the launches.
    return std::exchange(params_[field.index()], binding.param(field)) != binding.param(field);
  }
  const CUdeviceptr before = storage_->field(field);
  if (auto done = upload_field(binding, field); !done) return fail(done.error());
  return storage_->field(field) != before;
}

// Brings an unknown or an array to the device, or lets it be where it is there.
Expected<void> InstanceData::upload_field(const Binding& binding, FieldId field) {
  if (const DeviceArray* array = binding.device_array(field); array != nullptr) {
    const bool is_unknown = program_.field(field).kind == FieldKind::Unknown;
    if (!storage_->can_use(field, *array) ||
        (!is_unknown && shares_memory_with_unknowns(binding, *array)))
      return copy_field(*array, field);
    wait_for(stream_.get(), *array);
    storage_->use_field(field, array->address);
    return {};
  }
  if (auto done = storage_->own_field(field); !done) return done;
  storage_->upload_field(binding, field, stream_);
  bytes_moved_ += static_cast<std::int64_t>(storage_->field_bytes(field));
  return {};
}

// Copies an array on the device into memory that kernels can read.
Expected<void> InstanceData::copy_field(const DeviceArray& array, FieldId field) {
  if (array_kernels_ == nullptr) {
    THALLO_TRY(array_kernels_, ArrayKernels::load(device_));
  }
  if (auto done = storage_->own_field(field); !done) return done;
  wait_for(stream_.get(), array);
  array_kernels_->copy(stream_.get(), array, storage_->own_array(field));
  return {};
}

// True if a step of the solver would change the array.
bool InstanceData::shares_memory_with_unknowns(const Binding& binding,
                                               const DeviceArray& array) const {
  return std::ranges::any_of(program_.unknowns, [&](FieldId unknown) {
    const DeviceArray* other = binding.device_array(unknown);
    return other != nullptr && memory_of(array).overlaps(memory_of(*other));
  });
}

void InstanceData::download_unknowns(Binding& binding) {
  for (const FieldId unknown : program_.unknowns) {
    if (const DeviceArray* array = binding.device_array(unknown); array == nullptr) {
      storage_->download_field(binding, unknown, stream_);
      bytes_moved_ += static_cast<std::int64_t>(storage_->field_bytes(unknown));
    } else if (storage_->field(unknown) != array->address) {
      array_kernels_->copy(stream_.get(), storage_->own_array(unknown), *array);
    }
  }
  stream_.synchronize();  // other streams may read the arrays on the device
}

std::vector<double> InstanceData::read_buffer(std::size_t buffer) const {
  return VectorLayout(program_).to_plain(
      program_.buffers[buffer], storage_->sizes(),
      download(stream_.get(), storage_->buffer(buffer).pointer(), storage_->buffer_type(buffer),
               storage_->buffer_size(buffer)));
}

void InstanceData::write_buffer(std::size_t buffer, const std::vector<double>& values) {
  cuda::upload(stream_.get(), storage_->buffer(buffer).pointer(), storage_->buffer_type(buffer),
               std::span<const double>(VectorLayout(program_).from_plain(
                   program_.buffers[buffer], storage_->sizes(), values)));
}

}  // namespace thallo::cuda
