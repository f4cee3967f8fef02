#include "core/cli/reproduce/page.h"

#include <algorithm>
#include <chrono>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/cli/output/table.h"
#include "core/cli/reproduce/makers.h"
#include "core/cli/reproduce/output.h"
#include "core/plugin/loader.h"

namespace thallo::cli {
namespace {

constexpr const char* PageTitle = "Tables and figures made again";

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::now()));
}

void add_once(std::vector<std::string>& all, const std::string& text) {
  if (std::ranges::find(all, text) == all.end()) all.push_back(text);
}

// What stands above everything.
std::vector<std::string> facts_of(std::span<const PageItem> items) {
  std::vector<std::string> devices, others;
  bool is_tiny = false;
  for (const PageItem& item : items) {
    if (!item.made) continue;
    for (const MadeBy& maker : makers_of(*item.made)) add_once(devices, maker.device);
    is_tiny = is_tiny || item.made->is_tiny;
    for (const ReproducedCase& one : item.made->cases)
      for (const MadeBy& other : one.others)
        add_once(others, fmt::format("{} by thallo {}", other.device, other.core));
  }
  std::vector<std::string> facts = {
      fmt::format("Made on {} by thallo {}.", today(), core_build_id()),
      fmt::format("Ours are of: {}{}.", fmt::join(devices, ", "),
                  is_tiny ? "; on tiny inputs, which say nothing of speed" : "")};
  if (!others.empty())
    facts.push_back(fmt::format("Some cases were made earlier, which their notes say: on {}.",
                                fmt::join(others, ", ")));
  facts.push_back(remainder_text(items));
  return facts;
}

// Calls `use` with the items of each paper.
template <class Use>
void each_paper(std::span<const PageItem> items, const Use& use) {
  for (std::size_t begin = 0; begin < items.size();) {
    std::size_t end = begin;
    while (end < items.size() && items[end].paper == items[begin].paper) ++end;
    use(items.subspan(begin, end - begin));
    begin = end;
  }
}

// The items that were not made; empty if there are none.
Table not_made(std::span<const PageItem> items) {
  Table table({{"item", Table::Align::Left},
               {"what it shows", Table::Align::Left},
               {"why it is not here", Table::Align::Left}});
  for (const PageItem& item : items)
    if (!item.made) table.add({item.item->number, item.item->title, item.why_not});
  return table;
}

std::string contents(std::span<const PageItem> items) {
  std::string text;
  each_paper(items, [&](std::span<const PageItem> of_paper) {
    text +=
        fmt::format("- [{}](#{})\n", of_paper.front().paper->title, of_paper.front().paper->name);
    for (const PageItem& item : of_paper)
      if (item.made)
        text +=
            fmt::format("  - [{}](#{}): {}\n", item.item->number, item.name(), item.item->title);
  });
  return text;
}

}  // namespace

std::string PageItem::name() const {
  std::string name = fmt::format("{}_{}", paper->name, item->number);
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if ((c < 'a' || c > 'z') && (c < '0' || c > '9')) c = '_';
  }
  return name;
}

std::string remainder_text(std::span<const PageItem> items) {
  int num_left = 0, num_failed = 0;
  std::vector<std::string> left;
  for (const PageItem& item : items) {
    if (!item.made) continue;
    num_left += item.made->num_left;
    num_failed += item.made->num_failed;
    if (item.made->num_left > 0)
      left.push_back(fmt::format("{} {}", item.paper->name, item.item->number));
  }
  std::string text = "Nothing is left.";
  if (num_left > 0)
    text = fmt::format(
        "Left are {} cases, of {}. The same command goes on with them if it has a store.", num_left,
        fmt::join(left, ", "));
  if (num_failed > 0)
    text += fmt::format(" {} cases, or parts of them, could not be run; their notes say why.",
                        num_failed);
  return text;
}

std::string page_text(std::span<const PageItem> items) {
  std::string text = fmt::format("{}\n\n{}\n", PageTitle, fmt::join(facts_of(items), "\n"));
  each_paper(items, [&](std::span<const PageItem> of_paper) {
    for (const PageItem& item : of_paper)
      if (item.made) text += "\n" + reproduction_table(*item.made).text();
    if (const Table table = not_made(of_paper); !table.empty())
      text += fmt::format("\n{}, not made\n\n{}", of_paper.front().paper->title, table.text(2));
  });
  return text;
}

std::string page_markdown(std::span<const PageItem> items) {
  std::string text = fmt::format("# {}\n\n", PageTitle);
  for (const std::string& fact : facts_of(items)) text += fmt::format("- {}\n", fact);
  text += fmt::format("\n## Contents\n\n{}", contents(items));
  each_paper(items, [&](std::span<const PageItem> of_paper) {
    const Paper& paper = *of_paper.front().paper;
    text += fmt::format("\n<a id=\"{}\"></a>\n\n## {}\n", paper.name, paper.title);
    for (const PageItem& item : of_paper) {
      if (!item.made) continue;
      text += fmt::format("\n<a id=\"{}\"></a>\n\n{}", item.name(),
                          reproduction_table(*item.made, TableTitle::OnPage).markdown(3));
      if (!item.picture.empty())
        text += fmt::format("\n![{}: {}]({})\n", item.item->number, item.item->title, item.picture);
    }
    if (const Table table = not_made(of_paper); !table.empty())
      text += fmt::format("\n### Not made\n\n{}", table.markdown());
  });
  return text;
}

}  // namespace thallo::cli
