// The data of a CudaExecutable: what bind(), upload() and download_unknowns() do.

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/backend/cuda/executable.h"
#include "core/base/error.h"
#include "core/base/log.h"

namespace thallo::cuda {
namespace {

bool wants_64_bits() {
  const char* value = std::getenv("THALLO_CUDA_INDEX_BITS");
  return value != nullptr && std::string_view(value) == "64";
}

}  // namespace

Expected<void> CudaExecutable::bind_valid(const Binding& binding) {
  device_->make_current();
  stream_.synchronize();  // replaced memory may be in use
  if (!has_tables_of(binding)) {
    if (auto done = bind_tables(binding); !done) return done;
  }
  storage_->clear_buffers(stream_);
  clear(stream_.get(), arrivals_.pointer(), arrivals_.bytes());
  params_.assign(program().fields.size(), 0.0);
  for (std::size_t i = 0; i < program().fields.size(); ++i) {
    const FieldId id(i);
    switch (program().fields[i].kind) {
      case FieldKind::Unknown:
      case FieldKind::Array:
        if (auto done = upload_field(binding, id); !done) {
          forget_memory();
          return done;
        }
        break;
      case FieldKind::Param: params_[i] = binding.param(id); break;
      case FieldKind::Intermediate:
      case FieldKind::Buffer: break;
    }
  }
  bind_steps();
  timer_.reset();
  return {};
}

bool CudaExecutable::has_tables_of(const Binding& binding) const {
  if (storage_ == nullptr || bound_extents_ != binding.extents()) return false;
  for (std::size_t i = 0; i < bound_maps_.size(); ++i)
    if (binding.shared_map(MapId(i)) != bound_maps_[i]) return false;
  return true;
}

// Allocates memory for the extents, makes the tables of indices and uploads the sparse maps.
Expected<void> CudaExecutable::bind_tables(const Binding& binding) {
  auto sizes = ProgramSizes::make(program(), binding, options_.memory_limit);
  if (!sizes) return fail(sizes.error());
  const ProgramSizes tables = *sizes;  // tables may have changed where no size did
  if (storage_ == nullptr || !storage_->sizes().have_equal_extents(*sizes)) {
    if (auto fits =
            check_memory_limit(program(), *sizes, options_.precision, options_.memory_limit);
        !fits) {
      return fits;
    }
    if (auto done = resize(std::move(*sizes), binding); !done) return done;
  }
  storage_->upload_maps(tables, binding, stream_);
  bytes_moved_ += static_cast<std::int64_t>(storage_->map_bytes());
  host_solve_ = HostSolve::make(program(), tables);
  if (auto done = bind_libraries(); !done) {
    forget_memory();
    return done;
  }
  bound_extents_ = binding.extents();
  bound_maps_.clear();
  for (std::size_t i = 0; i < program().bound_maps().size(); ++i)
    bound_maps_.push_back(binding.shared_map(MapId(i)));
  return {};
}

void CudaExecutable::forget_memory() {
  drop_graphs();
  steps_.clear();
  storage_.reset();
}

// Brings an unknown or an array to the device, or lets it be where it is there.
Expected<void> CudaExecutable::upload_field(const Binding& binding, FieldId field) {
  if (const DeviceArray* array = binding.device_array(field); array != nullptr) {
    const bool is_unknown = program().field(field).kind == FieldKind::Unknown;
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
Expected<void> CudaExecutable::copy_field(const DeviceArray& array, FieldId field) {
  if (array_kernels_ == nullptr) {
    auto kernels = ArrayKernels::load(*device_);
    if (!kernels) return fail(kernels.error());
    array_kernels_ = *std::move(kernels);
  }
  if (auto done = storage_->own_field(field); !done) return done;
  wait_for(stream_.get(), array);
  array_kernels_->copy(stream_.get(), array, storage_->own_array(field));
  return {};
}

// True if a step of the solver would change the array.
bool CudaExecutable::shares_memory_with_unknowns(const Binding& binding,
                                                 const DeviceArray& array) const {
  return std::ranges::any_of(program().unknowns, [&](FieldId unknown) {
    const DeviceArray* other = binding.device_array(unknown);
    return other != nullptr && memory_of(array).overlaps(memory_of(*other));
  });
}

// Must be called after the maps were uploaded, since they contain the patterns of matrices.
Expected<void> CudaExecutable::bind_libraries() {
  if (libraries_ == nullptr) return {};
  drop_graphs();  // they have captured pointers to the workspaces
  if (auto done = libraries_->bind(*storage_); !done) return done;
  return check_memory_limit(program(), storage_->sizes(), options_.precision, options_.memory_limit,
                            libraries_->workspace_bytes());
}

// Allocates memory and compiles code for these sizes.
Expected<void> CudaExecutable::resize(ProgramSizes sizes, const Binding& binding) {
  forget_memory();  // before the new storage, which may need it
  const int index_bits = wants_64_bits() || options_.index_bits == 64 ? 64 : sizes.index_bits();
  auto storage = Storage::allocate(program(), options_.precision, std::move(sizes), binding);
  if (!storage) return fail(storage.error());
  if (auto done = compile_variant(index_bits); !done) return done;
  if (dense_ != nullptr) {
    if (auto done = dense_->bind((*storage)->sizes().num_matrix_rows()); !done) return done;
  }
  if (multigrid_ != nullptr) {
    if (auto done = multigrid_->resize(stream_, program(), (*storage)->sizes()); !done) return done;
  }
  storage_ = std::move(*storage);
  index_bits_ = index_bits;
  return {};
}

Expected<void> CudaExecutable::upload(const Binding& binding, FieldId field) {
  THALLO_ASSERT(storage_ != nullptr, "upload before bind");
  device_->make_current();
  if (program().field(field).kind == FieldKind::Param) {
    // Params are argument words of the launches.
    if (params_[field.index()] == binding.param(field)) return {};
    params_[field.index()] = binding.param(field);
    bind_steps();
    return {};
  }
  const CUdeviceptr before = storage_->field(field);
  if (auto done = upload_field(binding, field); !done) return done;
  if (storage_->field(field) != before) bind_steps();
  return {};
}

void CudaExecutable::download_unknowns(Binding& binding) {
  THALLO_ASSERT(storage_ != nullptr, "download before bind");
  device_->make_current();
  for (const FieldId unknown : program().unknowns) {
    if (const DeviceArray* array = binding.device_array(unknown); array == nullptr) {
      storage_->download_field(binding, unknown, stream_);
      bytes_moved_ += static_cast<std::int64_t>(storage_->field_bytes(unknown));
    } else if (storage_->field(unknown) != array->address) {
      array_kernels_->copy(stream_.get(), storage_->own_array(unknown), *array);
    }
  }
  stream_.synchronize();  // other streams may read the arrays on the device
}

// Prepares all steps anew. Graphs of them stay, with the new arguments of their kernels.
void CudaExecutable::bind_steps() {
  std::map<Phase, Steps> all;
  const LaunchContext context{.program = program(),
                              .storage = *storage_,
                              .params = params_,
                              .arrivals = arrivals_.pointer(),
                              .block_size = options_.block_size,
                              .index_bits = index_bits_,
                              .precision = options_.precision,
                              .num_multiprocessors = device_->info().num_units};
  for (const auto& [phase, steps] : program().phases) {
    Steps& bound = all[phase];
    for (const Step& step : steps) {
      if (!is_launched(generated_, storage_->sizes(), step)) continue;
      if (const auto* kernel = std::get_if<LaunchKernel>(&step)) {
        bound.emplace_back(bind_launch(context, generated_.codes[kernel->kernel],
                                       variant().kernels[kernel->kernel], *kernel));
      } else if (const auto* zero = std::get_if<ClearBuffer>(&step)) {
        bound.emplace_back(bind_clear(*storage_, *zero));
      } else if (const auto* multigrid = std::get_if<RunMultigrid>(&step)) {
        bound.emplace_back(multigrid_->bind(program(), *storage_, *multigrid));
      } else if (const auto op = library_op(step)) {
        bound.emplace_back(BoundLibrary{libraries_.get(), *op, label_of(program(), *op)});
      } else if (const auto& solve = std::get<SolveDirect>(step); is_solved_on_host(solve)) {
        bound.emplace_back(BoundHostSolve{host_solve_.get(), storage_.get()});
      } else {
        bound.emplace_back(bind_dense(*storage_, *dense_, solve));
      }
    }
  }
  steps_ = std::move(all);
  marks_->bind(storage_->field(program().state));
  update_graphs();
}

}  // namespace thallo::cuda
