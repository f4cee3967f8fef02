#include "core/kernel/vector_layout.h"

#include "core/kernel/sizes.h"

namespace thallo {

ChannelPlace VectorLayout::place(FieldId field, int channel) const {
  return {.stride = scalars_per_element(field), .first = channel};
}

ChannelPlace VectorLayout::column(FieldId unknown, int channel) const {
  return {.stride = columns_per_element(unknown), .first = channel};
}

int VectorLayout::scalars_per_element(FieldId field) const {
  return program_.field(field).channels;
}

int VectorLayout::columns_per_element(FieldId unknown) const {
  return program_.field(unknown).tangent_channels();
}

std::vector<BufferView> VectorLayout::views(const BufferDecl& buffer,
                                            const ProgramSizes& sizes) const {
  std::vector<BufferView> views;
  if (buffer.flat.valid()) views.push_back({buffer.flat, 0});
  std::int64_t begin = 0;
  for (const FieldId field : buffer.fields) {
    views.push_back({field, begin});
    begin += sizes.num_scalars(field);
  }
  return views;
}

}  // namespace thallo
