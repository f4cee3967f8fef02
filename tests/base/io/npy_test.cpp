#include "core/base/io/npy.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

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
    const auto back = read_as<parse_npy>(path);
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(*back, array);
  }
}

TEST(Npy, HasTheHeaderOfNumpyWhichReadsIt) {
  const test::TempDir dir;
  ASSERT_TRUE(write_npy(dir.path() / "a.npy", {{2, 1}, std::vector<float>{1.0f, 2.0f}}));
  const std::string content = *read_file(dir.path() / "a.npy");
  EXPECT_EQ(content.size(), 128u + 8u);
  EXPECT_THAT(content, testing::StartsWith("\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', "
                                           "'fortran_order': False, 'shape': (2,1,), }"s));
  EXPECT_EQ(content[127], '\n');
  // The bytes that numpy.save wrote for numpy.arange(3, dtype=numpy.int32).
  std::string theirs =
      "\x93NUMPY\x01\x00\x76\x00{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }"s;
  theirs.append(127 - theirs.size(), ' ');
  theirs += "\n\x00\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00"s;
  const auto array = read_as<parse_npy>(dir.write("a.npy", theirs));
  ASSERT_TRUE(array) << array.error().message();
  EXPECT_EQ(*array, (NpyArray{{3}, std::vector<std::int32_t>{0, 1, 2}}));
}

// An npy file of version 1.0.
std::string npy_text(std::string_view header, std::string_view values = "") {
  std::string content = "\x93NUMPY\x01\x00"s;
  content += static_cast<char>(header.size());
  content += '\0';
  content += header;
  content += values;
  return content;
}

TEST(Npy, ReadsTheTypesOfNumpyInBothByteOrders) {
  struct Case {
    const char* type;
    std::string_view bytes;
    NpyArray expected;
  };
  using I4 = std::vector<std::int32_t>;
  using I8 = std::vector<std::int64_t>;
  const Case cases[] = {
      {"|b1", "\x01\x00"sv, {{2}, I4{1, 0}}},
      {"|i1", "\xff\x7f"sv, {{2}, I4{-1, 127}}},
      {"|u1", "\xff\x7f"sv, {{2}, I4{255, 127}}},
      {"<i2", "\xfe\xff\x01\x02"sv, {{2}, I4{-2, 513}}},
      {">i2", "\xff\xfe\x02\x01"sv, {{2}, I4{-2, 513}}},
      {"<u2", "\xfe\xff\x01\x02"sv, {{2}, I4{65534, 513}}},
      {">i4", "\xff\xff\xff\xfe\x00\x00\x02\x01"sv, {{2}, I4{-2, 513}}},
      {"<u4", "\xfe\xff\xff\xff\x01\x02\x00\x00"sv, {{2}, I8{4294967294, 513}}},
      {"<i8",
       "\xfe\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00\x00\x01\x00\x00\x00"sv,
       {{2}, I8{-2, 4294967297}}},
      {">u8",
       "\xff\xff\xff\xff\xff\xff\xff\xfe\x00\x00\x00\x00\x00\x00\x02\x01"sv,
       {{2}, std::vector<std::uint64_t>{18446744073709551614U, 513}}},
      {"<f2", "\x00\x3e\xff\xfb"sv, {{2}, std::vector<float>{1.5f, -65504}}},
      {">f2", "\x3e\x00\xfb\xff"sv, {{2}, std::vector<float>{1.5f, -65504}}},
      {">f4", "\x3f\xc0\x00\x00\xc0\x00\x00\x00"sv, {{2}, std::vector<float>{1.5f, -2}}},
      {">f8",
       "\x3f\xf8\x00\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x00"sv,
       {{2}, std::vector<double>{1.5, -2}}},
  };
  for (const Case& c : cases) {
    const std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (2,), }}", c.type);
    const auto array = parse_npy("a.npy", npy_text(header, c.bytes));
    ASSERT_TRUE(array) << c.type << ": " << array.error().message();
    EXPECT_EQ(*array, c.expected) << c.type;
  }
}

TEST(Npy, ReadsFortranOrderAndLongHeaders) {
  std::string bytes;
  for (char i = 0; i < 24; ++i) bytes += i;
  const auto array = parse_npy(
      "a.npy", npy_text("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 4), }", bytes));
  ASSERT_TRUE(array) << array.error().message();
  const auto& values = std::get<std::vector<std::int32_t>>(array->values);
  ASSERT_EQ(values.size(), 24u);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k)
        EXPECT_EQ(values[static_cast<std::size_t>((i * 3 + j) * 4 + k)], i + 2 * (j + 3 * k));
  std::string content = npy_text("{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", "7");
  content[6] = 2;
  content.insert(10, 2, '\0');
  const auto later = parse_npy("a.npy", content);
  ASSERT_TRUE(later) << later.error().message();
  EXPECT_EQ(*later, (NpyArray{{1}, std::vector<std::int32_t>{'7'}}));
}

TEST(Npy, NamesWhatIsWrong) {
  const test::TempDir dir;
  const auto message = [&](std::string_view header, std::string_view values = "") {
    return read_as<parse_npy>(dir.write("a.npy", npy_text(header, values))).error().message();
  };
  EXPECT_THAT(message("{'descr': '<f4', 'fortran_order': 1, 'shape': (1,), }"),
              HasSubstr("has a damaged header"));
  EXPECT_THAT(message("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }"),
              HasSubstr("has values of type '<c8', which cannot be read (legal: bool, int8 to"));
  EXPECT_THAT(message("{'descr': '<f4', 'fortran_order': False, 'shape': (2,x), }"),
              HasSubstr("has a damaged header"));
  EXPECT_THAT(message("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "12345678"),
              HasSubstr("3 values (12 bytes) should follow, but 8 bytes are left"));
  EXPECT_THAT(message("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "12345678"),
              HasSubstr("a.npy: has 4 bytes behind its 1 values"));
  EXPECT_THAT(read_as<parse_npy>(dir.write("b.npy", "\x93NUMPY\x02\x00"s)).error().message(),
              HasSubstr("truncated"));
  EXPECT_THAT(
      read_as<parse_npy>(dir.write("b.npy", "\x93NUMPY\x04\x00\x00\x00"s)).error().message(),
      HasSubstr("version 4.0"));
  EXPECT_THAT(read_as<parse_npy>(dir.write("b.npy", "hello")).error().message(),
              HasSubstr("b.npy: is not an npy file"));
}

}  // namespace
}  // namespace thallo
