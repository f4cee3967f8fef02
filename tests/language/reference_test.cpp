// docs/language.md is the reference of the energy language: every name and every method of a
// scheduling construct has an entry, every example in it loads and has a legal schedule, every
// message in it is the one that is given, and what can be made from the code is.
//
//   ### `Select(condition, then, else)`     an entry: names with their signatures,
//   `float2..float12`
//                                           for a range, `v:slice(...)` for a method
//   ```lua                                  in an entry: a fragment, which loads within the frame
//   ```lua frame                            the declarations that fragments may use
//   ```lua energy                           a whole text
//   ```sched                                a schedule file: the schedule of the fragment above it
//   ```lua error                            a whole text or a fragment that is refused; the block
//                                           after it is the message
//   <!-- generated: NAME -->                up to <!-- end -->: written by this test
//
// THALLO_UPDATE_GOLDEN=1 writes messages and generated parts; review the difference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/language/names.h"
#include "core/language/schedule_file.h"
#include "core/schedule/schedule_reader.h"
#include "tests/language/texts.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

constexpr const char* ReferencePath = THALLO_SOURCE_DIR "/docs/language.md";

std::vector<std::string> read_lines(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

struct Block {
  std::string kind;  // what follows ```
  int line = 0;      // of the document, its first
  std::string text;
  std::string entry;  // the heading above it
};

struct Entry {
  std::string heading;
  int line = 0;
  std::vector<std::vector<std::string>> signatures;  // the names of each, several of a range
};

// "### `a(x)`, `b(x)`": what stands between backticks.
std::vector<std::string> code_spans(const std::string& heading) {
  std::vector<std::string> spans;
  for (std::size_t at = heading.find('`'); at != std::string::npos;) {
    const std::size_t end = std::min(heading.find('`', at + 1), heading.size());
    spans.push_back(heading.substr(at + 1, end - at - 1));
    at = heading.find('`', end + 1);
  }
  return spans;
}

// `v:slice(first, last)` is about ":slice", `float2..float4` about three names.
std::vector<std::string> names_of(const std::string& signature) {
  static const std::regex Range(R"(([a-z_]+)(\d+)([a-z]*)\.\.\1(\d+)\3)");
  if (std::smatch range; std::regex_match(signature, range, Range)) {
    std::vector<std::string> names;
    for (int i = std::stoi(range[2]); i <= std::stoi(range[4]); ++i)
      names.push_back(range[1].str() + std::to_string(i) + range[3].str());
    return names;
  }
  const std::string name = signature.substr(0, signature.find_first_of("( "));
  const std::size_t colon = name.find(':');
  return {colon == std::string::npos ? name : name.substr(colon)};
}

struct Document {
  std::vector<std::string> lines = read_lines(ReferencePath);
  std::vector<Entry> entries;
  std::vector<Block> blocks;

  Document() {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].starts_with("### ")) {
        entries.push_back({lines[i].substr(4), static_cast<int>(i) + 1, {}});
        for (const std::string& span : code_spans(lines[i]))
          entries.back().signatures.push_back(names_of(span));
      }
      if (!lines[i].starts_with("```")) continue;
      Block block{lines[i].substr(3), static_cast<int>(i) + 2, "", ""};
      if (!entries.empty()) block.entry = entries.back().heading;
      for (++i; i < lines.size() && lines[i] != "```"; ++i) block.text += lines[i] + "\n";
      blocks.push_back(std::move(block));
    }
  }

  std::string frame() const {
    const auto found = std::ranges::find(blocks, "lua frame", &Block::kind);
    return found == blocks.end() ? "" : found->text;
  }
};

// Without comments and on one line, so that the lines of what follows keep their numbers.
std::string on_one_line(const std::string& text) {
  std::istringstream stream(text);
  std::string result;
  for (std::string line; std::getline(stream, line);)
    result += line.substr(0, line.find("--")) + " ";
  return result;
}

bool is_whole(const std::string& text) { return text.find("Dims(") != std::string::npos; }

// A residual that uses every input of the frame.
constexpr const char* FrameResiduals =
    "local frame_ = { X(x, y) * A(x, y):sum() * Mask(x, y), w * (P(V0(e)) - P(V1(e))), "
    "dot(P(n) - Q(n), R(n)) * X(Pixel(n)), P(Next(n)), T(k) * P(n) } ";

