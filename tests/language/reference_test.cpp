// docs/language.md is the reference of the energy language, docs/schedules.md that of schedules:
// every name and every method of a scheduling construct has an entry, every example in them loads
// and has a legal schedule, every message in them is the one that is given, and what can be made
// from the code is.
//
//   ### `Select(condition, then, else)`     an entry: names with their signatures,
//   `float2..float12`
//                                           for a range, `v:slice(...)` for a method
//   - `part:reorder{...}`: ...              in the section of a construct, between
//                                           <!-- plugins/... --> and <!-- end -->: a signature
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

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/frontend/schedule_text.h"
#include "core/language/names.h"
#include "core/schedule/schedule_reader.h"
#include "tests/language/texts.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

std::string path_of(const std::string& document) {
  return fmt::format("{}/{}", THALLO_SOURCE_DIR, document);
}

std::vector<std::string> read_lines(const std::string& path) {
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

// "- `part:materializeJ(store)`, `part:materializeJp(store)`: a flag each": those before the colon.
std::vector<std::string> leading_code_spans(const std::string& item) {
  std::size_t end = 2;
  while (end < item.size() && item[end] == '`') {
    end = std::min(item.find('`', end + 1), item.size() - 1) + 1;
    if (item.substr(end, 3) == ", `") end += 2;
  }
  return code_spans(item.substr(0, end));
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
  const std::string name = signature.substr(0, signature.find_first_of("({ "));
  const std::size_t colon = name.find(':');
  return {colon == std::string::npos ? name : name.substr(colon)};
}

struct Document {
  std::string name;  // "docs/language.md"
  std::vector<std::string> lines = read_lines(path_of(name));
  std::vector<Entry> entries;
  std::vector<Block> blocks;

  explicit Document(std::string name_in) : name(std::move(name_in)) {
    bool is_construct = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].starts_with("<!-- plugins/")) is_construct = true;
      if (lines[i] == "<!-- end -->") is_construct = false;
      const bool is_heading = lines[i].starts_with("### ");
      if (is_heading) entries.push_back({lines[i].substr(4), static_cast<int>(i) + 1, {}});
      std::vector<std::string> signatures;
      if (is_heading && !is_construct) signatures = code_spans(lines[i]);
      if (is_construct && !entries.empty() && lines[i].starts_with("- `"))
        signatures = leading_code_spans(lines[i]);
      for (const std::string& span : signatures)
        entries.back().signatures.push_back(names_of(span));
      if (!lines[i].starts_with("```")) continue;
      Block block{lines[i].substr(3), static_cast<int>(i) + 2, "", ""};
      if (!entries.empty()) block.entry = entries.back().heading;
      for (++i; i < lines.size() && lines[i] != "```"; ++i) block.text += lines[i] + "\n";
      blocks.push_back(std::move(block));
    }
  }

  std::string place(int line) const { return fmt::format("{}:{}", name, line); }
};

struct Reference {
  std::array<Document, 2> documents = {Document("docs/language.md"), Document("docs/schedules.md")};

