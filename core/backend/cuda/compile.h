#pragma once

// From CUDA text to machine code, with NVRTC. No driver is needed, so a machine without a GPU (CI)
// can compile every text for any architecture. No CUDA types here: `thallo print ptx` and the tests
// use this header as well.
//
// The arithmetic is IEEE apart from contraction into fused multiply-adds: no fast-math, correctly
// rounded division and square root, denormals kept.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend/kernel_cache.h"
#include "core/base/diagnostic.h"
#include "core/kernel/code.h"

namespace thallo::cuda {

struct Source {
  std::string name;  // role of the kernel: shown in messages, names the dumped file
  std::string text;
  std::string comment = {};  // lines to print above a dumped text; never compiled
};

struct Image {
  std::string bytes;  // a cubin, or PTX text
  std::string log;    // the compiler's warnings; empty when there are none
};

// Fails for a kernel whose arguments (core/kernel/arguments.h) are more than a launch passes: 32764
// bytes, or the 4096 that an NVRTC before 12.1 knows of.
Expected<void> check_arguments(const KernelProgram& program, const KernelCode& code);

// `architecture` is "sm_90"; PTX is made for its virtual twin. Fails with the compiler's log, or
// with the reason why there is no compiler.
Expected<Image> compile_to_cubin(const Source& source, std::string_view architecture);
Expected<Image> compile_to_ptx(const Source& source, std::string_view architecture);

struct CachedImage {
  std::string bytes;
  std::string key;  // canonical, hex
  bool from_cache = false;
  double seconds = 0;    // compiling or loading
  std::string warnings;  // the compiler's; none when it came from the cache
};

// Cubins of all texts, in order. Those of one canonical key are compiled once, different ones by so
// many host threads (0: all), and all of them are kept on disk (core/backend/kernel_cache.h).
// Writes NAME.cu and NAME.ptx into the folder `kernels` below THALLO_DUMP when that is set.
Expected<std::vector<CachedImage>> compile_all(std::span<const Source> sources,
                                               std::string_view architecture, int num_threads = 0);
// The same for one text that is to be compiled whatever the disk has of it, and replaces that.
Expected<CachedImage> compile_anew(const Source& source, std::string_view architecture);
// What the cubin of a text is kept under. Needs NVRTC.
CacheKey cache_key(const Source& source, std::string_view architecture);

}  // namespace thallo::cuda
