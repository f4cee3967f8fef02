#include "core/backend/memory_limit.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/bytes_text.h"
#include "core/kernel/bind/program_bytes.h"

namespace thallo {

Expected<void> check_memory_limit(const KernelProgram& program, const ProgramSizes& sizes,
                                  Precision precision, std::int64_t limit,
                                  std::int64_t workspaces) {
  const std::vector<StoredBuffer> stored = stored_products(program, sizes, precision);
  const double total = total_bytes(stored) + static_cast<double>(workspaces);
  if (total <= static_cast<double>(limit)) return {};
  std::string parts = largest_text(stored);
  if (workspaces > 0) {
    parts +=
        fmt::format(", workspaces of libraries {}", bytes_text(static_cast<double>(workspaces)));
  }
  return fail("what this schedule stores takes {} ({}), the memory limit is {}", bytes_text(total),
              parts, bytes_text(static_cast<double>(limit)));
}

}  // namespace thallo
