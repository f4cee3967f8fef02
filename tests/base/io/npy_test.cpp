#include "core/base/io/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/io/file.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::HasSubstr;
using namespace std::literals;

TEST(Npy, RoundTripsTypesAndShapes) {
  const test::TempDir dir;
  const auto path = dir.path() / "a.npy";
  const NpyArray arrays[] = {{{2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}},
                             {{4}, std::vector<double>{0.1, 0.2, 1e300, -0.0}},
                             {{}, std::vector<std::int32_t>{-7}},
                             {{3, 0, 2}, std::vector<float>{}}};
  for (const NpyArray& array : arrays) {
    ASSERT_TRUE(write_npy(path, array));
    const auto back = read_npy(path);
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(*back, array);
  }
}

TEST(Npy, HasTheHeaderOfNumpy) {
  const test::TempDir dir;
  ASSERT_TRUE(write_npy(dir.path() / "a.npy", {{2, 1}, std::vector<float>{1.0f, 2.0f}}));
  const std::string content = *read_file(dir.path() / "a.npy");
  EXPECT_EQ(content.size(), 128u + 8u);
  EXPECT_THAT(content, testing::StartsWith("\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', "
                                           "'fortran_order': False, 'shape': (2,1,), }"s));
  EXPECT_EQ(content[127], '\n');
}

// The bytes that numpy.save wrote for numpy.arange(3, dtype=numpy.int32).
TEST(Npy, ReadsWhatNumpyWrote) {
  const test::TempDir dir;
  std::string content =
      "\x93NUMPY\x01\x00\x76\x00{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }"s;
  content.append(127 - content.size(), ' ');
  content += "\n\x00\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00"s;
  const auto array = read_npy(dir.write("a.npy", content));
  ASSERT_TRUE(array) << array.error().message();
  EXPECT_EQ(*array, (NpyArray{{3}, std::vector<std::int32_t>{0, 1, 2}}));
}

TEST(Npy, NamesWhatIsWrong) {
  const test::TempDir dir;
  const auto message = [&](std::string_view header, std::string_view values = "") {
    std::string content = "\x93NUMPY\x01\x00"s;
    content += static_cast<char>(header.size());
    content += '\0';
    content += header;
    content += values;
    return read_npy(dir.write("a.npy", content)).error().message();
  };
  EXPECT_THAT(message("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }"),
              HasSubstr("is in Fortran order"));
  EXPECT_THAT(message("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }"),
              HasSubstr("has values of type '<c8', which cannot be read (legal: '<f4', '<f8', "));
  EXPECT_THAT(message("{'descr': '<f4', 'fortran_order': False, 'shape': (2,x), }"),
              HasSubstr("has a damaged header"));
  EXPECT_THAT(message("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "12345678"),
              HasSubstr("3 values (12 bytes) should follow, but 8 bytes are left"));
  EXPECT_THAT(read_npy(dir.write("b.npy", "\x93NUMPY\x02\x00"s)).error().message(),
              HasSubstr("truncated"));
  EXPECT_THAT(read_npy(dir.write("b.npy", "\x93NUMPY\x03\x00\x00\x00"s)).error().message(),
              HasSubstr("version 3.0"));
  EXPECT_THAT(read_npy(dir.write("b.npy", "hello")).error().message(),
              HasSubstr("b.npy: is not an npy file"));
}

}  // namespace
}  // namespace thallo
