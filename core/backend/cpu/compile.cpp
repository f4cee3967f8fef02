#include "core/backend/cpu/compile.h"

#include <dlfcn.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/backend/kernel_cache.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/parallel_for.h"
#include "core/base/scratch_folder.h"
#include "core/kernel/emit.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

constexpr std::array CompilerOptions = {"-std=c17",
                                        "-march=native",
                                        "-fno-math-errno",
                                        "-fno-trapping-math",
                                        "-ffp-contract=fast",
                                        "-fopenmp-simd",  // the text marks the loops
                                        "-shared",
                                        "-fPIC",
                                        "-w"};

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the path at which a shell would find the command; absent if there is none.
std::optional<std::string> find_in_path(const std::string& command) {
  if (command.find('/') != std::string::npos) {
    if (access(command.c_str(), X_OK) == 0) return command;
    return {};
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string candidate = fmt::format("{}/{}", rest.substr(0, colon), command);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return {};
}

// Returns the lines of /proc/cpuinfo that distinguish processors for -march=native.
std::string processor_identity() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  std::string identity;
  while (std::getline(file, line) && !line.empty()) {
    for (const std::string_view key : {"vendor_id", "cpu family", "model", "flags", "Features"}) {
      if (line.starts_with(key)) identity += line + '\n';
    }
  }
  return identity;
}

// Chooses the optimization level of each text, as a compiler option. The time of -O3 grows faster
// than linearly with the text; -O0 takes a tenth of it, and loses little in kernels that call
// functions. So the smallest texts, up to FullBytes together, are optimized fully, those up to
// SomeBytes somewhat, and the rest not at all. A program of some hundred residuals is below
// FullBytes. One kernel of 100 KB takes up to 20 s with -O3 and 2 s with -O1.
std::vector<std::string> levels_of(std::span<const std::size_t> sizes) {
  constexpr std::size_t FullBytes = 192 << 10;
  constexpr std::size_t FullBytesOfOne = 64 << 10;
  constexpr std::size_t SomeBytes = 1 << 20;
  std::vector<std::size_t> by_size(sizes.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::ranges::stable_sort(by_size, {}, [&](std::size_t i) { return sizes[i]; });
  std::vector<std::string> levels(sizes.size());
  std::size_t total = 0;
  for (const std::size_t i : by_size) {
    total += sizes[i];
    const bool is_full = total <= FullBytes && sizes[i] <= FullBytesOfOne;
    levels[i] = is_full ? "-O3" : total <= SomeBytes ? "-O1" : "-O0";
  }
  return levels;
}

Expected<std::string> compile_to_bytes(const HostCompiler& compiler, const CSource& source,
                                       const std::string& level, const std::stop_token& stop) {
  const auto scratch = ScratchFolder::make();
  if (!scratch) return fail(scratch.error());
  const fs::path c_file = scratch->path() / (source.name + ".c");
  const fs::path library = scratch->path() / "kernel.so";
  const fs::path log = scratch->path() / "log";
  // An incomplete text might compile, and its library would be cached under the whole text's key.
  if (!(std::ofstream(c_file, std::ios::binary) << source.text).flush()) {
    return fail("{} cannot be written", c_file.string());
  }
  std::vector<std::string> command = {compiler.command, level};
  command.insert(command.end(), CompilerOptions.begin(), CompilerOptions.end());
  for (const std::string& last :
       {c_file.string(), std::string("-o"), library.string(), std::string("-lm")}) {
    command.push_back(last);
  }
  const int status = scratch->run(command, log, stop);
  if (stop.stop_requested()) return fail("compiling was cancelled");
  if (status != 0) {
    return fail("kernel '{}' does not compile ({} ended with {}):\n{}", source.name,
                compiler.command, status, read_text(log));
  }
  return read_text(library);
}

}  // namespace

