#include "core/base/io/libtiff.h"

#include <dlfcn.h>

namespace thallo {
namespace {

Expected<LibTiff> open_libtiff() {
  void* library = dlopen(THALLO_TIFF_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return fail("TIFF files need the library " THALLO_TIFF_LIBRARY
                ", which cannot be opened; install libtiff, or use exr or pfm");
  }
  LibTiff result;
  const char* missing = nullptr;
#define THALLO_TIFF_TAKE(name)                                                  \
  result.name = reinterpret_cast<decltype(result.name)>(dlsym(library, #name)); \
  if (result.name == nullptr) missing = #name;
  THALLO_TIFF_FUNCTIONS(THALLO_TIFF_TAKE)
#undef THALLO_TIFF_TAKE
  if (missing != nullptr)
    return fail("TIFF files need libtiff 4.5; " THALLO_TIFF_LIBRARY " lacks {}", missing);
  return result;
}

}  // namespace

Expected<const LibTiff*> libtiff() {
  static const Expected<LibTiff> opened = open_libtiff();
  if (!opened) return fail(opened.error());
  return &*opened;
}

}  // namespace thallo
