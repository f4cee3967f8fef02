#include "core/base/io/npz.h"

#include <gmock/gmock.h>

#include <string>

#include "core/base/io/file.h"

namespace thallo {
namespace {

using testing::HasSubstr, testing::StartsWith;
using namespace std::literals;

// Written by NumPy 2.
std::string content_of(const char* name) {
  auto content = read_file(THALLO_SOURCE_DIR "/tests/fuzz/seeds/npz/"s + name);
  EXPECT_TRUE(content) << content.error().message();
  return content ? *content : "";
}

// The fault of reading all arrays, "" if there is none.
std::string fault_of(std::string_view content) {
  const auto archive = parse_npz("a.npz", content);
  if (!archive) return archive.error().message();
  for (std::size_t i = 0; i < archive->num_arrays(); ++i)
    if (const auto array = archive->array(i); !array) return array.error().message();
  return "";
}

TEST(Npz, ReadsDeflatedAndStoredArrays) {
  const auto deflated = parse_npz("a.npz", content_of("numpy.npz"));
  ASSERT_TRUE(deflated) << deflated.error().message();
  ASSERT_EQ(deflated->num_arrays(), 3u);
  EXPECT_EQ(deflated->name(0), "depth");
  EXPECT_EQ(*deflated->array(0), (NpyArray{{2, 3}, std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(deflated->name(1), "layer.weight");
  EXPECT_EQ(*deflated->array(1), (NpyArray{{3, 2}, std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}}));
  EXPECT_THAT(deflated->array(2).error().message(),
              StartsWith("a.npz:text: has values of type '<U1', which cannot be read (legal: "));
  const auto stored = parse_npz("b.npz", content_of("stored.npz"));
  ASSERT_TRUE(stored) << stored.error().message();
  ASSERT_EQ(stored->num_arrays(), 1u);
  EXPECT_EQ(stored->name(0), "arr_0");
  EXPECT_EQ(*stored->array(0), (NpyArray{{2}, std::vector<std::int32_t>{1, 0}}));
}

TEST(Npz, NamesWhatIsWrong) {
  std::string content = content_of("stored.npz");
  for (std::size_t size = 0; size < content.size(); ++size)
    EXPECT_THAT(fault_of(content.substr(0, size)), StartsWith("a.npz")) << size;
  EXPECT_EQ(fault_of(content.substr(0, 100)),
            "a.npz: is truncated: the list of its arrays is absent");
  std::string changed = content;
  changed[content.find("arr_0.npy") + 9 + 20 + 128] ^= 2;  // of the array's values
  EXPECT_THAT(fault_of(changed), HasSubstr("a.npz:arr_0: is damaged: its checksum is "));
  const std::size_t entry = content.find("PK\1\2");
  changed = content;
  changed[entry + 10] = 12;
  EXPECT_EQ(fault_of(changed),
            "a.npz:arr_0: is packed by method 12 of ZIP; stored (0) and deflated (8) can be read");
  changed = content;
  changed[entry + 8] |= 1;
  EXPECT_EQ(fault_of(changed), "a.npz:arr_0: is encrypted");
  changed = content;
  changed.replace(changed.rfind("arr_0.npy"), 9, "arr_0.txt");
  EXPECT_EQ(fault_of(changed), "a.npz: is a ZIP file without arrays (.npy)");
  // An entry that says it unpacks to four bytes more than it does.
  changed = content_of("numpy.npz");
  changed[changed.find("PK\1\2") + 24] += 4;
  EXPECT_THAT(fault_of(changed), HasSubstr("a.npz:depth: is truncated or damaged: the deflated "));
}

}  // namespace
}  // namespace thallo
