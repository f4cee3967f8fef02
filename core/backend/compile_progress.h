// Counts kernels for CompileOptions::progress.
#pragma once

#include <cstddef>

#include "core/backend/backend.h"

namespace thallo {

// Reports that compiling begins. Returns a callback to invoke once per compiled kernel; its
// arguments are ignored.
inline auto counting_progress(const CompileOptions& options, std::size_t total) {
  if (options.progress) options.progress(0, total);
  return [tell = options.progress, total, done = std::size_t{0}](const auto&...) mutable {
    if (tell) tell(++done, total);
  };
}

}  // namespace thallo
