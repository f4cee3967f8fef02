// NVRTC for tests, opened at run time: it needs a CUDA toolkit and no GPU.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace thallo::test {

struct NvrtcResult {
  bool found = false;  // is there a toolkit
  bool ok = false;
  std::string log;  // the compiler's messages; empty when it has nothing to say
  std::string ptx;
};

NvrtcResult compile_with_nvrtc(const std::string& source,
                               std::vector<std::string> options = {"--gpu-architecture=compute_90",
                                                                   "-default-device"});

}  // namespace thallo::test

// Compiles, or skips the test where there is no toolkit.
#define THALLO_COMPILE_OR_SKIP(result, source)                                           \
  const ::thallo::test::NvrtcResult result = ::thallo::test::compile_with_nvrtc(source); \
  if (!result.found) GTEST_SKIP() << "no libnvrtc.so (a CUDA toolkit) on this machine"
