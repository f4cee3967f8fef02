// The page of a scheduling construct is the leading comment of its plugin's source: a sentence and
// five parts. docs/schedules.md shows it between two markers.
//
//   // reorder: decides the order of loops.         <!-- plugins/reorder/reorder.cpp -->
//   //                                              ### `reorder`
//   // Site: each part that runs over ...
//   //                                              Decides the order of loops.
//   // Choices: ...
//   //                                              **Site.** Each part that runs over ...
//   // Effect, Legality, Example                    <!-- end -->
//
// THALLO_UPDATE_GOLDEN=1 writes the sections anew; review the difference.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/lint/source_tree.h"

namespace thallo::test {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

constexpr std::array<std::string_view, 5> Parts = {"Site", "Choices", "Effect", "Legality",
                                                   "Example"};
constexpr std::string_view MarkerStart = "<!-- plugins/";
constexpr std::string_view MarkerEnd = " -->";
constexpr std::string_view SectionEnd = "<!-- end -->";

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// The comment at the head of a file, without the slashes and the blank after them.
std::vector<std::string> leading_comment(const SourceFile& file) {
  std::vector<std::string> comment;
  for (const std::string& line : lines_of(file.content)) {
    if (!line.starts_with("//")) break;
    comment.push_back(line.substr(line.starts_with("// ") ? 3 : 2));
  }
  return comment;
}

// A plugin may have further sources, or provide something else; only the source that registers a
// construct has a page.
bool has_page(const SourceFile& file) {
  return !file.is_header() && file.content.find("\nTHALLO_PLUGIN(") != std::string::npos &&
         file.content.find("register_item<thallo::Construct,") != std::string::npos;
}

std::vector<SourceFile> read_constructs() {
  std::vector<SourceFile> files = read_sources({"plugins"});
  std::erase_if(files, [](const SourceFile& file) { return !has_page(file); });
  return files;
}

struct Paragraph {
  std::string_view part;  // the part that begins here; empty: the one before goes on
  std::vector<std::string> lines;
};

// A block of code is one paragraph, empty lines included.
std::vector<Paragraph> paragraphs_of(const std::vector<std::string>& comment) {
  std::vector<Paragraph> paragraphs;
  bool is_new = true;
  bool is_code = false;
  for (const std::string& line : comment) {
    if (line.empty() && !is_code) {
      is_new = true;
      continue;
    }
    if (is_new) {
      paragraphs.emplace_back();
      for (const std::string_view part : Parts) {
        if (line.starts_with(fmt::format("{}:", part))) paragraphs.back().part = part;
      }
    }
    is_new = false;
    if (line.starts_with("```")) is_code = !is_code;
    paragraphs.back().lines.push_back(line);
  }
  return paragraphs;
}

std::string name_of(const SourceFile& file) {
  return std::filesystem::path(file.path).stem().string();
}

// What is wrong with the comment; each fault names the file and the part.
std::vector<std::string> faults_of(const SourceFile& file) {
  const std::vector<Paragraph> paragraphs = paragraphs_of(leading_comment(file));
  std::vector<std::string> faults;
  const auto report = [&](const std::string& what) {
    faults.push_back(fmt::format("{}: {}", file.path, what));
  };
  const std::string opening = name_of(file) + ": ";
  if (paragraphs.empty() || !paragraphs.front().lines.front().starts_with(opening))
    report(fmt::format("the leading comment must begin with '{}' and a sentence", opening));

  std::vector<std::string_view> found;
  for (const Paragraph& paragraph : paragraphs) {
    if (!paragraph.part.empty()) found.push_back(paragraph.part);
  }
  for (const std::string_view part : Parts) {
    const auto count = std::count(found.begin(), found.end(), part);
    if (count == 0) report(fmt::format("the leading comment has no part '{}:'", part));
    if (count > 1) report(fmt::format("the leading comment has the part '{}:' twice", part));
  }
  if (faults.empty() && !std::equal(found.begin(), found.end(), Parts.begin(), Parts.end()))
    report(fmt::format("the parts must be in the order {}", fmt::join(Parts, ", ")));

  // A part goes on until the next one.
  for (std::size_t i = 0; i < paragraphs.size(); ++i) {
    const std::string_view part = paragraphs[i].part;
    if (part.empty()) continue;
    bool has_code = false;
    std::size_t end = i + 1;
    for (; end < paragraphs.size() && paragraphs[end].part.empty(); ++end)
      has_code |= paragraphs[end].lines.front() == "```lua";
    const std::vector<std::string>& first = paragraphs[i].lines;
    const bool has_text =
        first.front().find_first_not_of(' ', part.size() + 1) != std::string::npos;
    if (end == i + 1 && first.size() == 1 && !has_text)
      report(fmt::format("the part '{}:' is empty", part));
    if (part == Parts.back() && !has_code) report("the part 'Example:' has no block ```lua");
  }
  return faults;
}

// "Site: each part." is "**Site.** Each part."
std::string with_heading(const std::string& line, std::string_view heading) {
  std::string rest = line.substr(line.find(':') + 1);
  const std::size_t first = rest.find_first_not_of(' ');
  if (first != std::string::npos)
    rest[first] = static_cast<char>(std::toupper(static_cast<unsigned char>(rest[first])));
  return heading.empty() ? rest.substr(std::min(first, rest.size()))
                         : fmt::format("**{}.**{}", heading, rest);
}

// The section of docs/schedules.md.
std::string page_of(const SourceFile& file) {
  std::string page = fmt::format("### `{}`\n", name_of(file));
  bool is_first = true;
  for (const Paragraph& paragraph : paragraphs_of(leading_comment(file))) {
    std::vector<std::string> lines = paragraph.lines;
    if (is_first || !paragraph.part.empty())
      lines.front() = with_heading(lines.front(), paragraph.part);
    page += "\n" + text_of(lines);
    is_first = false;
  }
  return page;
}

struct Section {
  std::string path;
  std::string found;
  std::string made;
};

// docs/schedules.md with its sections made anew, and what is wrong with its markers.
struct MadeDocument {
  std::string text;
  std::vector<Section> sections;
  std::vector<std::string> faults;
};

MadeDocument make_document(const std::vector<std::string>& lines,
                           const std::vector<SourceFile>& constructs) {
  MadeDocument made;
  std::set<std::string> shown;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    made.text += lines[i] + "\n";
    if (!lines[i].starts_with(MarkerStart)) continue;
    constexpr std::string_view Opening = "<!-- ";
    const std::string path =
        lines[i].substr(Opening.size(), lines[i].find(MarkerEnd) - Opening.size());
    const auto construct = std::find_if(constructs.begin(), constructs.end(),
                                        [&](const SourceFile& file) { return file.path == path; });
    const auto start = lines.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    const auto end = std::find(start, lines.end(), std::string(SectionEnd));
    if (construct == constructs.end())
      made.faults.push_back(fmt::format("line {}: no construct has the source {}", i + 1, path));
    else if (!shown.insert(path).second)
      made.faults.push_back(fmt::format("line {}: {} has two sections", i + 1, path));
    if (end == lines.end())
      made.faults.push_back(fmt::format("line {}: no {} below", i + 1, SectionEnd));
    if (construct == constructs.end() || end == lines.end()) continue;
    made.sections.push_back({path, text_of({start, end}), page_of(*construct)});
    made.text += made.sections.back().made;
    i = static_cast<std::size_t>(end - lines.begin()) - 1;
  }
  for (const SourceFile& construct : constructs) {
    if (!shown.contains(construct.path)) {
      made.faults.push_back(
          fmt::format("{} has no section; put <!-- {} --> and {} where it belongs", construct.path,
                      construct.path, SectionEnd));
    }
  }
  return made;
}

