#include "core/kernel/bind/sizes.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace thallo {
namespace {

std::optional<std::int64_t> find_product(const std::vector<DimId>& dims,
                                         const std::vector<std::int64_t>& extents,
                                         std::int64_t factor) {
  std::int64_t product = factor;
  for (const DimId dim : dims) {
    if (__builtin_mul_overflow(product, extents[dim.index()], &product)) return {};
  }
  return product;
}

}  // namespace

Expected<ProgramSizes> ProgramSizes::make(const KernelProgram& program, const Binding& binding,
                                          std::int64_t memory_limit, TableContents contents) {
  ProgramSizes sizes;
  const VectorLayout layout(program);
  sizes.extents_ = binding.extents();
  sizes.offsets_.assign(program.fields.size(), 0);
  for (const FieldId unknown : program.unknowns) {
    const Field& field = program.field(unknown);
    const auto count =
        find_product(field.dims, sizes.extents_, layout.columns_per_element(unknown));
    if (!count) return fail("unknown '{}' is too large for 64-bit indices", field.name);
    sizes.offsets_[unknown.index()] = sizes.num_matrix_rows_;
    if (__builtin_add_overflow(sizes.num_unknowns_, *count, &sizes.num_unknowns_)) {
      return fail("the unknowns are too many for 64-bit indices");
    }
    if (is_kept_in_matrix(program, unknown)) sizes.num_matrix_rows_ += *count;
  }
  if (program.unknown_scalars.valid()) sizes.extents_.push_back(sizes.num_unknowns_);
  if (program.kept_scalars.valid()) sizes.extents_.push_back(sizes.num_matrix_rows_);
  THALLO_TRY(auto tables,
             make_tables(program, binding, sizes.extents_, sizes.offsets_, memory_limit, contents));
  sizes.extents_.resize(program.dims.size());
  for (const auto& [dim, extent] : tables.extents) sizes.extents_[dim.index()] = extent;
  for (const GroupedDim& grouped : program.grouped_dims) {
    const std::int64_t extent = sizes.extents_[grouped.of.index()];
    sizes.extents_[grouped.groups.index()] = (extent + grouped.size - 1) / grouped.size;
  }
  sizes.tables_ = std::make_shared<const BoundTables>(std::move(tables));

  std::int64_t largest = sizes.num_unknowns_;
  for (std::size_t i = 0; i < program.fields.size(); ++i) {
    const Field& field = program.fields[i];
    const auto count =
        find_product(field.dims, sizes.extents_, layout.scalars_per_element(FieldId(i)));
    if (!count) return fail("field '{}' is too large for 64-bit indices", field.name);
    sizes.field_sizes_.push_back(*count);
    largest = std::max(largest, *count);
  }
  for (const BufferDecl& buffer : program.buffers) {
    for (const auto& [chunk, offset] : layout.chunk_offsets(buffer, sizes))
      sizes.chunk_offsets_[chunk] = offset;
  }
  for (const SparseMap& map : program.maps) {
    const auto count =
        find_product(map.in, sizes.extents_, static_cast<std::int64_t>(map.out.size()));
    if (!count) return fail("sparse map '{}' is too large for 64-bit indices", map.name);
    sizes.map_sizes_.push_back(*count);
    largest = std::max(largest, *count);
  }
  const auto add_end = [&](MapId offsets) { ++sizes.map_sizes_[offsets.index()]; };
  for (const InverseMap& inverse : program.inverses) add_end(inverse.offsets);
  for (const CsrRows& rows : program.csr_rows) add_end(rows.offsets);
  for (const MirroredBlocks& blocks : program.mirrored_blocks) add_end(blocks.offsets);
  for (const AdditionOrder& order : program.addition_orders) {
    for (const AdditionOrder::List& list : order.lists) {
      add_end(list.begin);
      add_end(list.segments_of);
    }
  }
  const IndexTable& indices = program.graph.indices();
  for (const Kernel& kernel : program.kernels) {
    for (const Section& section : kernel.sections) {
      std::vector<DimId> dims;
      for (const DomainId domain : section.domains) dims.push_back(indices.domain(domain).dim);
      const auto count = find_product(dims, sizes.extents_, 1);
      if (!count) return fail("kernel '{}' has too many points for 64-bit indices", kernel.label);
      largest = std::max(largest, *count);
    }
  }
  sizes.index_bits_ = largest <= std::numeric_limits<std::int32_t>::max() ? 32 : 64;
  return sizes;
}

bool is_kept_in_matrix(const KernelProgram& program, FieldId unknown) {
  return !program.kept_scalars.valid() ||
         std::ranges::none_of(program.spaces, [&](const UnknownSpace& space) {
           return space.is_eliminated && space.dims == program.field(unknown).dims;
         });
}

std::int64_t ProgramSizes::num_points(const std::vector<DimId>& dims) const {
  std::int64_t count = 1;
  for (const DimId dim : dims) count *= extent(dim);
  return count;
}

std::int64_t ProgramSizes::buffer_size(const BufferDecl& buffer) const {
  std::int64_t count = 0;
  for (const FieldId field : buffer.fields) count += num_scalars(field);
  return count;
}

}  // namespace thallo
