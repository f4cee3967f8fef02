// Any bytes are a file of this format or a Diagnostic; never a crash, a hang, or memory beyond what
// the file can hold. CMakeLists.txt names the header and the parser.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include THALLO_FUZZ_HEADER

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  const auto parsed = thallo::THALLO_FUZZ_PARSE("fuzz", content);
  if (!parsed && parsed.error().message().find("fuzz") == std::string::npos) __builtin_trap();
  return 0;
}
