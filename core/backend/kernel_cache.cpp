#include "core/backend/kernel_cache.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/log.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> Magic = {'t', 'h', 'a', 'l', 'l', 'o', 'k', 'c'};
constexpr std::uint64_t FormatVersion = 1;
constexpr std::string_view Extension = ".kernel";

// An entry consists of this header, the key's identity, the key's text and the compiled bytes.
struct Header {
  std::array<char, 8> magic = Magic;
  std::uint64_t version = FormatVersion;
  std::uint64_t identity_size = 0;
  std::uint64_t text_size = 0;
  std::uint64_t bytes_size = 0;
  Hash128 checksum;  // of everything after the header
};
static_assert(sizeof(Header) == 56);

std::optional<std::string> read_entry(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return {};
  return content;
}

void refuse(const fs::path& path, std::string_view reason) {
  logger("cache").warn("{} refused: {}; recompiling", path.string(), reason);
}

void say_once(const fs::path& folder, const std::string& what) {
  static std::mutex mutex;
  static std::set<fs::path> said;
  const std::scoped_lock lock(mutex);
  if (said.insert(folder).second) {
    logger("cache").warn("compiled kernels are not kept: {}", what);
  }
}

// Walking a folder looks at every entry, and a search over schedules stores thousands of them. So a
// process walks a folder at its first store, and again after storing every `between_walks` bytes.
bool walk_is_due(const fs::path& folder, std::int64_t stored, std::int64_t between_walks) {
  static std::mutex mutex;
  static std::map<fs::path, std::int64_t> stored_since_walk;
  const std::scoped_lock lock(mutex);
  const auto [it, is_first] = stored_since_walk.try_emplace(folder, 0);
  it->second += stored;
  if (!is_first && it->second < between_walks) return false;
  it->second = 0;
  return true;
}

}  // namespace

Hash128 CacheKey::hash() const { return Hasher().update(identity).update(text).finish(); }

KernelCache KernelCache::open() {
  if (const char* folder = std::getenv("THALLO_CACHE_DIR")) return KernelCache(folder);
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder != '\0') {
    return KernelCache(fs::path(folder) / "thallo");
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return KernelCache(fs::path(home) / ".cache" / "thallo");
  }
  return KernelCache({});
}

fs::path KernelCache::path(const CacheKey& key) const {
  return folder_ / (key.hash().hex() + std::string(Extension));
}

std::optional<std::string> KernelCache::find(const CacheKey& key) const {
  if (folder_.empty()) return {};
  const fs::path file = path(key);
  std::error_code error;
  if (const auto kind = fs::status(file, error); !fs::is_regular_file(kind)) {
    if (fs::exists(kind)) refuse(file, "a folder or a device");
    return {};
  }
  const auto content = read_entry(file);
  if (!content) return {};
  Header header;
  if (content->size() < sizeof(header)) {
    refuse(file, "truncated");
    return {};
  }
  std::memcpy(&header, content->data(), sizeof(header));
  const auto rest = std::string_view(*content).substr(sizeof(header));
  if (header.magic != Magic) {
    refuse(file, "not a cache entry");
  } else if (header.version != FormatVersion) {
    refuse(file, fmt::format("version {}, this is {}", header.version, FormatVersion));
  } else if (header.identity_size > rest.size() || header.text_size > rest.size() ||
             header.bytes_size > rest.size() ||
             header.identity_size + header.text_size + header.bytes_size != rest.size()) {
    refuse(file, "truncated");
  } else if (header.checksum != hash_text(rest)) {
    refuse(file, "checksum mismatch");
  } else if (rest.substr(0, header.identity_size) != key.identity ||
             rest.substr(header.identity_size, header.text_size) != key.text) {
    refuse(file, "hash collision");
  } else {
    // Marks the entry as used now, since trim() removes the least recently used ones.
    std::error_code ignored;
    fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
    return std::string(rest.substr(header.identity_size + header.text_size));
  }
  return {};
}

void KernelCache::store(const CacheKey& key, std::string_view bytes) const {
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    say_once(folder_, fmt::format("{} cannot be made ({})", folder_.string(), error.message()));
    return;
  }
  const std::string content = key.identity + key.text + std::string(bytes);
  Header header;
  header.identity_size = key.identity.size();
  header.text_size = key.text.size();
  header.bytes_size = bytes.size();
  header.checksum = hash_text(content);

  static std::atomic<int> serial = 0;
  const fs::path target = path(key);
  const fs::path beside =
      folder_ / fmt::format("{}.{}.{}.tmp", target.stem().string(), getpid(), serial++);
  {
    std::ofstream file(beside, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&header), sizeof(header));
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) {
      say_once(folder_, fmt::format("{} cannot be written", folder_.string()));
      fs::remove(beside, error);
      return;
    }
  }
  fs::rename(beside, target, error);
  if (error) {
    say_once(folder_, fmt::format("{} cannot be written ({})", target.string(), error.message()));
    fs::remove(beside, error);
    return;
  }
  if (walk_is_due(folder_, static_cast<std::int64_t>(content.size()), max_bytes_ / 16)) trim();
}

std::unique_lock<std::mutex> KernelCache::lock(const CacheKey& key) {
  return std::move(lock(std::span(&key, 1)).front());
}

std::vector<std::unique_lock<std::mutex>> KernelCache::lock(std::span<const CacheKey> keys) {
  // Two keys may share a mutex and then wait for each other, which is cheaper than a table of keys.
  static std::array<std::mutex, 1024> mutexes;
  std::set<std::size_t> slots;
  for (const CacheKey& key : keys) slots.insert(key.hash().low % mutexes.size());
  std::vector<std::unique_lock<std::mutex>> locks;
  for (const std::size_t slot : slots) locks.emplace_back(mutexes[slot]);
  return locks;
}

void KernelCache::trim() const {
  struct Entry {
    fs::path path;
    fs::file_time_type used;
    std::int64_t bytes = 0;
  };
  std::vector<Entry> entries;
  std::int64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;  // set when another process has removed the entry
    if (it->path().extension() == ".tmp" &&
        fs::file_time_type::clock::now() - it->last_write_time(gone) > std::chrono::hours(1)) {
      fs::remove(it->path(), gone);  // left by a process that was killed
    }
    if (it->path().extension() != Extension) continue;
    Entry entry{it->path(), it->last_write_time(gone), 0};
    if (!gone) entry.bytes = static_cast<std::int64_t>(it->file_size(gone));
    if (gone) continue;
    total += entry.bytes;
    entries.push_back(std::move(entry));
  }
  if (total <= max_bytes_) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  // Removes well below the limit, so that the next stores need not trim again.
  for (const Entry& entry : entries) {
    if (total <= max_bytes_ - max_bytes_ / 4) break;
    fs::remove(entry.path, error);
    total -= entry.bytes;
  }
}

}  // namespace thallo
