// Runs the files energy/*.case: an energy text that must be refused, and the message it must be
// refused with. A file is
//
//   # name: wrong_rank
//   # description: a field read with one index too few
//   <energy text; its first line is line 1>
//   ----
//   <message>
//
// THALLO_UPDATE_GOLDEN=1 writes the messages that were found into the files; review the difference.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/language/energy_file.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string header;  // the lines that begin with '#'
  std::string input;
  std::string expected;
};

Case read_case(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::size_t begin = 0;
  while (begin < text.size() && text[begin] == '#')
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  constexpr std::string_view Separator = "\n----\n";
  const std::size_t end = std::min(text.find(Separator, begin), text.size());
  Case result{text.substr(0, begin), text.substr(begin, end - begin), {}};
  if (end < text.size()) result.expected = text.substr(end + Separator.size());
  while (result.expected.ends_with('\n')) result.expected.pop_back();
  return result;
}

std::vector<fs::path> find_cases() {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(THALLO_ERROR_CASES "/energy", error))
    if (entry.path().extension() == ".case") paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

class EnergyText : public testing::TestWithParam<fs::path> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EnergyText);

TEST_P(EnergyText, IsRefused) {
  const Case found = read_case(GetParam());
  EXPECT_NE(found.header.find("# name: " + GetParam().stem().string() + "\n"), std::string::npos);
  EXPECT_NE(found.header.find("# description: "), std::string::npos);

  const Expected<EnergyFile> loaded = load_energy_text(found.input, "energy.lua");
  ASSERT_FALSE(loaded) << "the text loads";
  const std::string message = loaded.error().message();
  if (std::getenv("THALLO_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(GetParam(), std::ios::binary) << found.header << found.input << "\n----\n"
                                                << message << "\n";
  } else {
    EXPECT_EQ(message, found.expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, EnergyText, testing::ValuesIn(find_cases()),
                         [](const auto& tested) { return tested.param.stem().string(); });

}  // namespace
}  // namespace thallo
