#pragma once

// From C text to machine code, with the compiler of this machine, which is looked for when it is
// needed: $THALLO_CC, else cc, gcc, clang. Code is made for this very processor (-march=native), so
// the processor is part of what identifies a cached library.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

struct HostCompiler {
  std::string command;       // a path
  std::string identity;      // version line, options and processor: equal identities, equal code
  std::string architecture;  // "x86_64"
};

// Fails, in one sentence, when there is none.
Expected<HostCompiler> find_host_compiler();

// A shared library in memory, unloaded when the last owner goes.
class Library {
 public:
  static Expected<std::shared_ptr<Library>> load(const std::string& bytes);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void* symbol(const std::string& name) const;  // an InternalError when it is absent

 private:
  explicit Library(void* handle) : handle_(handle) {}
  void* handle_;
};

struct CSource {
  std::string name;  // role of the kernel, for messages
  std::string text;
};

struct CompiledSource {
  std::shared_ptr<Library> library;
  std::string key;  // canonical, hex
  bool from_cache = false;
  double seconds = 0;  // compiling and loading
};

// All texts, in order. Those of one canonical key are compiled once, different ones by so many
// threads (0: all), and all of them are kept on disk (core/backend/kernel_cache.h).
Expected<std::vector<CompiledSource>> compile_all(const HostCompiler& compiler,
                                                  std::span<const CSource> sources,
                                                  int num_threads = 0);

}  // namespace thallo