  // The declarations that fragments may use, in either document.
  std::string frame() const {
    const auto& blocks = documents.front().blocks;
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

std::string in_frame(const Reference& reference, const std::string& fragment) {
  if (is_whole(fragment)) return fragment;
  std::string text = on_one_line(reference.frame()) + FrameResiduals + fragment;
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
  const Reference reference;
  std::map<std::string, std::string> found;  // by name, the place of its entry
  for (const Document& document : reference.documents) {
    ASSERT_FALSE(document.entries.empty()) << document.name;
    for (const Entry& entry : document.entries) {
      const std::string place = document.place(entry.line);
      EXPECT_FALSE(entry.signatures.empty()) << place << ": the entry names nothing";
      for (const auto& names : entry.signatures) {
        for (const std::string& name : names) {
          const auto [known, is_new] = found.emplace(name, place);
          const bool is_overload = known->second == place;  // log(a), log(a, base)
          EXPECT_TRUE(is_new || is_overload)
              << name << " has entries at " << known->second << " and " << place;
        }
      }
    }
  }
  const std::set<std::string> names = documented_names();
  for (const std::string& name : names)
    EXPECT_TRUE(found.contains(name)) << "no document has an entry for '" << name << "'";
  for (const auto& [name, place] : found)
    EXPECT_TRUE(names.contains(name)) << place << ": the language has no '" << name << "'";
}

TEST(LanguageReference, EveryEntryHasSemanticsAndAnExample) {
  const Reference reference;
  for (const Document& document : reference.documents) {
    for (const Entry& entry : document.entries) {
      const std::size_t text = static_cast<std::size_t>(entry.line) + 1;  // below an empty line
      EXPECT_TRUE(text < document.lines.size() && !document.lines[text].starts_with("```"))
          << document.place(entry.line) << ": nothing says what it means";
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
            << document.place(entry.line) << ": no example of '" << names.front() << "'";
    }
  }
}

// The schedule that an example has, as it is printed, or why it has none.
std::string schedule_of(const Energy& energy, const std::vector<ScheduleStatement>& statements) {
  const auto schedule = read_schedule(energy, statements, test::loaded_constructs());
  return schedule ? schedule->text(test::loaded_constructs()) : schedule.error().message();
}

TEST(LanguageReference, EveryScheduleFileSaysWhatTheFragmentAboveItDoes) {
  const Reference reference;
  int count = 0;
  for (const Document& document : reference.documents) {
    for (std::size_t i = 1; i < document.blocks.size(); ++i) {
      const Block& block = document.blocks[i];
      if (block.kind != "sched") continue;
      ++count;
      const LogCapture log;  // of inputs that an example does not use
      const auto fragment =
          load_energy_text(in_frame(reference, document.blocks[i - 1].text), "energy.lua");
      ASSERT_TRUE(fragment) << document.place(block.line) << ": " << fragment.error().message();
      const auto file = load_schedule_text(block.text, "energy.sched");
      ASSERT_TRUE(file) << document.place(block.line) << ": " << file.error().message();
      EXPECT_EQ(schedule_of(fragment->energy, fragment->schedule), block.text);
      EXPECT_EQ(schedule_of(fragment->energy, *file), block.text);
    }
  }
  EXPECT_GT(count, 0);
}

TEST(LanguageReference, EveryExampleLoads) {
  const Reference reference;
  ASSERT_FALSE(reference.frame().empty()) << "there is no block ```lua frame";
  for (const Document& document : reference.documents) {
    int count = 0;
    for (const Block& block : document.blocks) {
      if (block.kind != "lua" && block.kind != "lua energy") continue;
      ++count;
      EXPECT_EQ(is_whole(block.text), block.kind == "lua energy") << document.place(block.line);
      EXPECT_EQ(refusal_of(in_frame(reference, block.text)), "")
          << document.place(block.line) << ":\n"
          << block.text;
    }
    EXPECT_GT(count, 0) << document.name;
  }
}

// The index of names, with links to their entries as GitHub makes them.
std::string make_index(const Reference& reference) {
  const auto anchor_of = [](const std::string& heading) {
    std::string anchor;
    for (const char c : heading) {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) || c == '-' || c == '_')
        anchor += static_cast<char>(std::tolower(byte));
      if (c == ' ') anchor += '-';
    }
    return anchor;
  };
  std::map<std::string, std::string> links;
  for (const Document& document : reference.documents) {
    const bool is_here = &document == &reference.documents.front();
    const std::string page =
        is_here ? "" : std::filesystem::path(document.name).filename().string();
    for (const Entry& entry : document.entries) {
      for (const auto& names : entry.signatures)
        for (const std::string& name : names) links[name] = page + "#" + anchor_of(entry.heading);
    }
  }
  const std::set<std::string> names = documented_names();
  std::string text;
  std::string line;
  for (const std::string& name : names) {
    const std::string link = fmt::format("[`{}`]({})", name, links[name]);
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
      "| memory | {} MiB |\n| nodes of the expression graph | {} |\n"
      "| operands of its sums and products | {} |\n| time | {} s |\n",
      limits.instructions, limits.memory_bytes >> 20, limits.expressions, limits.operands,
      limits.seconds);
}

std::string make_losses() {
  std::string text = "| loss | ρ(s), where s = ‖r‖² |\n|---|---|\n";
  for (const KnownLoss& loss : known_losses())
    text += fmt::format("| `{}(a)` | {} |\n", loss.name, loss.formula);
  return text;
}

// The document with its messages and generated parts made anew.
std::string make_document(const Reference& reference, const Document& document) {
  const std::map<std::string, std::string> parts = {
      {"index", make_index(reference)}, {"limits", make_limits()}, {"losses", make_losses()}};
  std::string result;
  std::string error_text;  // of the last ```lua error block
  const std::vector<std::string>& lines = document.lines;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const int line = static_cast<int>(i) + 1;
    result += lines[i] + "\n";
    constexpr std::string_view Generated = "<!-- generated: ";
    if (lines[i].starts_with(Generated)) {
      const std::string name = lines[i].substr(
          Generated.size(), lines[i].find(' ', Generated.size()) - Generated.size());
      EXPECT_TRUE(parts.contains(name)) << document.place(line) << ": nothing is called " << name;
      while (i + 1 < lines.size() && lines[i + 1] != "<!-- end -->") ++i;
      if (parts.contains(name)) result += parts.at(name);
    }
    const std::string opening = lines[i];
    if (!opening.starts_with("```")) continue;
    std::string text;
    for (++i; i < lines.size() && lines[i] != "```"; ++i) text += lines[i] + "\n";
    if (!error_text.empty()) {
      EXPECT_EQ(opening, "```") << document.place(line)
                                << ": expected the message of the example above";
      text = refusal_of(in_frame(reference, error_text));
      EXPECT_NE(text, "") << document.place(line) << ": this loads:\n" << error_text;
    }
    error_text = opening == "```lua error" ? text : "";
    result += text + "```\n";
  }
  EXPECT_EQ(error_text, "") << document.name << ": an error example without its message";
  return result;
}

TEST(LanguageReference, IsWhatIsGenerated) {
  const Reference reference;
  for (const Document& document : reference.documents) {
    const std::string made = make_document(reference, document);
    std::string found;
    for (const std::string& line : document.lines) found += line + "\n";
    if (std::getenv("THALLO_UPDATE_GOLDEN") != nullptr) {
      std::ofstream(path_of(document.name), std::ios::binary) << made;
    } else {
      EXPECT_EQ(made, found) << document.name;
    }
  }
}

}  // namespace
}  // namespace thallo
