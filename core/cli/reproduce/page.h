// One page with all tables and figures of papers: what was made again, and what was not and why.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cli/reproduce/reproduction.h"

namespace thallo::cli {

// An item of a paper, made or not.
struct PageItem {
  const Paper* paper = nullptr;
  const PaperItem* item = nullptr;
  std::optional<Reproduction> made;
  std::string why_not;  // where it was not made
  std::string picture;  // where its picture is, as seen from the page; empty if there is none

  // Returns "opt_figure_12", its name in addresses and files.
  std::string name() const;
};

// Items of one paper must stand together. The page begins with the day, the build, the devices that
// made it, and what is left. Markdown has a table of contents, and links to pictures.
std::string page_text(std::span<const PageItem> items);
std::string page_markdown(std::span<const PageItem> items);

// Returns "3 cases are left ...; 1 case failed", or that nothing is left.
std::string remainder_text(std::span<const PageItem> items);

}  // namespace thallo::cli
