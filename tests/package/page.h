// What stands in the fenced blocks of a page.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace thallo::test {

std::string read_text(const std::filesystem::path& path);

// The files of a page by their names: a line `NAME`: and the block that follows it.
std::map<std::string, std::string> files_of(const std::string& page);

// The other blocks of a language, in their order.
std::vector<std::string> snippets_of(const std::string& page, std::string_view language);

}  // namespace thallo::test
