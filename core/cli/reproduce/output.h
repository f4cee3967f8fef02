// Shows reproductions: what the paper prints and what was measured here, side by side.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/cli/output/data_table.h"
#include "core/cli/reproduce/reproduction.h"

namespace thallo::cli {

// Whether the title of a table names the paper, too.
enum class TableTitle { WithPaper, OnPage };
// A row for each case; for each quantity a column of what is published and one of ours, where there
// is any. Where a mean is among the cases, what is published has rows instead. Notes say what the
// numbers are of and what differs.
DataTable reproduction_table(const Reproduction& made, TableTitle title = TableTitle::WithPaper);

// {"paper": ..., "item": ..., "device": ..., "cases": [{"case": ..., "published": {...}, ...}]}
std::string reproduction_json(std::span<const Reproduction> all);

// Lists the tables and figures of papers with what can be made of each.
std::string list_text(std::span<const Paper> papers);
std::string list_markdown(std::span<const Paper> papers);
std::string list_json(std::span<const Paper> papers);

}  // namespace thallo::cli
