#pragma once

// Compiled kernels on disk, shared by all processes of a user. The cache may miss but never returns
// wrong bytes: an entry holds its whole key (the text and what compiled it), a version and a
// checksum, and an entry that fails a check is reported by name and compiled again. A new entry is
// written to a temporary file and then renamed, so a reader never sees half of one. An I/O error
// counts as a miss; a folder that cannot be written is reported once. When the folder exceeds its
// limit, the entries used longest ago are removed. A process looks at the size only now and then,
// so each process that stores can exceed the limit by a sixteenth.
//
// The folder is $THALLO_CACHE_DIR, else $XDG_CACHE_HOME/thallo, else ~/.cache/thallo. An empty
// THALLO_CACHE_DIR switches the cache off.

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"

namespace thallo {

struct CacheKey {
  std::string identity;  // compiler, version, options, target: everything but the text
  std::string text;      // the text to compile
  Hash128 hash() const;
};

class KernelCache {
 public:
  static constexpr std::int64_t default_max_bytes = std::int64_t{512} << 20;

  // If the path is empty, there is no cache and every look-up misses. The folder is made at the
  // first store.
  explicit KernelCache(std::filesystem::path folder, std::int64_t max_bytes = default_max_bytes)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}
  // Opens the user's cache, in the folder named above.
  static KernelCache open();

  // Returns the stored bytes; absent on a miss. find() and store() may be called from several
  // threads and processes at once.
  std::optional<std::string> find(const CacheKey& key) const;
  void store(const CacheKey& key, std::string_view bytes) const;
  // Locks a key; the lock must be held from the look-up until the store. If several threads of this
  // process miss the same key, one of them compiles and the others then find the bytes.
  static std::unique_lock<std::mutex> lock(const CacheKey& key);
  // Locks several keys, in an order that is the same for all threads. A thread that holds keys must
  // not lock others.
  static std::vector<std::unique_lock<std::mutex>> lock(std::span<const CacheKey> keys);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path path(const CacheKey& key) const;

 private:
  void trim() const;  // reads the whole folder

  std::filesystem::path folder_;
  std::int64_t max_bytes_;
};

}  // namespace thallo
