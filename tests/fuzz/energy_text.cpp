// Any text is an energy or a Diagnostic, within the limits of a load; never a crash or a hang.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/language/energy_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  thallo::LoadLimits limits;
  limits.instructions = 200'000;
  limits.memory_bytes = std::size_t{16} << 20;
  limits.expressions = 5'000;
  limits.seconds = 5;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto loaded = thallo::load_energy_text(text, "fuzz.lua", limits);
  if (!loaded && loaded.error().message().empty()) __builtin_trap();
  return 0;
}
