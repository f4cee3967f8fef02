#pragma once

// Compiles the C texts of kernels and loads them.
//
// Kernels that are not in the cache are compiled in groups (compile_groups.h): one text, one
// compiler process and one shared library each. A kernel has its own key in the cache
// (kernel_cache.h); its entry says which library has it, and under which prefix. The entry of a
// library is named by the hash of its bytes, so what a kernel's entry names is that library or
// nothing.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/backend/cpu/host_compiler.h"
#include "core/base/diagnostic.h"

namespace thallo {

// A shared library in memory. It is unloaded when its last owner is destroyed.
class Library {
 public:
  static Expected<std::shared_ptr<Library>> load(const std::string& bytes);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void* symbol(const std::string& name) const;  // throws InternalError if absent

 private:
  explicit Library(void* handle) : handle_(handle) {}
  void* handle_;
};

enum class AfterCompiling { Load, KeepOnDisk };

struct CompiledSource {
  std::shared_ptr<Library> library;  // null if it was only to be stored on disk
  std::string prefix;                // of the text's names in the library
  std::string key;                   // canonical key (core/kernel/emit.h), hex
  bool from_cache = false;
  double seconds = 0;  // compiling and loading; of a group's time, the share of this text's size

  void* symbol(const std::string& name) const { return library->symbol(prefix + name); }
};

// Called when the result for a text is ready. Calls may come from any of the threads, one at a
// time.
using SourceDone = std::function<void(std::size_t source, const CompiledSource& compiled)>;

// Compiles all texts and returns the results in their order. Texts with equal canonical keys are
// compiled once; groups of texts are compiled on num_threads threads in parallel (0: one per core).
// All libraries are kept on disk. If `stop` is requested, the running compilers are killed and the
// call fails. Throws as compile_library() does.
Expected<std::vector<CompiledSource>> compile_all(const HostCompiler& compiler,
                                                  std::span<const CSource> sources,
                                                  int num_threads = 0,
                                                  AfterCompiling then = AfterCompiling::Load,
                                                  const std::stop_token& stop = {},
                                                  const SourceDone& done = {});

}  // namespace thallo
