#include "core/cli/output/html_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace thallo::cli {
namespace {

constexpr std::string_view Style = R"(
:root { color-scheme: light dark; --line: #ccc; --code: #f4f4f4; --link: #06c; }
@media (prefers-color-scheme: dark) { :root { --line: #444; --code: #222; --link: #6af; } }
body { font: 15px/1.5 Helvetica, Arial, 'DejaVu Sans', sans-serif; max-width: 1100px;
  margin: 2em auto; padding: 0 1.5em; }
h1 { font-size: 1.7em; } h2 { font-size: 1.25em; margin-top: 2em; }
table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: 0.25em 0.8em; text-align: left;
  vertical-align: top; overflow-wrap: anywhere; }
th.number, td.number { text-align: right; white-space: nowrap; }
pre, code { font: 0.88em/1.45 'DejaVu Sans Mono', Menlo, monospace; background: var(--code); }
pre { padding: 0.8em; overflow-x: auto; } code { padding: 0.1em 0.3em; }
.figures { display: flex; flex-wrap: wrap; gap: 0 2em; }
figure { margin: 1.5em 0; overflow-x: auto; } figcaption { font-weight: bold; }
figure.light { background: #fff; padding: 0.5em; }
figure.light svg { max-width: 100%; height: auto; }
summary { cursor: pointer; color: var(--link); margin: 0.4em 0; }
)";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// A line, with its code and its marks.
std::string inline_html(std::string_view text) {
  std::string html;
  bool is_code = false;
  for (const char c : text) {
    if (c == '`') {
      html += is_code ? "</code>" : "<code>";
      is_code = !is_code;
    } else {
      html += html_escaped({&c, 1});
    }
  }
  return is_code ? html + "</code>" : html;
}

// The cells of a row; \| is no end of a cell.
std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells(1);
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (row[i] == '\\' && i + 1 < row.size() && row[i + 1] == '|') {
      cells.back() += row[++i];
    } else if (row[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += row[i];
    }
  }
  cells.pop_back();
  return cells;
}

class Converter {
 public:
  explicit Converter(std::string_view markdown) {
    while (!markdown.empty()) {
      const std::size_t end = markdown.find('\n');
      lines_.push_back(markdown.substr(0, end));
      markdown.remove_prefix(end == std::string_view::npos ? markdown.size() : end + 1);
    }
  }

  std::string run() {
    while (at_ < lines_.size()) block();
    return std::move(html_);
  }

 private:
  std::string_view line() const { return lines_[at_]; }
  bool is_in(std::string_view prefix) const {
    return at_ < lines_.size() && line().starts_with(prefix);
  }

  void block() {
    if (trimmed(line()).empty()) {
      ++at_;
    } else if (line().starts_with("# ") || line().starts_with("## ")) {
      const std::size_t level = line().find(' ');
      html_ += fmt::format("<h{0}>{1}</h{0}>\n", level, inline_html(line().substr(level + 1)));
      ++at_;
    } else if (line().starts_with("- ")) {
      html_ += "<ul>\n";
      for (; is_in("- "); ++at_)
        html_ += fmt::format("<li>{}</li>\n", inline_html(line().substr(2)));
      html_ += "</ul>\n";
    } else if (line().starts_with("|")) {
      table();
    } else if (trimmed(line()).starts_with("```")) {
      code();
    } else {
      html_ += "<p>";
      for (const char* between = "";
           at_ < lines_.size() && !trimmed(line()).empty() && !trimmed(line()).starts_with("```");
           ++at_, between = "\n")
        html_ += between + inline_html(trimmed(line()));
      html_ += "</p>\n";
    }
  }

  // The second row says by its colons which columns are numbers.
  void table() {
    const std::vector<std::string> titles = cells_of(line());
    std::vector<bool> is_number;
    if (++at_ < lines_.size())
      for (const std::string& rule : cells_of(line())) is_number.push_back(rule.ends_with(':'));
    is_number.resize(titles.size());
    const auto row = [&](const std::vector<std::string>& cells, const char* tag) {
      html_ += "<tr>";
      for (std::size_t i = 0; i < cells.size(); ++i) {
        html_ += fmt::format("<{0}{1}>{2}</{0}>", tag,
                             i < is_number.size() && is_number[i] ? " class=\"number\"" : "",
                             inline_html(trimmed(cells[i])));
      }
      html_ += "</tr>\n";
    };
    html_ += "<table>\n";
    row(titles, "th");
    for (++at_; is_in("|"); ++at_) row(cells_of(line()), "td");
    html_ += "</table>\n";
  }

  void code() {
    const std::size_t indent = line().find('`');
    html_ += "<pre>";
    for (++at_; at_ < lines_.size() && !trimmed(line()).starts_with("```"); ++at_)
      html_ += html_escaped(line().substr(std::min(indent, line().size()))) + "\n";
    html_ += "</pre>\n";
    ++at_;
  }

  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  std::string html_;
};

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    if (c == '&') {
      html += "&amp;";
    } else if (c == '<') {
      html += "&lt;";
    } else if (c == '>') {
      html += "&gt;";
    } else {
      html += c;
    }
  }
  return html;
}

std::string html_of_markdown(std::string_view markdown) { return Converter(markdown).run(); }

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      html_escaped(title), Style, body);
}

}  // namespace thallo::cli
