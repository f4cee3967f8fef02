#pragma once

// This machine's C compiler, which is located when first needed: $THALLO_CC, else cc, gcc, clang.
// Code is generated for this very processor (-march=native), so the processor is part of the
// identity under which a library is cached.

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

struct HostCompiler {
  std::string command;       // a path
  std::string version;       // the first line of its version output
  std::string identity;      // version, options, processor; equal identities make equal code
  std::string architecture;  // "x86_64"
  int highest_level = 3;     // of optimization: $THALLO_CC_OPTIMIZATION
};

// Fails with one sentence if there is no working compiler, or no level of that name.
Expected<HostCompiler> find_host_compiler();

struct CSource {
  std::string name;  // role of the kernel, for messages
  std::string text;
};

// Chooses the optimization level, 0 to 3, of each text of a program by the texts' sizes in bytes:
// the more text there is in total, the less the largest texts are optimized.
std::vector<int> optimization_levels(const HostCompiler& compiler,
                                     std::span<const std::size_t> sizes);

// Returns the bytes of a shared library. If `stop` is requested, the running compiler is killed and
// the call fails. A compiler that could not do its work, because something else has ended it or a
// disk is full, is started again; after three attempts, DeviceError is thrown.
Expected<std::string> compile_library(const HostCompiler& compiler, const CSource& source,
                                      int level, const std::stop_token& stop);

}  // namespace thallo
