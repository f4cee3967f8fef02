#include "core/backend/cpu/compile.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/backend/cpu/combine.h"
#include "core/backend/cpu/compile_groups.h"
#include "core/backend/kernel_cache.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/parallel_for.h"
#include "core/base/scratch_folder.h"
#include "core/base/seconds_since.h"
#include "core/kernel/emit.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;

// One text, for all sources that have its canonical key.
struct Job {
  const CSource* source = nullptr;
  int level = 0;  // of optimization
  CacheKey key;
  CompiledSource result;
  bool is_ready = false;
  std::optional<Diagnostic> failure;
};

// The libraries in the cache, each read and loaded once. May be used by several threads at once.
class Libraries {
 public:
  Libraries(const KernelCache& cache, AfterCompiling then) : cache_(cache), then_(then) {}

  struct Found {
    std::shared_ptr<Library> library;  // null if it is to stay on disk
  };
  // Absent if the cache lacks it or it cannot be loaded.
  std::optional<Found> find(const std::string& hash) {
    const std::scoped_lock lock(mutex_);
    if (const auto it = found_.find(hash); it != found_.end()) return it->second;
    const auto bytes = cache_.find(key(hash));
    if (!bytes || hash_text(*bytes).hex() != hash) return {};
    auto loaded = load(*bytes);
    if (!loaded) return {};
    return found_.emplace(hash, *std::move(loaded)).first->second;
  }
  // Loads a new library and returns it with the hash that names it.
  Expected<std::pair<Found, std::string>> add(const std::string& bytes) {
    THALLO_TRY(auto loaded, load(bytes));
    std::string hash = hash_text(bytes).hex();
    cache_.store(key(hash), bytes);
    return std::pair(std::move(loaded), std::move(hash));
  }

 private:
  static CacheKey key(const std::string& hash) { return {"library of kernels", hash}; }
  Expected<Found> load(const std::string& bytes) const {
    if (then_ == AfterCompiling::KeepOnDisk) return Found{};
    THALLO_TRY(auto library, Library::load(bytes));
    return Found{std::move(library)};
  }

  const KernelCache& cache_;
  AfterCompiling then_;
  std::mutex mutex_;
  std::map<std::string, Found> found_;
};

// The work of one compile_all().
class Compilation {
 public:
  Compilation(const HostCompiler& compiler, AfterCompiling then, const std::stop_token& stop)
      : compiler_(compiler), cache_(KernelCache::open()), libraries_(cache_, then), stop_(stop) {}

  CacheKey key(const Job& job) const {
    return {
        fmt::format("{}\n-O{}\n{}\nin a library", compiler_.identity, job.level, job.result.key),
        job.source->text};
  }

  // Takes a kernel from the cache. Returns false if it is not there.
  bool look_up(Job& job) {
    const auto start = Clock::now();
    const auto entry = cache_.find(job.key);
    if (!entry) return false;
    const std::size_t space = std::min(entry->find(' '), entry->size());
    const auto found = libraries_.find(entry->substr(0, space));
    if (!found) return false;
    job.result.library = found->library;
    job.result.prefix = entry->substr(std::min(space + 1, entry->size()));
    job.result.from_cache = true;
    job.is_ready = true;
    job.result.seconds = seconds_since(start);
    logger("cpu").debug("{}: cached with -O{}", job.source->name, job.level);
    return true;
  }

  // Compiles kernels of one level, in one text where that is possible.
  void compile(std::vector<Job*> group) {
    const auto start = Clock::now();
    std::vector<CacheKey> keys;
    for (const Job* job : group) keys.push_back(job->key);
    const auto making = KernelCache::lock(keys);
    // Another thread or process may have compiled them since they were looked up.
    std::erase_if(group, [&](Job* job) { return look_up(*job); });
    if (group.size() > 1 && compile_together(group)) {
      share_time(group, start);
      return;
    }
    for (Job* job : group) {
      if (stop_.stop_requested()) {
        job->failure = Diagnostic{"compiling was cancelled", {}, {}};
        continue;
      }
      const auto bytes = compile_library(compiler_, *job->source, job->level, stop_);
      const auto added = bytes ? add(*bytes, {{job, ""}}) : fail(bytes.error());
      if (!added) job->failure = added.error();
    }
    share_time(group, start);
  }

 private:
  using Prefixed = std::vector<std::pair<Job*, std::string>>;

  // Returns false if the text of all does not compile: that of each then says what is wrong.
  bool compile_together(std::span<Job* const> group) {
    CSource all{"kernels", ""};
    Prefixed jobs;
    for (Job* job : group) {
      const std::string prefix = prefix_of(jobs.size());
      const std::string& text = job->source->text;
      all.text += with_prefix(text, file_scope_of(text).defined, prefix);
      jobs.emplace_back(job, prefix);
    }
    const auto bytes = compile_library(compiler_, all, group.front()->level, stop_);
    return bytes && add(*bytes, jobs);
  }