std::string in_frame(const Document& document, const std::string& fragment) {
  if (is_whole(fragment)) return fragment;
  std::string text = on_one_line(document.frame()) + FrameResiduals + fragment;
  if (fragment.find("Residuals") == std::string::npos) text += "Residuals { frame_ = frame_ }\n";
  return text;
}

std::string refusal_of(const std::string& text) {
  const LogCapture log;  // of inputs that an example does not use
  const auto loaded = load_energy_text(text, "energy.lua");
  if (!loaded) return loaded.error().message() + "\n";
  const auto schedule = read_schedule(loaded->energy, loaded->schedule, test::loaded_constructs());
  return schedule ? "" : schedule.error().message() + "\n";
}

std::set<std::string> documented_names() {
  std::set<std::string> names;
  for (const std::string& name : language_names()) {
    const std::size_t colon = name.find(':');
    names.insert(colon == std::string::npos ? name : name.substr(colon));
  }
  for (const auto* construct : test::loaded_constructs().entries()) {
    for (const Spelling& spelling : construct->item->spellings()) {
      names.insert(fmt::format(":{}", spelling.method));
    }
  }
  return names;
}

TEST(LanguageReference, EveryNameHasOneEntryAndEveryEntryNamesSomething) {
  const Document document;
  ASSERT_FALSE(document.entries.empty()) << ReferencePath;
  std::map<std::string, int> found;  // by name, the line of its entry
  for (const Entry& entry : document.entries) {
    for (const auto& names : entry.signatures) {
      for (const std::string& name : names) {
        const auto [place, is_new] = found.emplace(name, entry.line);
        const bool is_overload = place->second == entry.line;  // log(a), log(a, base)
        EXPECT_TRUE(is_new || is_overload)
            << name << " has entries at lines " << place->second << " and " << entry.line;
      }
    }
  }
  const std::set<std::string> names = documented_names();
  for (const std::string& name : names)
    EXPECT_TRUE(found.contains(name)) << "docs/language.md has no entry for '" << name << "'";
  for (const auto& [name, line] : found)
    EXPECT_TRUE(names.contains(name))
        << "docs/language.md:" << line << ": the language has no '" << name << "'";
}

TEST(LanguageReference, EveryEntryHasSemanticsAndAnExample) {
  const Document document;
  for (const Entry& entry : document.entries) {
    const std::size_t text = static_cast<std::size_t>(entry.line) + 1;  // below an empty line
    EXPECT_TRUE(text < document.lines.size() && !document.lines[text].starts_with("```"))
        << "line " << entry.line << ": nothing says what it means";
    std::string examples;
    for (const Block& block : document.blocks)
      if (block.entry == entry.heading) examples += block.text;
    const auto is_used = [&](const std::string& name) {
      const std::string before = name.starts_with(':') ? "" : "(^|[^A-Za-z0-9_])";
      const std::string literal = std::regex_replace(name, std::regex("\\."), "\\.");
      return std::regex_search(examples, std::regex(before + literal + "([^A-Za-z0-9_]|$)"));
    };
    for (const auto& names : entry.signatures)
      EXPECT_TRUE(std::ranges::any_of(names, is_used))
          << "line " << entry.line << ": no example of '" << names.front() << "'";
  }
}

// The schedule that an example has, as it is printed, or why it has none.
std::string schedule_of(const Energy& energy, const std::vector<ScheduleStatement>& statements) {
  const auto schedule = read_schedule(energy, statements, test::loaded_constructs());
  return schedule ? schedule->text(test::loaded_constructs()) : schedule.error().message();
}

