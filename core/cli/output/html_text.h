// Turns the Markdown that commands print into HTML that a browser shows without a network.
#pragma once

#include <string>
#include <string_view>

namespace thallo::cli {

std::string html_escaped(std::string_view text);

// Of Markdown it knows what reports have: headings, lists, tables, fenced code (also indented below
// a number), paragraphs, and `code` within a line.
std::string html_of_markdown(std::string_view markdown);

// Returns a whole page, which is light or dark as its reader prefers.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace thallo::cli
