#pragma once

// Compiled kernels on disk, shared by all processes of a user. A cache may miss, never lie: an
// entry holds the whole key (what was compiled, by what), a version and a checksum, and what does
// not check out is refused by name and recompiled. Entries appear at once (written beside, then
// renamed), so a reader never sees half of one. An I/O error is a miss; a folder that cannot be
// written is said once. When the folder outgrows its limit (by a sixteenth for each process that
// stores), the entries used longest ago go.
//
//   $THALLO_CACHE_DIR, else $XDG_CACHE_HOME/thallo, else ~/.cache/thallo; THALLO_CACHE_DIR="" = off

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/hash.h"

namespace thallo {

struct CacheKey {
  std::string identity;  // compiler, version, options, target: everything but the text
  std::string text;      // what is compiled
  Hash128 hash() const;
};

class KernelCache {
 public:
  static constexpr std::int64_t default_max_bytes = std::int64_t{512} << 20;

  // An empty folder: no cache, every look-up misses. The folder is made on the first store.
  explicit KernelCache(std::filesystem::path folder, std::int64_t max_bytes = default_max_bytes)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}
  // The user's.
  static KernelCache open();

  // The stored bytes. Safe from several threads and processes.
  std::optional<std::string> find(const CacheKey& key) const;
  void store(const CacheKey& key, std::string_view bytes) const;
  // To be held from the look-up to the store, so that of the threads of this process that miss the
  // same key one makes the bytes and the others find them.
  static std::unique_lock<std::mutex> lock(const CacheKey& key);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path path(const CacheKey& key) const;

 private:
  void trim() const;  // looks at every entry

  std::filesystem::path folder_;
  std::int64_t max_bytes_;
};

}  // namespace thallo