TEST(LanguageReference, EveryScheduleFileSaysWhatTheFragmentAboveItDoes) {
  const Document document;
  int count = 0;
  for (std::size_t i = 1; i < document.blocks.size(); ++i) {
    const Block& block = document.blocks[i];
    if (block.kind != "sched") continue;
    ++count;
    const LogCapture log;  // of inputs that an example does not use
    const auto fragment =
        load_energy_text(in_frame(document, document.blocks[i - 1].text), "energy.lua");
    ASSERT_TRUE(fragment) << fragment.error().message();
    const auto file = load_schedule_text(block.text, "energy.sched");
    ASSERT_TRUE(file) << "line " << block.line << ": " << file.error().message();
    EXPECT_EQ(schedule_of(fragment->energy, fragment->schedule), block.text);
    EXPECT_EQ(schedule_of(fragment->energy, *file), block.text);
  }
  EXPECT_GT(count, 0);
}

TEST(LanguageReference, EveryExampleLoads) {
  const Document document;
  ASSERT_FALSE(document.frame().empty()) << "there is no block ```lua frame";
  int count = 0;
  for (const Block& block : document.blocks) {
    if (block.kind != "lua" && block.kind != "lua energy") continue;
    ++count;
    EXPECT_EQ(is_whole(block.text), block.kind == "lua energy") << "line " << block.line;
    EXPECT_EQ(refusal_of(in_frame(document, block.text)), "")
        << "docs/language.md:" << block.line << ":\n"
        << block.text;
  }
  EXPECT_GT(count, 0);
}

// The index of names, with links to their entries as GitHub makes them.
std::string make_index(const Document& document) {
  std::map<std::string, std::string> links;
  for (const Entry& entry : document.entries) {
    std::string anchor;
    for (const char c : entry.heading) {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) || c == '-' || c == '_')
        anchor += static_cast<char>(std::tolower(byte));
      if (c == ' ') anchor += '-';
    }
    for (const auto& names : entry.signatures)
      for (const std::string& name : names) links[name] = anchor;
  }
  const std::set<std::string> names = documented_names();
  std::string text;
  std::string line;
  for (const std::string& name : names) {
    const std::string link = fmt::format("[`{}`](#{})", name, links[name]);
    if (line.size() + link.size() > 100) {
      text += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + link;
  }
  return text + line + "\n";
}

std::string make_limits() {
  const LoadLimits limits;
  return fmt::format(
      "| of the sandbox | at most |\n|---|---|\n| instructions of the Lua machine | {} |\n"
      "| memory | {} MiB |\n| nodes of the expression graph | {} |\n| time | {} s |\n",
      limits.instructions, limits.memory_bytes >> 20, limits.expressions, limits.seconds);
}

// The document with its messages and generated parts made anew.
std::string make_document(const Document& document) {
  const std::map<std::string, std::string> parts = {{"index", make_index(document)},
                                                    {"limits", make_limits()}};
  std::string result;
  std::string error_text;  // of the last ```lua error block
  const std::vector<std::string>& lines = document.lines;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    result += lines[i] + "\n";
    constexpr std::string_view Generated = "<!-- generated: ";
    if (lines[i].starts_with(Generated)) {
      const std::string name = lines[i].substr(
          Generated.size(), lines[i].find(' ', Generated.size()) - Generated.size());
      EXPECT_TRUE(parts.contains(name)) << "line " << i + 1 << ": nothing is called " << name;
      while (i + 1 < lines.size() && lines[i + 1] != "<!-- end -->") ++i;
      if (parts.contains(name)) result += parts.at(name);
    }
    const std::string opening = lines[i];
    if (!opening.starts_with("```")) continue;
    std::string text;
    for (++i; i < lines.size() && lines[i] != "```"; ++i) text += lines[i] + "\n";
    if (!error_text.empty()) {
      EXPECT_EQ(opening, "```") << "line " << i << ": expected the message of the example above";
      text = refusal_of(in_frame(document, error_text));
      EXPECT_NE(text, "") << "line " << i << ": this loads:\n" << error_text;
    }
    error_text = opening == "```lua error" ? text : "";
    result += text + "```\n";
  }
  EXPECT_EQ(error_text, "") << "an error example without its message";
  return result;
}

TEST(LanguageReference, IsWhatIsGenerated) {
  const Document document;
  const std::string made = make_document(document);
  std::string found;
  for (const std::string& line : document.lines) found += line + "\n";
  if (std::getenv("THALLO_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(ReferencePath, std::ios::binary) << made;
  } else {
    EXPECT_EQ(made, found);
  }
}

}  // namespace
}  // namespace thallo