Expected<HostCompiler> find_host_compiler() {
  std::vector<std::string> candidates = {"cc", "gcc", "clang"};
  if (const char* chosen = std::getenv("THALLO_CC"); chosen != nullptr && *chosen != '\0') {
    candidates = {chosen};
  }
  const auto scratch = ScratchFolder::make();
  if (!scratch) return fail(scratch.error());
  for (const std::string& candidate : candidates) {
    const auto path = find_in_path(candidate);
    if (!path) continue;
    const fs::path output = scratch->path() / "version";
    if (scratch->run({*path, "--version"}, output) != 0) continue;
    std::string version = read_text(output);
    version.resize(std::min(version.find('\n'), version.size()));
    utsname system{};
    uname(&system);
    return HostCompiler{
        *path, version,
        fmt::format("{}\n{}\n{}", version, fmt::join(CompilerOptions, " "), processor_identity()),
        system.machine};
  }
  return fail("no working C compiler found (looked for {}; THALLO_CC names another)",
              fmt::join(candidates, ", "));
}

Expected<std::shared_ptr<Library>> Library::load(const std::string& bytes) {
  // dlopen needs a file; once it is mapped, its name is no longer needed. The name must be new each
  // time, because the loader treats equal names as the same library.
  const auto scratch = ScratchFolder::make();
  if (!scratch) return fail(scratch.error());
  const fs::path file = scratch->path() / "kernel.so";
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
  const KernelCache cache = KernelCache::open();
  // One job per canonical key.
  struct Job {
    const CSource* source = nullptr;
    CompiledSource result;
    std::string level;
    std::optional<Diagnostic> failure;
  };
  std::vector<Job> jobs;
  std::map<std::string, std::size_t> job_of_key;
  std::vector<std::size_t> job_of_source;
  for (const CSource& source : sources) {
    const std::string key = canonical_key(source.text, compiler.architecture).hex();
    const auto [it, is_new] = job_of_key.try_emplace(key, jobs.size());
    if (is_new) jobs.push_back({&source, {.library = nullptr, .key = key}, {}, {}});
    job_of_source.push_back(it->second);
  }
  std::vector<std::size_t> sizes;
  for (const Job& job : jobs) sizes.push_back(job.source->text.size());
  const std::vector<std::string> levels = levels_of(sizes);
  for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].level = levels[i];

  const auto run_job = [&](Job& job) {
    if (stop.stop_requested()) {
      job.failure = Diagnostic{"compiling was cancelled", {}, {}};
      return;
    }
    const auto start = std::chrono::steady_clock::now();
    const CacheKey key{fmt::format("{}\n{}\n{}", compiler.identity, job.level, job.result.key),
                       job.source->text};
    const std::unique_lock making = cache.lock(key);
    const auto take = [&](const std::string& bytes) -> Expected<void> {
      if (then == AfterCompiling::KeepOnDisk) return {};
      auto library = Library::load(bytes);
      if (!library) return fail(library.error());
      job.result.library = *std::move(library);
      return {};
    };
    // A cached library that cannot be loaded is compiled again.
    const auto cached = cache.find(key);
    job.result.from_cache = cached && take(*cached);
    if (!job.result.from_cache) {
      const auto bytes = compile_to_bytes(compiler, *job.source, job.level, stop);
      const auto taken = bytes ? take(*bytes) : fail(bytes.error());
      if (taken) {
        cache.store(key, *bytes);
      } else {
        job.failure = taken.error();
      }
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    job.result.seconds = elapsed.count();
    logger("cpu").debug("{}: {} with {} in {:.3f} s", job.source->name,
                        job.result.from_cache ? "cached" : "compiled", job.level,
                        job.result.seconds);
  };
  std::mutex one_call;
  parallel_for(jobs.size(), num_threads, [&](std::size_t i) {
    try {
      run_job(jobs[i]);
    } catch (const std::exception& e) {
      jobs[i].failure = Diagnostic{e.what(), {}, {}};
    }
    if (!done || jobs[i].failure) return;
    const std::scoped_lock lock(one_call);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      if (job_of_source[s] == i) done(s, jobs[i].result);
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
