#pragma once

// Compiles CUDA text to machine code with NVRTC. No driver is needed, so a machine without a GPU
// (CI) can compile every text for any architecture. No CUDA types here: `thallo print ptx` and the
// tests use this header as well.
//
// The arithmetic is IEEE apart from contraction into fused multiply-adds: no fast-math, correctly
// rounded division and square root, denormals kept.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
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
  std::string comment = {};  // lines to print above the text in a dump; never compiled
};

struct Image {
  std::string bytes;  // a cubin, or PTX text
  std::string log;    // the compiler's warnings; empty when there are none
};

// Fails for a kernel whose arguments (core/kernel/arguments.h) are larger than a launch can pass:
// 32764 bytes, or 4096 with an NVRTC before 12.1.
Expected<void> check_arguments(const KernelProgram& program, const KernelCode& code);

// `architecture` is for example "sm_90"; PTX is made for the virtual architecture of the same
// number ("compute_90"). Fails with the compiler's log, or with the reason why there is no
// compiler.
Expected<Image> compile_to_cubin(const Source& source, std::string_view architecture);
Expected<Image> compile_to_ptx(const Source& source, std::string_view architecture);

struct CachedImage {
  std::string bytes;
  std::string key;  // canonical key (core/kernel/emit.h), hex
  bool from_cache = false;
  double seconds = 0;    // compiling or loading
  std::string warnings;  // of the compiler; none if it came from the cache
};

// Called when the image of a text is ready. Calls may come from any of the threads, one at a time.
using ImageDone = std::function<void(std::size_t source, const CachedImage& image)>;

// Compiles all texts and returns their cubins in order. Texts with equal canonical keys are
// compiled once; different keys are compiled on num_threads host threads in parallel (0: one per
// core). All cubins are kept on disk (core/backend/kernel_cache.h). If THALLO_DUMP names a folder,
// writes NAME.cu and NAME.ptx, and NAME.log if the compiler printed anything, into its subfolder
// `kernels`. If `stop` is requested, no further text is compiled and the call fails.
Expected<std::vector<CachedImage>> compile_all(std::span<const Source> sources,
                                               std::string_view architecture, int num_threads = 0,
                                               const std::stop_token& stop = {},
                                               const ImageDone& done = {});
// Compiles one text even if it is in the cache on disk, and replaces the cached cubin.
Expected<CachedImage> compile_anew(const Source& source, std::string_view architecture);
// Returns for example "nvrtc 13.0". Needs NVRTC.
std::string nvrtc_version();
// Returns the library, without links; empty if that is not known. Needs NVRTC.
std::filesystem::path nvrtc_file();
// Returns the key under which the cubin of a text is cached. Needs NVRTC.
CacheKey cache_key(const Source& source, std::string_view architecture);

}  // namespace thallo::cuda
