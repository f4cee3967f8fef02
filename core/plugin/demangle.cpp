#include "core/plugin/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace thallo {

std::string demangle(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? std::string(text.get()) : name;
}

}  // namespace thallo
