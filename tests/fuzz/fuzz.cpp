// The libFuzzer program. THALLO_FUZZ=png (csv, ply ...) says which reader it feeds, and
// THALLO_FUZZ=energy_text or schedule_text that it feeds the language; `THALLO_FUZZ=png fuzz FILE`
// repeats a finding. Any bytes must be a file of that format or a Diagnostic: never a crash, a
// hang, a leak, or memory beyond what the file can hold.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/io/bal.h"
#include "core/base/io/csv.h"
#include "core/base/io/exr.h"
#include "core/base/io/flo.h"
#include "core/base/io/g2o.h"
#include "core/base/io/imagedump.h"
#include "core/base/io/jpeg.h"
#include "core/base/io/npy.h"
#include "core/base/io/npz.h"
#include "core/base/io/obj.h"
#include "core/base/io/off.h"
#include "core/base/io/pfm.h"
#include "core/base/io/ply.h"
#include "core/base/io/png.h"
#include "core/base/io/pnm.h"
#include "core/base/io/stl.h"
#include "core/base/io/tiff.h"
#include "core/frontend/schedule_text.h"
#include "core/language/load_energy.h"
#include "tests/fuzz/png_checksums.h"

namespace {

using namespace thallo;

// Ends the program when an error says nothing.
template <auto Parse>
void feed(std::string_view content) {
  const auto parsed = Parse("fuzz", content);
  if (!parsed && parsed.error().message().find("fuzz") == std::string::npos) __builtin_trap();
}

// Unpacks all arrays.
void feed_archive(std::string_view content) {
  feed<parse_npz>(content);
  const auto archive = parse_npz("fuzz", content);
  for (std::size_t i = 0; archive && i < archive->num_arrays(); ++i) {
    const auto array = archive->array(i);
    if (!array && array.error().message().find("fuzz:") == std::string::npos) __builtin_trap();
  }
}

// Limits that a loop reaches in milliseconds.
constexpr LoadLimits FewSteps = {.instructions = 200'000,
                                 .memory_bytes = std::size_t{16} << 20,
                                 .expressions = 5'000,
                                 .seconds = 5};

template <auto Load>
void feed_language(std::string_view text) {
  const auto loaded = Load(text, "fuzz.lua", FewSteps);
  if (!loaded && loaded.error().message().empty()) __builtin_trap();
}

struct Target {
  std::string_view name;
  void (*feed)(std::string_view content);
};

constexpr Target Targets[] = {
    {"bal", feed<parse_bal>},
    {"csv", feed<parse_csv>},
    {"energy_text", feed_language<load_energy_text>},
    {"exr", feed<parse_exr>},
    {"flo", feed<parse_flo>},
    {"g2o", feed<parse_g2o>},
    {"jpeg", feed<parse_jpeg>},
    {"npy", feed<parse_npy>},
    {"npz", feed_archive},
    {"imagedump", feed<parse_imagedump>},
    {"obj", feed<parse_obj>},
    {"off", feed<parse_off>},
    {"pfm", feed<parse_pfm>},
    {"ply", feed<parse_ply>},
    {"png", feed<parse_png>},
    {"pnm", feed<parse_pnm>},
    {"schedule_text", feed_language<load_schedule_text>},
    {"stl", feed<parse_stl>},
    {"tiff", feed<parse_tiff>},
};

const Target& chosen_target() {
  static const Target& chosen = [&]() -> const Target& {
    const char* name = std::getenv("THALLO_FUZZ");
    std::string legal;
    for (const Target& target : Targets) {
      if (name != nullptr && target.name == name) return target;
      legal += fmt::format(" {}", target.name);
    }
    fmt::print(stderr, "fuzz: THALLO_FUZZ must be one of{}\n", legal);
    std::exit(2);
  }();
  return chosen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen_target().feed({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max);

// libpng looks no further than a checksum that is wrong.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max);
  const bool keeps_checksums = seed % 16 == 0;
  if (chosen_target().name == "png" && !keeps_checksums) thallo::correct_checksums({data, size});
  return size;
}