SourceFile source(const std::string& comment) {
  return {"plugins/loops/loops.cpp", comment + "\n#include <map>\n\nTHALLO_PLUGIN(\"loops\");\n"};
}

constexpr const char* Whole =
    "// loops: the order\n// of loops.\n//\n// Site: each part.\n//\n// Choices:\n//\n"
    "// - `part:loops()`: all.\n//\n// Effect: time.\n//\n// Legality: always.\n//\n"
    "// Example:\n//\n// ```lua\n// Effect: none\n//\n// r.fit:loops()\n// ```\n";

TEST(ConstructPages, TellWhichPartIsMissing) {
  EXPECT_THAT(faults_of(source(Whole)), IsEmpty());
  const auto without = [](const std::string& text) {
    std::string comment = Whole;
    return faults_of(source(comment.erase(comment.find(text), text.size())));
  };
  EXPECT_THAT(without("// Effect: time.\n//\n"),
              ElementsAre("plugins/loops/loops.cpp: the leading comment has no part 'Effect:'"));
  EXPECT_THAT(without("each part."), ElementsAre(HasSubstr("'Site:' is empty")));
  EXPECT_THAT(without("lua"), ElementsAre(HasSubstr("no block ```lua")));
  EXPECT_THAT(without("loops: "), ElementsAre(HasSubstr("must begin with 'loops: '")));
  EXPECT_THAT(faults_of(source("")), testing::SizeIs(6));
  EXPECT_THAT(faults_of(source("// loops: all.\n//\n// Choices: a.\n//\n// Site: b.\n//\n"
                               "// Effect: c.\n//\n// Legality: d.\n//\n"
                               "// Example:\n//\n// ```lua\n// ```\n")),
              ElementsAre(HasSubstr("in the order Site, Choices")));
}

