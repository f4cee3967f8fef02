#include "core/kernel/bind/program_bytes.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "core/base/bytes_text.h"
#include "core/base/error.h"
#include "core/kernel/memory_type.h"

namespace thallo {
namespace {

double map_bytes(const ProgramSizes& sizes, std::size_t map) {
  return static_cast<double>(sizes.num_entries(MapId(map))) * double{sizeof(std::int32_t)};
}

double field_bytes(const KernelProgram& program, const ProgramSizes& sizes, Precision precision,
                   FieldId field) {
  return static_cast<double>(sizes.num_scalars(field)) *
         static_cast<double>(size_of(memory_type(program, field, precision)));
}

double buffer_bytes(const KernelProgram& program, const ProgramSizes& sizes, Precision precision,
                    const BufferDecl& buffer) {
  double bytes = 0;
  for (const FieldId field : buffer.fields) bytes += field_bytes(program, sizes, precision, field);
  return bytes;
}

}  // namespace

std::vector<StoredBuffer> stored_products(const KernelProgram& program, const ProgramSizes& sizes,
                                          Precision precision) {
  std::vector<StoredBuffer> stored;
  for (const BufferDecl& buffer : program.buffers) {
    if (buffer.kind == BufferKind::Product || buffer.kind == BufferKind::Matrix)
      stored.push_back({buffer.name, buffer_bytes(program, sizes, precision, buffer)});
  }
  return stored;
}

std::vector<StoredBuffer> program_buffers(const KernelProgram& program, const ProgramSizes& sizes,
                                          Precision precision) {
  std::vector<StoredBuffer> buffers;
  for (const BufferDecl& buffer : program.buffers)
    buffers.push_back({buffer.name, buffer_bytes(program, sizes, precision, buffer)});
  for (std::size_t i = program.bound_maps().size(); i < program.maps.size(); ++i)
    buffers.push_back({program.maps[i].name, map_bytes(sizes, i)});
  return buffers;
}

double total_bytes(const std::vector<StoredBuffer>& buffers) {
  double total = 0;
  for (const StoredBuffer& buffer : buffers) total += buffer.bytes;
  return total;
}

std::string largest_text(const std::vector<StoredBuffer>& buffers) {
  THALLO_ASSERT(!buffers.empty());
  const StoredBuffer& largest = *std::ranges::max_element(buffers, {}, &StoredBuffer::bytes);
  return fmt::format("{} of it {}", largest.name, bytes_text(largest.bytes));
}

double program_bytes(const KernelProgram& program, const ProgramSizes& sizes, Precision precision) {
  double total = 0;
  for (std::size_t i = 0; i < program.fields.size(); ++i) {
    const FieldKind kind = program.fields[i].kind;
    if (kind == FieldKind::Unknown || kind == FieldKind::Array)
      total += field_bytes(program, sizes, precision, FieldId(i));
  }
  for (std::size_t i = 0; i < program.maps.size(); ++i) total += map_bytes(sizes, i);
  for (const BufferDecl& buffer : program.buffers)
    total += buffer_bytes(program, sizes, precision, buffer);
  return total;
}

}  // namespace thallo
