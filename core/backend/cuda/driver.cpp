#include "core/backend/cuda/driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/log.h"

namespace thallo::cuda {
namespace {

// Returns the paths at which a library of the toolkit may be, in order: the loader's own search
// path first.
std::vector<std::string> library_paths(const std::vector<std::string>& names) {
  std::vector<std::string> folders{""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = std::getenv(variable); root != nullptr && *root != '\0') {
      folders.push_back(std::string(root) + "/lib64/");
    }
  }
  folders.emplace_back("/usr/local/cuda/lib64/");
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    for (const std::string& folder : folders) paths.push_back(folder + name);
  }
  return paths;
}

std::string not_found(const std::vector<std::string>& names) {
  return fmt::format(
      "{} not found (searched: loader path, $CUDA_HOME/lib64, $CUDA_PATH/lib64, "
      "/usr/local/cuda/lib64)",
      fmt::join(names, ", "));
}

struct Library {
  void* handle = nullptr;
  std::string path;
};

// Opens the first path that can be opened. Warns about a path that exists but cannot be opened: a
// library that it depends on is missing.
Library open_first(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      logger("cuda").debug("opened {}", path);
      return {handle, path};
    }
    std::error_code ignored;
    if (path.front() == '/' && std::filesystem::exists(path, ignored)) {
      logger("cuda").warn("{} cannot be opened: {}", path, dlerror());
    }
  }
  return {};
}

template <class Function>
void take_symbol(const Library& library, const char* name, Function& target,
                 std::string* first_missing) {
  target = reinterpret_cast<Function>(dlsym(library.handle, name));
  if (target == nullptr && first_missing != nullptr && first_missing->empty()) {
    *first_missing = name;
  }
}

#define THALLO_CUDA_TAKE(name) take_symbol(library, #name, api.name, &missing);
#define THALLO_CUDA_TAKE_OPTIONAL(name) take_symbol(library, #name, api.name, nullptr);

Expected<DriverApi> open_driver() {
  const Library library = open_first({"libcuda.so.1"});
  if (library.handle == nullptr) return fail("no CUDA driver: libcuda.so.1 not found");
  DriverApi api;
  std::string missing;
  THALLO_CUDA_DRIVER_FUNCTIONS(THALLO_CUDA_TAKE)
  THALLO_CUDA_OPTIONAL_DRIVER_FUNCTIONS(THALLO_CUDA_TAKE_OPTIONAL)
  if (!missing.empty()) return fail("CUDA driver too old: libcuda.so.1 has no {}", missing);

  const auto name_of = [&](CUresult code) {
    const char* name = nullptr;
    api.cuGetErrorName(code, &name);
    return fmt::format("{} ({})", name ? name : "unknown error", static_cast<int>(code));
  };
  if (const CUresult code = api.cuInit(0); code != CUDA_SUCCESS) {
    return fail("no CUDA device: cuInit(0) gives {}", name_of(code));
  }
  int count = 0;
  if (const CUresult code = api.cuDeviceGetCount(&count); code != CUDA_SUCCESS || count == 0) {
    return fail("no CUDA device: cuDeviceGetCount gives {} devices, {}", count, name_of(code));
  }
  int version = 0;
  api.cuDriverGetVersion(&version);
  logger("cuda").info("driver for CUDA {}.{}, {} device(s)", version / 1000, version % 1000 / 10,
                      count);
  return api;
}

// Opens a library of the toolkit. `take` takes its functions and names the first that is missing.
template <class Api, class Take>
Expected<Api> open_toolkit(const char* what, const std::vector<std::string>& names, Take take) {
  const Library library = open_first(library_paths(names));
  if (library.handle == nullptr) return fail("no {}: {}", what, not_found(names));
  Api api;
  std::string missing;
  take(library, api, missing);
  if (!missing.empty()) return fail("{} has no {}", library.path, missing);
  return api;
}

Expected<NvrtcApi> open_nvrtc() {
  return open_toolkit<NvrtcApi>("CUDA run-time compiler", {"libnvrtc.so.13", "libnvrtc.so.12"},
                                [](const Library& library, NvrtcApi& api, std::string& missing) {
                                  THALLO_NVRTC_FUNCTIONS(THALLO_CUDA_TAKE)
                                });
}