TEST(ConstructPages, AreMadeOfTheComment) {
  EXPECT_EQ(page_of(source(Whole)),
            "### `loops`\n\nThe order\nof loops.\n\n**Site.** Each part.\n\n**Choices.**\n\n"
            "- `part:loops()`: all.\n\n**Effect.** Time.\n\n**Legality.** Always.\n\n"
            "**Example.**\n\n```lua\nEffect: none\n\nr.fit:loops()\n```\n");
  const auto made = make_document({"a", "<!-- plugins/loops/loops.cpp -->", "old", "<!-- end -->",
                                   "<!-- plugins/gone.cpp -->", "<!-- end -->", "b"},
                                  {source(Whole)});
  EXPECT_EQ(made.text, "a\n<!-- plugins/loops/loops.cpp -->\n" + page_of(source(Whole)) +
                           "<!-- end -->\n<!-- plugins/gone.cpp -->\n<!-- end -->\nb\n");
  EXPECT_THAT(made.sections, ElementsAre(testing::Field(&Section::found, "old\n")));
  EXPECT_THAT(made.faults, ElementsAre("line 5: no construct has the source plugins/gone.cpp"));
  EXPECT_THAT(make_document({"a"}, {source(Whole)}).faults,
              ElementsAre(HasSubstr("plugins/loops/loops.cpp has no section")));
}

TEST(ConstructPages, EveryPluginHasItsFiveParts) {
  if (!has_source_tree()) GTEST_SKIP() << "no source tree at " << source_root();
  const std::vector<SourceFile> constructs = read_constructs();
  EXPECT_GT(constructs.size(), 10u) << "the plugins were not read";
  for (const SourceFile& file : constructs) {
    for (const std::string& fault : faults_of(file)) ADD_FAILURE() << fault;
  }
}

TEST(ConstructPages, AreShownInTheDocumentOfSchedules) {
  if (!has_source_tree()) GTEST_SKIP() << "no source tree at " << source_root();
  const std::string path = source_root() + "/docs/schedules.md";
  std::ostringstream found;
  found << std::ifstream(path, std::ios::binary).rdbuf();
  const MadeDocument made = make_document(lines_of(found.str()), read_constructs());
  for (const std::string& fault : made.faults) ADD_FAILURE() << "docs/schedules.md: " << fault;
  if (std::getenv("THALLO_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << made.text;
  } else {
    for (const auto& [source_path, shown, page] : made.sections)
      EXPECT_EQ(shown, page) << "docs/schedules.md shows another text than " << source_path
                             << " has; run this test with THALLO_UPDATE_GOLDEN=1";
  }
}

}  // namespace
}  // namespace thallo::test
