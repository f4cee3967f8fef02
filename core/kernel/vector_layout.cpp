#include "core/kernel/vector_layout.h"

#include <algorithm>
#include <functional>
#include <map>

#include "core/base/error.h"
#include "core/kernel/bind/sizes.h"

namespace thallo {

namespace {

constexpr int WidestVector = 4;

int round_up(int scalars) { return (scalars + WidestVector - 1) / WidestVector * WidestVector; }

// Returns the stride of a chunk: one that has no vector of its width has a gap.
int with_gap(int width) { return width < 3 ? width : round_up(width); }

}  // namespace

Chunk blocked_chunk(int channels, int channel) {
  const int number = channel / WidestVector;
  const int first = number * WidestVector;
  const int width = std::min(WidestVector, channels - first);
  return {.number = number, .first = first, .width = width, .stride = with_gap(width)};
}

VectorLayout::VectorLayout(const KernelProgram& program) : program_(program) {
  if (program.vector_order == VectorOrder::Plain) return;
  owners_.resize(program.fields.size());
  for (const BufferDecl& buffer : program.buffers) {
    for (std::size_t i = 0; i < buffer.fields.size(); ++i) {
      const FieldId field = buffer.fields[i];
      if (buffer.kind == BufferKind::Vector) owners_[field.index()] = program.unknowns[i];
      if (buffer.kind == BufferKind::ElementBlock) owners_[field.index()] = field;
      if (buffer.kind == BufferKind::Rounded) rounded_.insert(field);
    }
  }
}

FieldId VectorLayout::owner(FieldId field) const {
  return field.index() < owners_.size() ? owners_[field.index()] : FieldId();
}

ChannelPlace VectorLayout::place(FieldId field, int channel) const {
  const Chunk in = chunk(field, channel);
  ChannelPlace place{.stride = in.stride, .first = channel - in.first};
  if (in.number > 0) place.chunk = {owner(field), in.number};
  return place;
}

Chunk VectorLayout::chunk(FieldId field, int channel) const {
  const int channels = program_.field(field).channels;
  if (is_blocked(field)) return blocked_chunk(channels, channel);
  return {.number = 0,
          .first = 0,
          .width = channels,
          .stride = rounded_.contains(field) ? with_gap(channels) : channels};
}

ChannelPlace VectorLayout::column(FieldId unknown, int channel) const {
  return {.stride = columns_per_element(unknown), .first = channel};
}

int VectorLayout::scalars_per_element(FieldId field) const {
  const Chunk last = chunk(field, program_.field(field).channels - 1);
  return last.first + last.stride;
}

int VectorLayout::columns_per_element(FieldId unknown) const {
  return program_.field(unknown).tangent_channels();
}

bool VectorLayout::is_aligned(FieldId field, const Chunk& chunk, int width) const {
  for (const BufferDecl& buffer : program_.buffers) {
    if (std::ranges::find(buffer.fields, field) == buffer.fields.end()) continue;
    for (const PlacedChunk& before : chunks_of(buffer)) {
      if (before.field == field && before.chunk.number == chunk.number) return true;
      if (before.chunk.stride % width != 0) return false;
    }
  }
  return true;
}

std::vector<VectorLayout::PlacedChunk> VectorLayout::chunks_of(const BufferDecl& buffer) const {
  std::vector<PlacedChunk> chunks;
  bool blocked = false;
  for (const FieldId field : buffer.fields) {
    blocked = blocked || is_blocked(field);
    for (int channel = 0; channel < program_.field(field).channels;) {
      chunks.push_back({field, chunk(field, channel)});
      channel += chunks.back().chunk.width;
    }
  }
  if (blocked)
    std::ranges::stable_sort(chunks, std::greater(),
                             [](const PlacedChunk& placed) { return placed.chunk.stride; });
  return chunks;
}

std::vector<VectorLayout::PlacedChunk> VectorLayout::placed_chunks(
    const BufferDecl& buffer, const ProgramSizes& sizes) const {
  std::vector<PlacedChunk> chunks = chunks_of(buffer);
  std::int64_t begin = 0;
  for (PlacedChunk& placed : chunks) {
    placed.begin = begin;
    begin += placed.chunk.stride * sizes.num_points(program_.field(placed.field).dims);
  }
  return chunks;
}

std::vector<BufferView> VectorLayout::views(const BufferDecl& buffer,
                                            const ProgramSizes& sizes) const {
  std::vector<BufferView> views;
  if (buffer.flat.valid()) views.push_back({buffer.flat, 0, sizes.buffer_size(buffer)});
  const std::vector<PlacedChunk> chunks = placed_chunks(buffer, sizes);
  for (const FieldId field : buffer.fields) {
    BufferView view{.field = field};
    for (const PlacedChunk& placed : chunks) {
      if (placed.field != field) continue;
      if (placed.chunk.number == 0) view.begin = placed.begin;
      view.end = placed.begin + placed.chunk.stride * sizes.num_points(program_.field(field).dims);
    }
    views.push_back(view);
  }
  return views;
}

std::vector<VectorLayout::ChunkOffset> VectorLayout::chunk_offsets(
    const BufferDecl& buffer, const ProgramSizes& sizes) const {
  std::vector<ChunkOffset> offsets;
  std::map<FieldId, std::int64_t> begins;
  for (const PlacedChunk& placed : placed_chunks(buffer, sizes)) {
    if (placed.chunk.number == 0) {
      begins[placed.field] = placed.begin;
    } else {
      offsets.push_back(
          {{owner(placed.field), placed.chunk.number}, placed.begin - begins.at(placed.field)});
    }
  }
  return offsets;
}

// visit(position in the plain order, position in memory)
template <class Visit>
void VectorLayout::for_each_scalar(const BufferDecl& buffer, const ProgramSizes& sizes,
                                   Visit visit) const {
  std::map<FieldId, std::int64_t> plain_begins;
  std::int64_t plain_begin = 0;
  for (const FieldId field : buffer.fields) {
    plain_begins[field] = plain_begin;
    plain_begin += program_.field(field).channels * sizes.num_points(program_.field(field).dims);
  }
  for (const auto& [field, chunk, begin] : placed_chunks(buffer, sizes)) {
    const int channels = program_.field(field).channels;
    const std::int64_t num_elements = sizes.num_points(program_.field(field).dims);
    for (std::int64_t element = 0; element < num_elements; ++element) {
      const std::int64_t plain = plain_begins.at(field) + channels * element + chunk.first;
      for (int c = 0; c < chunk.width; ++c)
        visit(static_cast<std::size_t>(plain + c),
              static_cast<std::size_t>(begin + chunk.stride * element + c));
    }
  }
}

std::size_t VectorLayout::num_values(const BufferDecl& buffer, const ProgramSizes& sizes) const {
  std::int64_t count = 0;
  for (const FieldId field : buffer.fields)
    count += program_.field(field).channels * sizes.num_points(program_.field(field).dims);
  return static_cast<std::size_t>(count);
}

std::vector<double> VectorLayout::to_plain(const BufferDecl& buffer, const ProgramSizes& sizes,
                                           std::span<const double> memory) const {
  THALLO_ASSERT_EQ(static_cast<std::int64_t>(memory.size()), sizes.buffer_size(buffer));
  std::vector<double> values(num_values(buffer, sizes));
  for_each_scalar(buffer, sizes,
                  [&](std::size_t plain, std::size_t at) { values[plain] = memory[at]; });
  return values;
}

std::vector<double> VectorLayout::from_plain(const BufferDecl& buffer, const ProgramSizes& sizes,
                                             std::span<const double> plain) const {
  THALLO_ASSERT_EQ(plain.size(), num_values(buffer, sizes));
  std::vector<double> memory(static_cast<std::size_t>(sizes.buffer_size(buffer)));
  for_each_scalar(buffer, sizes,
                  [&](std::size_t from, std::size_t at) { memory[at] = plain[from]; });
  return memory;
}

}  // namespace thallo