Expected<CublasApi> open_cublas() {
  return open_toolkit<CublasApi>("cuBLAS", {"libcublas.so.13", "libcublas.so.12"},
                                 [](const Library& library, CublasApi& api, std::string& missing) {
                                   THALLO_CUBLAS_FUNCTIONS(THALLO_CUDA_TAKE)
                                 });
}

// The cuSPARSE of CUDA 13 is called libcusparse.so.12, too.
Expected<CusparseApi> open_cusparse() {
  return open_toolkit<CusparseApi>(
      "cuSPARSE", {"libcusparse.so.12"},
      [](const Library& library, CusparseApi& api, std::string& missing) {
        THALLO_CUSPARSE_FUNCTIONS(THALLO_CUDA_TAKE)
      });
}

// That of CUDA 12 is libcusolver.so.11.
Expected<CusolverApi> open_cusolver() {
  return open_toolkit<CusolverApi>(
      "cuSOLVER", {"libcusolver.so.12", "libcusolver.so.11"},
      [](const Library& library, CusolverApi& api, std::string& missing) {
        THALLO_CUSOLVER_FUNCTIONS(THALLO_CUDA_TAKE)
      });
}
#undef THALLO_CUDA_TAKE
#undef THALLO_CUDA_TAKE_OPTIONAL

template <class Api>
Expected<const Api*> pointer_to(const Expected<Api>& api) {
  if (!api) return fail(api.error());
  return &*api;
}

const Expected<DriverApi>& opened_driver() {
  static const Expected<DriverApi> api = open_driver();
  return api;
}
const Expected<NvrtcApi>& opened_nvrtc() {
  static const Expected<NvrtcApi> api = open_nvrtc();
  return api;
}
const Expected<CublasApi>& opened_cublas() {
  static const Expected<CublasApi> api = open_cublas();
  return api;
}
const Expected<CusparseApi>& opened_cusparse() {
  static const Expected<CusparseApi> api = open_cusparse();
  return api;
}
const Expected<CusolverApi>& opened_cusolver() {
  static const Expected<CusolverApi> api = open_cusolver();
  return api;
}

template <class Api>
const Api& opened(const Expected<Api>& api) {
  THALLO_ASSERT(api.has_value(), "used without asking: {}", api.error().what);
  return *api;
}

}  // namespace

Expected<const DriverApi*> find_driver() { return pointer_to(opened_driver()); }
Expected<const NvrtcApi*> find_nvrtc() { return pointer_to(opened_nvrtc()); }
Expected<const CublasApi*> find_cublas() { return pointer_to(opened_cublas()); }
Expected<const CusparseApi*> find_cusparse() { return pointer_to(opened_cusparse()); }
Expected<const CusolverApi*> find_cusolver() { return pointer_to(opened_cusolver()); }

const DriverApi& driver() { return opened(opened_driver()); }
const NvrtcApi& nvrtc() { return opened(opened_nvrtc()); }
const CublasApi& cublas() { return opened(opened_cublas()); }
const CusparseApi& cusparse() { return opened(opened_cusparse()); }
const CusolverApi& cusolver() { return opened(opened_cusolver()); }

std::string error_text(CUresult code) {
  const char* name = nullptr;
  driver().cuGetErrorName(code, &name);
  return fmt::format("{} ({})", name ? name : "unknown error", static_cast<int>(code));
}

std::string error_text(nvrtcResult code) {
  return fmt::format("{} ({})", nvrtc().nvrtcGetErrorString(code), static_cast<int>(code));
}

std::string error_text(cublasStatus_t code) {
  return fmt::format("{} ({})", cublas().cublasGetStatusName(code), static_cast<int>(code));
}

std::string error_text(cusparseStatus_t code) {
  return fmt::format("{} ({})", cusparse().cusparseGetErrorName(code), static_cast<int>(code));
}

std::string error_text(cusolverStatus_t code) {
  return fmt::format("cuSOLVER status {}", static_cast<int>(code));
}

namespace detail {
void throw_device_error(const char* call, std::string code, std::string_view kernel) {
  // A label replaces the arguments in the text of the call.
  std::string text(call);
  if (!kernel.empty()) text.erase(std::min(text.find('('), text.size()));
  throw DeviceError(std::move(text), std::move(code), std::string(kernel));
}
}  // namespace detail

}  // namespace thallo::cuda
