// A folder with an energy text, denoise.lua, and a picture for its inputs X and A, noisy.png.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/base/io/image.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {

class DenoiseFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("denoise.lua", R"(local W, H = Dims("W", "H")
Inputs { X = Unknown(float, {W, H}, 0), A = Array(float, {W, H}, 1), w = Param(float, 2) }
local x, y = W(), H()
local slope = Select(InBounds(x + 1, y), X(x, y) - X(x + 1, y), 0)
Residuals { fit = X(x, y) - A(x, y), reg = w * slope }
)");
    Image noisy(6, 4, 1);
    for (std::size_t i = 0; i < noisy.data.size(); ++i) noisy.data[i] = i % 2 == 0 ? 0.25f : 0.75f;
    ASSERT_TRUE(write_image(folder_.path() / "noisy.png", noisy));
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  TempDir folder_;
};

}  // namespace thallo::test
