#include "core/backend/cpu/compile.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/backend/kernel_cache.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/parallel_for.h"
#include "core/kernel/emit.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

constexpr std::array CompilerOptions = {"-std=c17",
                                        "-O3",
                                        "-march=native",
                                        "-fno-math-errno",
                                        "-fno-trapping-math",
                                        "-ffp-contract=fast",
                                        "-fopenmp-simd",  // the text says which loops
                                        "-shared",
                                        "-fPIC",
                                        "-w"};

// A new temporary folder, removed with its contents.
class ScratchFolder {
 public:
  static Expected<ScratchFolder> make() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    std::string name = (parent / "thallo-XXXXXX").string();
    if (!error && mkdtemp(name.data()) != nullptr) return ScratchFolder(name);
    const char* chosen = std::getenv("TMPDIR");
    return fail("no temporary folder can be made in {}: {}; TMPDIR names another place",
                error && chosen != nullptr ? chosen : parent.string(),
                error ? error.message() : std::strerror(errno));
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;

  const fs::path& path() const { return path_; }

 private:
  explicit ScratchFolder(fs::path path) : path_(std::move(path)) {}

  fs::path path_;
};

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Runs a program and writes its output and errors to a file. Returns its exit status, or -1 when it
// could not be started or did not exit normally. `stop` kills it with all that it has started.
int run_program(const std::vector<std::string>& arguments, const fs::path& output,
                const std::stop_token& stop = {}) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // a group of its own
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  {
    const std::stop_callback kill_group(stop, [child] { kill(-child, SIGKILL); });
    // Its number is not given to another process before it is waited for below.
    siginfo_t ended;
    while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
      continue;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The path at which a shell would find the command; absent when there is none.
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

// The lines of /proc/cpuinfo that tell processors apart for -march=native.
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

Expected<std::string> compile_to_bytes(const HostCompiler& compiler, const CSource& source,
                                       const std::stop_token& stop) {
  const auto scratch = ScratchFolder::make();
  if (!scratch) return fail(scratch.error());
  const fs::path c_file = scratch->path() / (source.name + ".c");
  const fs::path library = scratch->path() / "kernel.so";
  const fs::path log = scratch->path() / "log";
  // An incomplete text might compile, and its library would be cached under the whole text's key.
  if (!(std::ofstream(c_file, std::ios::binary) << source.text).flush()) {
    return fail("{} cannot be written", c_file.string());
  }
  std::vector<std::string> command = {compiler.command};
  command.insert(command.end(), CompilerOptions.begin(), CompilerOptions.end());
  for (const std::string& last :
       {c_file.string(), std::string("-o"), library.string(), std::string("-lm")}) {
    command.push_back(last);
  }
  const int status = run_program(command, log, stop);
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
    if (run_program({*path, "--version"}, output) != 0) continue;
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
  // dlopen wants a file; once it is mapped, the name is not needed any more. The name must be new
  // each time, since the loader takes equal names for the same library.
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
    std::optional<Diagnostic> failure;
  };
  std::vector<Job> jobs;
  std::map<std::string, std::size_t> job_of_key;
  std::vector<std::size_t> job_of_source;
  for (const CSource& source : sources) {
    const std::string key = canonical_key(source.text, compiler.architecture).hex();
    const auto [it, is_new] = job_of_key.try_emplace(key, jobs.size());
    if (is_new) jobs.push_back({&source, {.library = nullptr, .key = key}, {}});
    job_of_source.push_back(it->second);
  }

  const auto run_job = [&](Job& job) {
    if (stop.stop_requested()) {
      job.failure = Diagnostic{"compiling was cancelled", {}, {}};
      return;
    }
    const auto start = std::chrono::steady_clock::now();
    const CacheKey key{fmt::format("{}\n{}", compiler.identity, job.result.key), job.source->text};
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
      const auto bytes = compile_to_bytes(compiler, *job.source, stop);
      const auto taken = bytes ? take(*bytes) : fail(bytes.error());
      if (taken) {
        cache.store(key, *bytes);
      } else {
        job.failure = taken.error();
      }
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    job.result.seconds = elapsed.count();
    logger("cpu").debug("{}: {} in {:.3f} s", job.source->name,
                        job.result.from_cache ? "cached" : "compiled", job.result.seconds);
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
