// Describes a plugin, so that a host can accept or refuse it before any of its code runs.
//
// A plugin is a shared library NAME.thallo.so with a fixed-size C descriptor in the ELF section
// `.thallo_plugin`, and one C function. The loader reads the section from the *file*; a plugin that
// is refused is never opened, so a stale one is answered with both versions instead of an undefined
// symbol. The function takes a C++ object, so `core_build` must match the host's exactly: project
// version, hash of the public headers, compiler and string ABI.
//
//   Expected<void> register_into(Registrar& registrar) {
//     return registrar.add<Problem>("curve_fit", std::make_unique<CurveFit>(registrar.folder()));
//   }
//   THALLO_PLUGIN("curve_fit", "1.0.0", "", register_into)
//
// The third argument lists what must be registered before this plugin, as `kind name` pairs:
// "construct split_merge, problem bundle_adjustment". A section `.thallo_seal` has room for the
// checksum of the file (core/plugin/seal.h); zeros say that nobody wrote one. A plugin must have no
// namespace-scope object with a constructor, because loading must not run its code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/plugin/build_id.h"  // generated: THALLO_CORE_VERSION "0.3.1+8fd2c01e"
#include "core/plugin/registrar.h"

// The descriptor has a fixed size and no pointers and is never reordered. New fields come only at
// the end, with a new THALLO_PLUGIN_ABI. Texts end with a zero.
extern "C" struct ThalloPluginDescriptor {
  std::uint32_t magic;
  std::uint32_t abi;
  char name[64];
  char version[32];
  char core_build[128];
  char needs[256];
};
static_assert(sizeof(ThalloPluginDescriptor) == 488);

#define THALLO_PLUGIN_ABI 2
#define THALLO_PLUGIN_MAGIC 0x4f4c4854u  // "THLO" in the file
#define THALLO_PLUGIN_SECTION ".thallo_plugin"
#define THALLO_SEAL_SECTION ".thallo_seal"

#define THALLO_EXPORT __attribute__((visibility("default")))

// The compiler's version is taken here, not by the build that made build_id.h, because it must be
// that of the compiler of the plugin.
#define THALLO_TEXT_(x) #x
#define THALLO_TEXT(x) THALLO_TEXT_(x)
#if defined(__clang__)
#define THALLO_COMPILER                                                                     \
  "clang++ " THALLO_TEXT(__clang_major__) "." THALLO_TEXT(__clang_minor__) "." THALLO_TEXT( \
      __clang_patchlevel__)
#else
#define THALLO_COMPILER \
  "g++ " THALLO_TEXT(__GNUC__) "." THALLO_TEXT(__GNUC_MINOR__) "." THALLO_TEXT(__GNUC_PATCHLEVEL__)
#endif
#if defined(_LIBCPP_VERSION)
#define THALLO_LIBRARY_ABI_ ", libc++"
#elif !_GLIBCXX_USE_CXX11_ABI
#define THALLO_LIBRARY_ABI_ ", old string ABI"
#elif defined(_GLIBCXX_DEBUG)
#define THALLO_LIBRARY_ABI_ ", _GLIBCXX_DEBUG"
#else
#define THALLO_LIBRARY_ABI_ ""
#endif
// "0.3.1+8fd2c01e (g++ 12.2.0)"
#define THALLO_CORE_BUILD_ID THALLO_CORE_VERSION " (" THALLO_COMPILER THALLO_LIBRARY_ABI_ ")"

// Used once in a plugin, in one file, outside of any namespace. The last argument is an
// Expected<void>(Registrar&); whatever it throws becomes the text of a failure.
#define THALLO_PLUGIN(plugin_name, plugin_version, plugin_needs, ...)                      \
  extern "C" {                                                                             \
  THALLO_EXPORT extern const ThalloPluginDescriptor thallo_plugin;                         \
  THALLO_EXPORT extern const std::uint64_t thallo_plugin_seal[2];                          \
  __attribute__((used, section(THALLO_PLUGIN_SECTION)))                                    \
  const ThalloPluginDescriptor thallo_plugin = {THALLO_PLUGIN_MAGIC,  THALLO_PLUGIN_ABI,   \
                                                plugin_name,          plugin_version,      \
                                                THALLO_CORE_BUILD_ID, plugin_needs};       \
  __attribute__((used, section(THALLO_SEAL_SECTION)))                                      \
  const std::uint64_t thallo_plugin_seal[2] = {0, 0};                                      \
  THALLO_EXPORT int thallo_register_into(::thallo::Registrar* registrar, char* error,      \
                                         std::size_t error_size) noexcept {                \
    return ::thallo::detail::register_guarded(__VA_ARGS__, *registrar, error, error_size); \
  }                                                                                        \
  }                                                                                        \
  static_assert(true)
