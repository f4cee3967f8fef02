#include "tests/package/page.h"

#include <fstream>
#include <functional>
#include <regex>
#include <sstream>

namespace thallo::test {
namespace {

// Visits the blocks with their languages and the names of their files, "" where they have none.
void each_block(const std::string& page,
                const std::function<void(const std::string& file, const std::string& language,
                                         const std::string& text)>& visit) {
  static const std::regex block(R"((?:\n`([^`\n]+)`:)?\n\n```([a-z]*)\n([^]*?\n)```)");
  for (std::sregex_iterator it(page.begin(), page.end(), block), end; it != end; ++it)
    visit((*it)[1], (*it)[2], (*it)[3]);
}

}  // namespace

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::map<std::string, std::string> files_of(const std::string& page) {
  std::map<std::string, std::string> files;
  each_block(page, [&](const std::string& file, const std::string&, const std::string& text) {
    if (!file.empty()) files[file] = text;
  });
  return files;
}

std::vector<std::string> snippets_of(const std::string& page, std::string_view language) {
  std::vector<std::string> snippets;
  each_block(page, [&](const std::string& file, const std::string& of, const std::string& text) {
    if (file.empty() && of == language) snippets.push_back(text);
  });
  return snippets;
}

}  // namespace thallo::test