  Expected<void> add(const std::string& bytes, const Prefixed& jobs) {
    THALLO_TRY(const auto added, libraries_.add(bytes));
    const auto& [found, hash] = added;
    for (const auto& [job, prefix] : jobs) {
      job->result.library = found.library;
      job->result.prefix = prefix;
      job->is_ready = true;
      cache_.store(job->key, fmt::format("{} {}", hash, prefix));
    }
    return {};
  }

  static void share_time(std::span<Job* const> group, Clock::time_point start) {
    const double seconds = seconds_since(start);
    std::size_t bytes = 0;
    for (const Job* job : group) bytes += job->source->text.size();
    for (Job* job : group) {
      job->result.seconds = seconds * static_cast<double>(job->source->text.size()) /
                            static_cast<double>(std::max<std::size_t>(bytes, 1));
      logger("cpu").debug("{}: compiled with -O{} in {:.3f} s, one of {}", job->source->name,
                          job->level, job->result.seconds, group.size());
    }
  }

  const HostCompiler& compiler_;
  KernelCache cache_;
  Libraries libraries_;
  const std::stop_token& stop_;
};

}  // namespace

Expected<std::shared_ptr<Library>> Library::load(const std::string& bytes) {
  // dlopen needs a file; once it is mapped, its name is no longer needed. The name must be new each
  // time, because the loader treats equal names as the same library.
  THALLO_TRY(const auto scratch, ScratchFolder::make());
  const fs::path file = scratch.path() / "kernel.so";
  if (!std::ofstream(file, std::ios::binary)
           .write(bytes.data(), static_cast<std::streamsize>(bytes.size()))
           .flush()) {
    return fail("{} cannot be written", file.string());
  }
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return fail("a compiled kernel cannot be loaded: {}", dlerror());
  return std::shared_ptr<Library>(new Library(handle));
}

Library::~Library() { dlclose(handle_); }

void* Library::symbol(const std::string& name) const {
  void* address = dlsym(handle_, name.c_str());
  THALLO_ASSERT(address != nullptr, "compiled kernel without '{}'", name);
  return address;
}

Expected<std::vector<CompiledSource>> compile_all(const HostCompiler& compiler,
                                                  std::span<const CSource> sources, int num_threads,
                                                  AfterCompiling then, const std::stop_token& stop,
                                                  const SourceDone& done) {
  if (stop.stop_requested()) return fail("compiling was cancelled");
  Compilation compilation(compiler, then, stop);
  std::vector<Job> jobs;
  std::map<std::string, std::size_t> job_of_key;
  std::vector<std::size_t> job_of_source;
  for (const CSource& source : sources) {
    const std::string key = canonical_key(source.text, compiler.architecture).hex();
    const auto [it, is_new] = job_of_key.try_emplace(key, jobs.size());
    if (is_new) jobs.push_back({.source = &source, .result = {.key = key}});
    job_of_source.push_back(it->second);
  }
  std::vector<std::size_t> sizes;
  for (const Job& job : jobs) sizes.push_back(job.source->text.size());
  const std::vector<int> levels = optimization_levels(compiler, sizes);
  if (const auto few = std::ranges::count(levels, 0); few > 0 && compiler.highest_level > 0) {
    logger("cpu").info("{} of {} kernels are compiled with -O0, since their text is very long", few,
                       levels.size());
  }
  std::mutex one_call;
  const auto tell = [&](std::size_t i) {
    if (!done) return;
    const std::scoped_lock lock(one_call);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      if (job_of_source[s] == i) done(s, jobs[i].result);
    }
  };

  std::vector<std::size_t> missing;
  std::vector<GroupedText> texts;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].level = levels[i];
    jobs[i].key = compilation.key(jobs[i]);
    if (compilation.look_up(jobs[i])) {
      tell(i);
    } else {
      missing.push_back(i);
      texts.push_back({sizes[i], levels[i], file_scope_of(jobs[i].source->text)});
    }
  }
  const auto groups = compile_groups(texts, num_threads);
  parallel_for(groups.size(), num_threads, [&](std::size_t g) {
    std::vector<Job*> group;
    for (const std::size_t t : groups[g]) group.push_back(&jobs[missing[t]]);
    try {
      compilation.compile(group);
    } catch (const DeviceError&) {
      throw;
    } catch (const std::exception& e) {
      for (Job* job : group) {
        if (!job->is_ready) job->failure = Diagnostic{e.what(), {}, {}};
      }
    }
    for (const std::size_t t : groups[g]) {
      if (!jobs[missing[t]].failure) tell(missing[t]);
    }
  });
  std::vector<CompiledSource> results;
  for (const std::size_t job : job_of_source) {
    if (jobs[job].failure) return fail(*jobs[job].failure);
    results.push_back(jobs[job].result);
  }
  return results;
}

}  // namespace thallo
