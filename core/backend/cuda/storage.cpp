#include "core/backend/cuda/storage.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/kernel/arguments.h"

namespace thallo::cuda {
namespace {

// Threads that stride over points step past the last one by at most the size of a grid.
constexpr std::int64_t MaxInt32Index =
    std::numeric_limits<std::int32_t>::max() - (std::int64_t{1} << 22);

// Others lie in a buffer, are words of the launches, or are not stored at all.
bool has_own_memory(const Field& field) {
  return field.kind == FieldKind::Unknown || field.kind == FieldKind::Array;
}

bool wants_64_bits() {
  const char* value = std::getenv("THALLO_CUDA_INDEX_BITS");
  return value != nullptr && std::string_view(value) == "64";
}

}  // namespace

Storage::Storage(const KernelProgram& program, bool double_precision, const Binding& binding)
    : program_(program),
      double_precision_(double_precision),
      bound_extents_(binding.extents()),
      extents_(binding.extents()) {
  offsets_.assign(program.fields.size(), -1);
  for (const FieldId unknown : program.unknowns) {
    offsets_[unknown.value()] = num_unknowns_;
    num_unknowns_ += num_scalars(unknown);
  }
  // The program's own dim comes after the energy's.
  extents_.resize(program.dims.size(), num_unknowns_);
  choose_index_bits();
}

Expected<std::unique_ptr<Storage>> Storage::allocate(const KernelProgram& program,
                                                     bool double_precision, const Binding& binding,
                                                     const Stream& stream) {
  std::unique_ptr<Storage> storage(new Storage(program, double_precision, binding));
  storage->field_pointers_.assign(program.fields.size(), 0);
  storage->fields_.resize(program.fields.size());
  for (std::size_t i = 0; i < program.fields.size(); ++i) {
    const Field& field = program.fields[i];
    if (!has_own_memory(field)) continue;
    const FieldId id(i);
    const auto count = static_cast<std::size_t>(storage->num_scalars(id));
    auto memory = DeviceBuffer::allocate(count * size_of(storage->type_of(id)),
                                         fmt::format("field '{}'", field.name));
    if (!memory) return fail(memory.error());
    storage->fields_[i] = std::move(*memory);
    storage->field_pointers_[i] = storage->fields_[i].pointer();
  }
  for (std::size_t i = 0; i < program.maps.size(); ++i) {
    auto memory = DeviceBuffer::allocate(binding.map(MapId(i)).size() * sizeof(std::int32_t),
                                         fmt::format("map '{}'", program.maps[i].name));
    if (!memory) return fail(memory.error());
    storage->maps_.push_back(std::move(*memory));
  }
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const BufferDecl& decl = program.buffers[i];
    const std::size_t scalar = size_of(storage->buffer_type(i));
    const std::size_t bytes = storage->buffer_size(i) * scalar;
    auto memory = DeviceBuffer::allocate(bytes, fmt::format("buffer '{}'", decl.name));
    if (!memory) return fail(memory.error());
    clear(stream.get(), memory->pointer(), bytes);
    CUdeviceptr view = memory->pointer();
    if (decl.flat.valid()) storage->field_pointers_[decl.flat.value()] = view;
    for (const FieldId field : decl.fields) {
      storage->field_pointers_[field.value()] = view;
      view += static_cast<std::size_t>(storage->num_scalars(field)) * scalar;
    }
    storage->buffers_.push_back(std::move(*memory));
  }
  logger("cuda").debug("{}: {} unknowns, {} bytes on the device, {}-bit indices", program.name,
                       storage->num_unknowns_, storage->bytes(), storage->index_bits_);
  return storage;
}

bool Storage::fits(const Binding& binding) const { return binding.extents() == bound_extents_; }

void Storage::upload_field(const Binding& binding, FieldId field, const Stream& stream) {
  const auto expected = static_cast<std::size_t>(num_scalars(field));
  THALLO_ASSERT_EQ(binding.field(field).size(), expected);
  upload(stream.get(), this->field(field), type_of(field), binding.field(field));
}

void Storage::upload_map(const Binding& binding, MapId map, const Stream& stream) {
  const std::vector<std::int32_t>& values = binding.map(map);
  THALLO_ASSERT_EQ(values.size() * sizeof(std::int32_t), maps_[map.value()].bytes());
  upload_bytes(stream.get(), this->map(map), std::as_bytes(std::span(values)));
}

void Storage::download_field(Binding& binding, FieldId field, const Stream& stream) const {
  THALLO_ASSERT_EQ(binding.field(field).size(), static_cast<std::size_t>(num_scalars(field)));
  download(stream.get(), this->field(field), type_of(field), binding.field(field));
}

CUdeviceptr Storage::state_slot(StateSlot slot) const {
  return field(program_.state) + static_cast<std::size_t>(slot) * sizeof(double);
}

ScalarType Storage::type_of(FieldId field) const {
  return memory_type(program_, field, double_precision_);
}

// The views say the type (a mask is bytes), all the same one.
ScalarType Storage::buffer_type(std::size_t buffer) const {
  return type_of(program_.buffers[buffer].fields.front());
}

std::size_t Storage::buffer_size(std::size_t buffer) const {
  std::int64_t size = 0;
  for (const FieldId field : program_.buffers[buffer].fields) size += num_scalars(field);
  return static_cast<std::size_t>(size);
}

std::int64_t Storage::num_points(const std::vector<DimId>& dims) const {
  std::int64_t count = 1;
  for (const DimId dim : dims) count *= extent(dim);
  return count;
}

std::int64_t Storage::num_scalars(FieldId field) const {
  const Field& f = program_.field(field);
  return num_points(f.dims) * f.channels;
}

std::size_t Storage::bytes() const {
  std::size_t total = 0;
  for (const auto* list : {&fields_, &maps_, &buffers_}) {
    for (const DeviceBuffer& buffer : *list) total += buffer.bytes();
  }
  return total;
}

void Storage::choose_index_bits() {
  std::int64_t largest = num_unknowns_;
  const auto count_field = [&](FieldId field) { largest = std::max(largest, num_scalars(field)); };
  for (std::size_t i = 0; i < program_.fields.size(); ++i) {
    if (has_own_memory(program_.fields[i])) count_field(FieldId(i));
  }
  for (const BufferDecl& buffer : program_.buffers) {
    for (const FieldId field : buffer.fields) count_field(field);
  }
  for (const SparseMap& map : program_.maps) {
    largest = std::max(largest, num_points(map.in) * static_cast<std::int64_t>(map.out.size()));
  }
  const IndexTable& indices = program_.graph.indices();
  for (const Kernel& kernel : program_.kernels) {
    for (const Section& section : kernel.sections) {
      std::vector<DimId> dims;
      for (const DomainId domain : section.domains) dims.push_back(indices.domain(domain).dim);
      largest = std::max(largest, num_points(dims));
    }
  }
  index_bits_ = largest > MaxInt32Index || wants_64_bits() ? 64 : 32;
}

}  // namespace thallo::cuda
