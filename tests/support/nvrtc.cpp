#include "tests/support/nvrtc.h"

#include <dlfcn.h>

#include <cstddef>

namespace thallo::test {
namespace {

// The few entry points of nvrtc.h that are needed, so that building the tests needs no CUDA header.
using Program = void*;
template <class Signature>
Signature* find_symbol(void* library, const char* name) {
  return reinterpret_cast<Signature*>(dlsym(library, name));
}

void* open_nvrtc() {
  for (const char* name :
       {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

}  // namespace

NvrtcResult compile_with_nvrtc(const std::string& source, std::vector<std::string> options) {
  NvrtcResult result;
  static void* const library = open_nvrtc();
  if (library == nullptr) return result;
  result.found = true;
  const auto create = find_symbol<int(Program*, const char*, const char*, int, const char* const*,
                                      const char* const*)>(library, "nvrtcCreateProgram");
  const auto compile =
      find_symbol<int(Program, int, const char* const*)>(library, "nvrtcCompileProgram");
  const auto log_size = find_symbol<int(Program, std::size_t*)>(library, "nvrtcGetProgramLogSize");
  const auto log = find_symbol<int(Program, char*)>(library, "nvrtcGetProgramLog");
  const auto ptx_size = find_symbol<int(Program, std::size_t*)>(library, "nvrtcGetPTXSize");
  const auto ptx = find_symbol<int(Program, char*)>(library, "nvrtcGetPTX");
  const auto destroy = find_symbol<int(Program*)>(library, "nvrtcDestroyProgram");

  Program program = nullptr;
  if (create(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr) != 0) return result;
  std::vector<const char*> arguments;
  for (const std::string& option : options) arguments.push_back(option.c_str());
  result.ok = compile(program, static_cast<int>(arguments.size()), arguments.data()) == 0;
  const auto text = [&](auto* size_of_text, auto* take) {
    std::size_t size = 0;
    size_of_text(program, &size);
    std::string value(size, '\0');
    if (size > 0) take(program, value.data());
    while (!value.empty() && (value.back() == '\0' || value.back() == '\n')) value.pop_back();
    return value;
  };
  result.log = text(log_size, log);
  if (result.ok) result.ptx = text(ptx_size, ptx);
  destroy(&program);
  return result;
}

}  // namespace thallo::test
