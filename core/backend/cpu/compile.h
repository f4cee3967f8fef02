#pragma once

// Compiles C text to machine code with this machine's compiler, which is located when first needed:
// $THALLO_CC, else cc, gcc, clang. Code is generated for this very processor (-march=native), so
// the processor is part of the identity under which a library is cached.

#include <cstddef>
#include <functional>
#include <memory>
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
};

// Fails with one sentence if there is no working compiler.
Expected<HostCompiler> find_host_compiler();

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

struct CSource {
  std::string name;  // role of the kernel, for messages
  std::string text;
};

enum class AfterCompiling { Load, KeepOnDisk };

struct CompiledSource {
  std::shared_ptr<Library> library;  // null if it was only to be stored on disk
  std::string key;                   // canonical key (core/kernel/emit.h), hex
  bool from_cache = false;
  double seconds = 0;  // compiling and loading
};

// Called when the result for a text is ready. Calls may come from any of the threads, one at a
// time.
using SourceDone = std::function<void(std::size_t source, const CompiledSource& compiled)>;

// Compiles all texts and returns the results in their order. Texts with equal canonical keys are
// compiled once; different keys are compiled on num_threads threads in parallel (0: one per core).
// All libraries are kept on disk (core/backend/kernel_cache.h). The more text there is in total,
// the less the largest texts are optimized. If `stop` is requested, the running compilers are
// killed and the call fails.
Expected<std::vector<CompiledSource>> compile_all(const HostCompiler& compiler,
                                                  std::span<const CSource> sources,
                                                  int num_threads = 0,
                                                  AfterCompiling then = AfterCompiling::Load,
                                                  const std::stop_token& stop = {},
                                                  const SourceDone& done = {});

}  // namespace thallo
