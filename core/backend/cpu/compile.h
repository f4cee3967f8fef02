#pragma once

// Compiles C text to machine code with the compiler of this machine, which is looked for when it is
// needed: $THALLO_CC, else cc, gcc, clang. Code is made for this very processor (-march=native), so
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
  std::string version;       // the line by which it introduces itself
  std::string identity;      // version, options, processor; equal identities make equal code
  std::string architecture;  // "x86_64"
};

// Fails, in one sentence, when there is no working compiler.
Expected<HostCompiler> find_host_compiler();

// A shared library in memory, unloaded when the last owner goes.
class Library {
 public:
  static Expected<std::shared_ptr<Library>> load(const std::string& bytes);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void* symbol(const std::string& name) const;  // throws InternalError when it is absent

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
  std::shared_ptr<Library> library;  // null when it was only to be kept on disk
  std::string key;                   // canonical key (core/kernel/emit.h), hex
  bool from_cache = false;
  double seconds = 0;  // compiling and loading
};

// Told of a text when its result is there. Calls come one at a time, from any of the threads.
using SourceDone = std::function<void(std::size_t source, const CompiledSource& compiled)>;

// Compiles all texts and returns the results in their order. Texts with equal canonical keys are
// compiled once, texts with different keys on num_threads threads at a time (0: one per core). All
// libraries are kept on disk (core/backend/kernel_cache.h). The more text there is, the less the
// largest of them are optimized. When `stop` is requested, the compilers that run are killed, and
// the call fails.
Expected<std::vector<CompiledSource>> compile_all(const HostCompiler& compiler,
                                                  std::span<const CSource> sources,
                                                  int num_threads = 0,
                                                  AfterCompiling then = AfterCompiling::Load,
                                                  const std::stop_token& stop = {},
                                                  const SourceDone& done = {});

}  // namespace thallo
