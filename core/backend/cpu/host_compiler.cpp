#include "core/backend/cpu/host_compiler.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/elf.h"
#include "core/base/error.h"
#include "core/base/scratch_folder.h"

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

// Returns the level that $THALLO_CC_OPTIMIZATION allows.
Expected<int> highest_level() {
  const char* level = std::getenv("THALLO_CC_OPTIMIZATION");
  if (level == nullptr || *level == '\0') return 3;
  const std::string_view digit = level;
  if (digit.size() != 1 || digit < "0" || digit > "3") {
    return fail("THALLO_CC_OPTIMIZATION is '{}' (legal: 0, 1, 2, 3)", level);
  }
  return digit.front() - '0';
}

// A compiler that could not do its work, whatever the text.
struct Interference {
  std::string what;
};

// Throws Interference if the compiler, or a program that it started, was ended by a signal that
// comes from outside, or had no room on a disk. A crash of the compiler is the fault of its input.
void check_interference(int status, std::string_view log) {
  for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGXCPU, SIGXFSZ}) {
    const std::string_view name = strsignal(signal);
    for (const std::string& told : {fmt::format("{} signal terminated program", name),      // gcc
                                    fmt::format("terminated with signal {} [", signal),     // ld
                                    fmt::format("unable to execute command: {}", name)}) {  // clang
      if (status == -signal || log.find(told) != log.npos)
        throw Interference{fmt::format("was ended by signal {} ({})", signal, name)};
    }
  }
  for (const int cause : {ENOSPC, EDQUOT, EFBIG}) {
    if (log.find(strerror(cause)) != log.npos) throw Interference{strerror(cause)};
  }
}

// Calls `work` again after an interference, and throws DeviceError after the last attempt.
template <class Work>
auto with_attempts(const std::string& command, const std::string& kernel, const Work& work) {
  for (int attempt = 1;; ++attempt) {
    try {
      return work();
    } catch (const Interference& cause) {
      constexpr int MaxAttempts = 3;
      if (attempt == MaxAttempts) throw DeviceError(command, cause.what + " each time", kernel);
    }
  }
}

Expected<std::string> compile_once(const HostCompiler& compiler, const CSource& source, int level,
                                   const std::stop_token& stop) {
  THALLO_TRY(const auto scratch, ScratchFolder::make());
  const fs::path c_file = scratch.path() / (source.name + ".c");
  const fs::path library = scratch.path() / "kernel.so";
  const fs::path log = scratch.path() / "log";
  // An incomplete text might compile, and its library would be cached under the whole text's key.
  if (!(std::ofstream(c_file, std::ios::binary) << source.text).flush()) {
    return fail("{} cannot be written", c_file.string());
  }
  std::vector<std::string> command = {compiler.command, fmt::format("-O{}", level)};
  command.insert(command.end(), CompilerOptions.begin(), CompilerOptions.end());
  for (const std::string& last :
       {c_file.string(), std::string("-o"), library.string(), std::string("-lm")}) {
    command.push_back(last);
  }
  const int status = scratch.run(command, log, stop);
  if (stop.stop_requested()) return fail("compiling was cancelled");
  if (status != 0) {
    check_interference(status, read_text(log));
    if (std::error_code error; !fs::exists(c_file, error))
      throw Interference{"lost its temporary folder"};
    return fail("kernel '{}' does not compile ({} ended with {}):\n{}", source.name,
                compiler.command, status, read_text(log));
  }
  std::string bytes = read_text(library);
  // Where a disk is full, some compilers write a part of the library and exit with 0. To load that
  // would end the process.
  if (const auto whole = ElfFile::parse(bytes); !whole)
    throw Interference{fmt::format("wrote no whole library ({})", whole.error().what)};
  return bytes;
}

}  // namespace

Expected<HostCompiler> find_host_compiler() {
  std::vector<std::string> candidates = {"cc", "gcc", "clang"};
  if (const char* chosen = std::getenv("THALLO_CC"); chosen != nullptr && *chosen != '\0') {
    candidates = {chosen};
  }
  THALLO_TRY(const auto level, highest_level());
  THALLO_TRY(const auto scratch, ScratchFolder::make());
  for (const std::string& candidate : candidates) {
    const auto path = find_in_path(candidate);
    if (!path) continue;
    const fs::path output = scratch.path() / "version";
    const std::vector<std::string> asks = {*path, "--version"};
    const int status = with_attempts(*path, "", [&] {
      const int ended = scratch.run(asks, output);
      check_interference(ended, "");
      return ended;
    });
    if (status != 0) continue;
    std::string version = read_text(output);
    version.resize(std::min(version.find('\n'), version.size()));
    utsname system{};
    uname(&system);
    return HostCompiler{
        *path, version,
        fmt::format("{}\n{}\n{}", version, fmt::join(CompilerOptions, " "), processor_identity()),
        system.machine, level};
  }
  return fail(
      "no working C compiler found: install gcc or clang (looked for {}; THALLO_CC names another)",
      fmt::join(candidates, ", "));
}

// The time of -O3 and of -O1 grows with the square of a kernel's text. That of -O0 grows linearly
// and is a tenth of it, and its kernels lose little where they call functions. So the smallest
// texts, up to FullBytes together, are optimized fully, those up to SomeBytes somewhat, and the
// rest not at all, as is a single text that is longer than SomeBytesOfOne. A program of some
// hundred residuals is below FullBytes. One kernel of 100 KB takes up to 20 s with -O3 and 2 to 5 s
// with -O1; one of 200 KB takes 7 to 16 s with -O1 and 0.6 s with -O0.
std::vector<int> optimization_levels(const HostCompiler& compiler,
                                     std::span<const std::size_t> sizes) {
  constexpr std::size_t FullBytes = 192 << 10;
  constexpr std::size_t FullBytesOfOne = 64 << 10;
  constexpr std::size_t SomeBytes = 1 << 20;
  constexpr std::size_t SomeBytesOfOne = 128 << 10;
  std::vector<std::size_t> by_size(sizes.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::ranges::stable_sort(by_size, {}, [&](std::size_t i) { return sizes[i]; });
  std::vector<int> levels(sizes.size());
  std::size_t total = 0;
  for (const std::size_t i : by_size) {
    total += sizes[i];
    const bool is_full = total <= FullBytes && sizes[i] <= FullBytesOfOne;
    const bool is_some = total <= SomeBytes && sizes[i] <= SomeBytesOfOne;
    levels[i] = std::min(is_full ? 3 : is_some ? 1 : 0, compiler.highest_level);
  }
  return levels;
}

Expected<std::string> compile_library(const HostCompiler& compiler, const CSource& source,
                                      int level, const std::stop_token& stop) {
  return with_attempts(compiler.command, source.name,
                       [&] { return compile_once(compiler, source, level, stop); });
}

}  // namespace thallo
