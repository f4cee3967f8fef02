#include "core/backend/memory_limit.h"

#include <string>

#include <fmt/format.h>

#include "core/base/bytes_text.h"
#include "core/kernel/arguments.h"
#include "core/kernel/memory_type.h"

namespace thallo {

Expected<void> check_memory_limit(const KernelProgram& program, const ProgramSizes& sizes,
                                  Precision precision, std::int64_t limit,
                                  std::int64_t workspaces) {
  auto total = static_cast<double>(workspaces);  // numbers near 2^63 must not overflow
  double largest = 0;
  std::string name;
  for (const BufferDecl& buffer : program.buffers) {
    if (buffer.kind != BufferKind::Product && buffer.kind != BufferKind::Matrix) continue;
    double bytes = 0;
    for (const FieldId field : buffer.fields) {
      bytes += static_cast<double>(sizes.num_scalars(field)) *
               static_cast<double>(size_of(memory_type(program, field, precision)));
    }
    total += bytes;
    if (bytes <= largest) continue;
    largest = bytes;
    name = buffer.name;
  }
  if (total <= static_cast<double>(limit)) return {};
  std::string parts = fmt::format("{} of it {}", name, bytes_text(largest));
  if (workspaces > 0) {
    parts +=
        fmt::format(", workspaces of libraries {}", bytes_text(static_cast<double>(workspaces)));
  }
  return fail("what this schedule stores takes {} ({}), the memory limit is {}", bytes_text(total),
              parts, bytes_text(static_cast<double>(limit)));
}

}  // namespace thallo
