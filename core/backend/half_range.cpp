#include "core/backend/half_range.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace thallo {

std::string HalfOverflow::text() const {
  return fmt::format(
      "{} of r.{} is kept in halves, which end at {:g}: {} of its {} values are beyond. In place "
      "of "
      "r.{}.{}:precision(\"half\") choose \"single\" or \"working\"",
      product, part, LargestHalf, num_beyond, num_values, part, product);
}

std::optional<HalfOverflow> find_half_overflow(Executable& executable) {
  const KernelProgram& program = executable.program();
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const BufferDecl& buffer = program.buffers[i];
    if (buffer.type != ScalarType::Half) continue;
    const std::vector<double> values = executable.read_buffer(i);
    const auto beyond = std::ranges::count_if(values, [](double x) { return !std::isfinite(x); });
    if (beyond == 0) continue;
    const std::size_t dot = buffer.name.find('.');
    return HalfOverflow{buffer.name.substr(0, dot), buffer.name.substr(dot + 1),
                        static_cast<std::int64_t>(values.size()), beyond};
  }
  return std::nullopt;
}

}  // namespace thallo
