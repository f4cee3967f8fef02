#include "core/kernel/bind/inverse_map.h"

namespace thallo {

std::vector<std::vector<std::int32_t>> map_values(const KernelProgram& program,
                                                  const ProgramSizes& sizes,
                                                  const Binding& binding) {
  std::vector<std::vector<std::int32_t>> values(program.maps.size());
  for (std::size_t i = 0; i < program.bound_maps().size(); ++i) values[i] = binding.map(MapId(i));
  for (const auto& [map, table] : sizes.tables().maps) values[map.index()] = table;
  for (const InverseMap& inverse : program.inverses) {
    const std::vector<DimId>& elements = program.maps[inverse.of.index()].out;
    CompressedInverse made = invert(values[inverse.of.index()], sizes.num_points(elements));
    for (const auto& [of, table] : inverse.followed) {
      const std::span<const std::int32_t> other = values[of.index()];
      const std::size_t entry = program.maps[of.index()].out.size();
      for (const std::int32_t point : made.points) {
        const auto its = other.subspan(static_cast<std::size_t>(point) * entry, entry);
        values[table.index()].insert(values[table.index()].end(), its.begin(), its.end());
      }
    }
    values[inverse.offsets.index()] = std::move(made.offsets);
    values[inverse.points.index()] = std::move(made.points);
  }
  return values;
}

}  // namespace thallo
