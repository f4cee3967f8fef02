#include "core/backend/cuda/storage.h"

#include <cstdint>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/kernel/arguments.h"
#include "core/kernel/bind/inverse_map.h"
#include "core/kernel/vector_layout.h"

namespace thallo::cuda {

Expected<std::unique_ptr<Storage>> Storage::allocate(const KernelProgram& program,
                                                     Precision precision, ProgramSizes sizes,
                                                     const Binding& binding) {
  std::unique_ptr<Storage> storage(new Storage(program, precision, std::move(sizes)));
  storage->field_pointers_.assign(program.fields.size(), 0);
  if (auto done = storage->allocate_inputs(binding); !done) return fail(done.error());
  if (auto done = storage->allocate_buffers(); !done) return fail(done.error());
  logger("cuda").debug("{}: {} unknowns, {} bytes on the device", program.name,
                       storage->sizes_.num_unknowns(), storage->bytes());
  return storage;
}

Expected<void> Storage::allocate_inputs(const Binding& binding) {
  fields_.resize(program_.fields.size());
  for (std::size_t i = 0; i < program_.fields.size(); ++i) {
    const Field& field = program_.fields[i];
    // Params are passed as argument words; other kinds of fields are in buffers or not stored at
    // all.
    if (field.kind != FieldKind::Unknown && field.kind != FieldKind::Array) continue;
    const FieldId id(i);
    if (binding.device_array(id) != nullptr) continue;
    if (auto done = own_field(id); !done) return done;
  }
  for (std::size_t i = 0; i < program_.maps.size(); ++i) {
    const auto count = static_cast<std::size_t>(sizes_.num_entries(MapId(i)));
    THALLO_TRY(auto memory, DeviceBuffer::allocate(count * sizeof(std::int32_t),
                                                   fmt::format("map '{}'", program_.maps[i].name)));
    maps_.push_back(std::move(memory));
  }
  return {};
}

Expected<void> Storage::allocate_buffers() {
  for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
    const BufferDecl& decl = program_.buffers[i];
    const std::size_t scalar = size_of(buffer_type(i));
    THALLO_TRY(auto memory, DeviceBuffer::allocate(buffer_size(i) * scalar,
                                                   fmt::format("buffer '{}'", decl.name)));
    for (const BufferView& view : VectorLayout(program_).views(decl, sizes_)) {
      field_pointers_[view.field.index()] =
          memory.pointer() + static_cast<std::size_t>(view.begin) * scalar;
    }
    buffers_.push_back(std::move(memory));
  }
  return {};
}

void Storage::clear_buffers(const Stream& stream) {
  for (const DeviceBuffer& buffer : buffers_) clear(stream.get(), buffer.pointer(), buffer.bytes());
}

Expected<void> Storage::own_field(FieldId field) {
  DeviceBuffer& memory = fields_[field.index()];
  if (memory.bytes() == 0) {
    THALLO_TRY(memory,
               DeviceBuffer::allocate(field_bytes(field),
                                      fmt::format("field '{}'", program_.field(field).name)));
  }
  field_pointers_[field.index()] = memory.pointer();
  return {};
}

bool Storage::can_use(FieldId field, const DeviceArray& array) const {
  constexpr std::uintptr_t VectorBytes = 16;
  return array.type == type_of(field) && array.is_dense() && array.address % VectorBytes == 0;
}

void Storage::use_field(FieldId field, CUdeviceptr address) {
  fields_[field.index()] = {};
  field_pointers_[field.index()] = address;
}

void Storage::upload_field(const Binding& binding, FieldId field, const Stream& stream) {
  THALLO_ASSERT_EQ(binding.field(field).size(), num_scalars(field));
  upload(stream.get(), this->field(field), type_of(field), binding.field(field));
}

void Storage::upload_maps(const ProgramSizes& sizes, const Binding& binding, const Stream& stream) {
  const std::vector<std::vector<std::int32_t>> values = map_values(program_, sizes, binding);
  for (std::size_t i = 0; i < values.size(); ++i) {
    THALLO_ASSERT_EQ(values[i].size() * sizeof(std::int32_t), maps_[i].bytes());
    upload_bytes(stream.get(), map(MapId(i)), std::as_bytes(std::span(values[i])));
  }
  stream.synchronize();  // before `values` is destroyed
}

void Storage::download_field(Binding& binding, FieldId field, const Stream& stream) const {
  THALLO_ASSERT_EQ(binding.field(field).size(), num_scalars(field));
  download(stream.get(), this->field(field), type_of(field), binding.field(field));
}

DeviceArray Storage::own_array(FieldId field) const {
  return DeviceArray::dense(this->field(field), type_of(field), {sizes_.num_scalars(field)});
}

CUdeviceptr Storage::state_slot(StateSlot slot) const {
  return field(program_.state) + static_cast<std::size_t>(slot) * sizeof(double);
}

ScalarType Storage::type_of(FieldId field) const {
  return memory_type(program_, field, precision_);
}

// All views of a buffer have the same type.
ScalarType Storage::buffer_type(std::size_t buffer) const {
  return type_of(program_.buffers[buffer].fields.front());
}

std::size_t Storage::buffer_size(std::size_t buffer) const {
  return static_cast<std::size_t>(sizes_.buffer_size(program_.buffers[buffer]));
}

std::vector<Storage::Piece> Storage::changing() const {
  std::vector<Piece> pieces;
  for (const FieldId unknown : program_.unknowns)
    pieces.push_back({field(unknown), field_bytes(unknown)});
  for (const DeviceBuffer& buffer : buffers_) pieces.push_back({buffer.pointer(), buffer.bytes()});
  return pieces;
}

std::size_t Storage::map_bytes() const {
  std::size_t total = 0;
  for (const DeviceBuffer& map : maps_) total += map.bytes();
  return total;
}

std::size_t Storage::bytes() const {
  std::size_t total = 0;
  for (const auto* list : {&fields_, &maps_, &buffers_}) {
    for (const DeviceBuffer& buffer : *list) total += buffer.bytes();
  }
  return total;
}

}  // namespace thallo::cuda
