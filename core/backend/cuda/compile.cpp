#include "core/backend/cuda/compile.h"

#include <dlfcn.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/backend/cuda/driver.h"
#include "core/base/dump.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/parallel_for.h"
#include "core/kernel/arguments.h"
#include "core/kernel/emit.h"

namespace thallo::cuda {
namespace {

namespace fs = std::filesystem;

// -default-device makes __device__ unnecessary for helper functions; -lineinfo costs nothing at run
// time. Quotients and square roots in float may be off by two units in the last place: exact ones
// are calls with branches, which cost registers. Those in double stay exact.
constexpr std::array NvrtcOptions{"--std=c++20", "-default-device",  "--fmad=true",
                                  "-lineinfo",   "--prec-div=false", "--prec-sqrt=false"};

class Program {
 public:
  Program(const std::string& text, const std::string& file) {
    THALLO_NVRTC(nvrtcCreateProgram(&program_, text.c_str(), file.c_str(), 0, nullptr, nullptr));
  }
  ~Program() { nvrtc().nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  nvrtcResult compile(const std::string& target) {
    const std::string target_option = "--gpu-architecture=" + target;
    std::vector<const char*> options(NvrtcOptions.begin(), NvrtcOptions.end());
    options.push_back(target_option.c_str());
    return nvrtc().nvrtcCompileProgram(program_, static_cast<int>(options.size()), options.data());
  }

  std::string log() const {
    std::size_t size = 0;
    THALLO_NVRTC(nvrtcGetProgramLogSize(program_, &size));
    std::string text(size, '\0');
    if (size > 0) THALLO_NVRTC(nvrtcGetProgramLog(program_, text.data()));
    // The size counts the terminator.
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text;
  }
  std::string cubin() const {
    std::size_t size = 0;
    THALLO_NVRTC(nvrtcGetCUBINSize(program_, &size));
    std::string bytes(size, '\0');
    THALLO_NVRTC(nvrtcGetCUBIN(program_, bytes.data()));
    return bytes;
  }
  std::string ptx() const {
    std::size_t size = 0;
    THALLO_NVRTC(nvrtcGetPTXSize(program_, &size));
    std::string text(size, '\0');
    THALLO_NVRTC(nvrtcGetPTX(program_, text.data()));
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

 private:
  nvrtcProgram program_ = nullptr;
};

template <class Take>
Expected<Image> compile(const Source& source, const std::string& target, Take take) {
  if (const auto library = find_nvrtc(); !library) return fail(library.error());
  Program program(source.text, source.name + ".cu");
  const nvrtcResult code = program.compile(target);
  std::string log = program.log();
  if (code == NVRTC_ERROR_INVALID_OPTION) {
    return fail("this NVRTC cannot compile for {}: {}", target, log);
  }
  if (code != NVRTC_SUCCESS) {
    return fail("kernel '{}' does not compile for {} ({}):\n{}", source.name, target,
                error_text(code), log);
  }
  if (!log.empty()) logger("cuda").warn("compiling '{}':\n{}", source.name, log);
  return Image{take(program), std::move(log)};
}

// NVRTC reports its version only as major.minor. The name and size of its file tell builds of one
// version apart.
std::string nvrtc_build() {
  const fs::path file = nvrtc_file();
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(file, error);
  return error ? "unknown" : fmt::format("{} of {} bytes", file.filename().string(), bytes);
}

// Everything that an image depends on besides its canonical key: the compiler and its options.
const std::string& compiler_identity() {
  static const std::string identity =
      fmt::format("{} ({}) {}", nvrtc_version(), nvrtc_build(), fmt::join(NvrtcOptions, " "));
  return identity;
}

// Writes the files that compile.h promises of compile_all(). Different texts of one role get
// numbered names.
void dump_sources(std::span<const Source> sources, std::string_view architecture) {
  std::map<std::string, std::string> text_of_name;
  for (const Source& source : sources) {
    std::string name = source.name;
    for (int i = 2; text_of_name.contains(name) && text_of_name[name] != source.text; ++i) {
      name = fmt::format("{}_{}", source.name, i);
    }
    if (!text_of_name.emplace(name, source.text).second) continue;
    const fs::path file = fs::path("kernels") / name;
    dump(file.string() + ".cu", source.comment + source.text);
    const auto ptx = compile_to_ptx(source, architecture);
    if (ptx) dump(file.string() + ".ptx", ptx->bytes);
    const std::string& report = ptx ? ptx->log : ptx.error().what;
    if (!report.empty()) dump(file.string() + ".log", report);
  }
}

}  // namespace

std::string nvrtc_version() {
  int major = 0;
  int minor = 0;
  THALLO_NVRTC(nvrtcVersion(&major, &minor));
  return fmt::format("nvrtc {}.{}", major, minor);
}

fs::path nvrtc_file() {
  Dl_info library{};
  if (dladdr(reinterpret_cast<void*>(nvrtc().nvrtcVersion), &library) == 0) return {};
  std::error_code error;
  return fs::canonical(library.dli_fname, error);
}

Expected<void> check_arguments(const KernelProgram& program, const KernelCode& code) {
  if (const auto library = find_nvrtc(); !library) return fail(library.error());
  int major = 0;
  int minor = 0;
  THALLO_NVRTC(nvrtcVersion(&major, &minor));
  const std::size_t most = std::pair(major, minor) < std::pair(12, 1) ? 4096 : 32764;
  const std::size_t bytes =
      kernel_arguments(program, code, Dialect::Cuda).size() * sizeof(std::uint64_t);
  if (bytes <= most) return {};
  return fail(
      "kernel '{}' takes {} fields, {} sparse maps and their sizes, {} bytes, and CUDA (NVRTC "
      "{}.{}) hands a kernel at most {}; split the part, or let its residuals read fewer fields",
      code.label, code.slots.fields.size(), code.slots.maps.size(), bytes, major, minor, most);
}

Expected<Image> compile_to_cubin(const Source& source, std::string_view architecture) {
  return compile(source, std::string(architecture),
                 [](const Program& program) { return program.cubin(); });
}

Expected<Image> compile_to_ptx(const Source& source, std::string_view architecture) {
  THALLO_ASSERT(architecture.starts_with("sm_"), "architecture '{}'", architecture);
  return compile(source, fmt::format("compute_{}", architecture.substr(3)),
                 [](const Program& program) { return program.ptx(); });
}

CacheKey cache_key(const Source& source, std::string_view architecture) {
  return {fmt::format("{} {}", compiler_identity(), canonical_key(source.text, architecture).hex()),
          source.text};
}

Expected<CachedImage> compile_anew(const Source& source, std::string_view architecture) {
  const auto start = std::chrono::steady_clock::now();
  THALLO_TRY(auto compiled, compile_to_cubin(source, architecture));
  CachedImage image{.bytes = std::move(compiled.bytes),
                    .key = canonical_key(source.text, architecture).hex(),
                    .warnings = std::move(compiled.log)};
  KernelCache::open().store(cache_key(source, architecture), image.bytes);
  image.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return image;
}

Expected<std::vector<CachedImage>> compile_all(std::span<const Source> sources,
                                               std::string_view architecture, int num_threads,
                                               const std::stop_token& stop, const ImageDone& done) {
  if (const auto library = find_nvrtc(); !library) return fail(library.error());

  // One job per canonical key.
  struct Job {
    const Source* source = nullptr;
    CachedImage image;
    std::optional<Diagnostic> failure;
  };
  std::vector<Job> jobs;
  std::map<std::string, std::size_t> job_of_key;
  std::vector<std::size_t> job_of_source;
  for (const Source& source : sources) {
    const std::string key = canonical_key(source.text, architecture).hex();
    const auto [it, is_new] = job_of_key.try_emplace(key, jobs.size());
    if (is_new) jobs.push_back({&source, {.key = key}, {}});
    job_of_source.push_back(it->second);
  }

  const KernelCache cache = KernelCache::open();
  const auto run_job = [&](Job& job) {
    if (stop.stop_requested()) {
      job.failure = Diagnostic{"compiling was cancelled", {}, {}};
      return;
    }
    const auto start = std::chrono::steady_clock::now();
    const CacheKey key = cache_key(*job.source, architecture);
    const std::unique_lock making = cache.lock(key);
    if (auto stored = cache.find(key)) {
      job.image.bytes = std::move(*stored);
      job.image.from_cache = true;
    } else if (auto compiled = compile_to_cubin(*job.source, architecture)) {
      job.image.bytes = std::move(compiled->bytes);
      job.image.warnings = std::move(compiled->log);
      cache.store(key, job.image.bytes);
    } else {
      job.failure = compiled.error();
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    job.image.seconds = elapsed.count();
  };
  if (is_dumping()) dump_sources(sources, architecture);  // before compiling, which may fail
  std::mutex one_call;
  parallel_for(jobs.size(), num_threads, [&](std::size_t i) {
    run_job(jobs[i]);
    if (!done || jobs[i].failure) return;
    const std::scoped_lock lock(one_call);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      if (job_of_source[s] == i) done(s, jobs[i].image);
    }
  });

  std::vector<CachedImage> images;
  for (const std::size_t job : job_of_source) {
    if (jobs[job].failure) return fail(*jobs[job].failure);
    images.push_back(jobs[job].image);
  }
  return images;
}

}  // namespace thallo::cuda
