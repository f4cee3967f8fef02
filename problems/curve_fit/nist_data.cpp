#include "problems/curve_fit/nist_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/io/file.h"

namespace thallo::curve_fit {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view Blank = " \t\r\f\v";
  std::vector<std::string_view> words;
  std::size_t at = line.find_first_not_of(Blank);
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(Blank, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(Blank, end);
  }
  return words;
}

template <class T>
std::optional<T> number_of(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  T value{};
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || stop != word.data() + word.size()) return std::nullopt;
  if (!std::isfinite(static_cast<double>(value))) return std::nullopt;
  return value;
}

class NistParser {
 public:
  NistParser(const std::string& file, std::string_view text) : file_(file) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      lines_.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  Expected<NistData> parse() {
    if (lines_.empty() || lines_[0].find("NIST/ITL StRD") == std::string_view::npos) {
      return fail_at(at(0),
                     "this is no NIST StRD data set: its first line should be 'NIST/ITL StRD'");
    }
    // The sections come in this order; everything between them is prose.
    for (auto section :
         {&NistParser::parse_name, &NistParser::parse_counts, &NistParser::parse_parameters,
          &NistParser::parse_residual_sum, &NistParser::parse_rows}) {
      THALLO_CHECK((this->*section)());
    }
    return std::move(data_);
  }

 private:
  Expected<void> parse_name() {
    const std::string_view key = "Dataset Name:";
    const auto line = find_line(key);
    if (!line) return missing("'Dataset Name:'");
    const auto words = words_of(lines_[*line].substr(lines_[*line].find(key) + key.size()));
    if (words.empty()) return fail_at(at(*line), "'Dataset Name:' is followed by no name");
    data_.name = std::string(words[0]);
    line_ = *line + 1;
    return {};
  }

  // "2 Predictors (...)", "128 Observations", "3 Parameters (b1 to b3)": the word before the key.
  Expected<void> parse_counts() {
    const std::pair<std::string_view, int*> counts[] = {{"Predictor", &num_predictors_},
                                                        {"Observation", &num_observations_},
                                                        {"Parameter", &num_parameters_}};
    for (const auto& [key, count] : counts) {
      bool found = false;
      for (; line_ < lines_.size() && !found; ++line_) {
        const auto words = words_of(lines_[line_]);
        for (std::size_t w = 1; w < words.size() && !found; ++w) {
          if (!words[w].starts_with(key)) continue;
          if (const auto value = number_of<int>(words[w - 1])) {
            if (*value < 1) return fail_at(at(line_), "{} {}s are too few", *value, key);
            *count = *value;
            found = true;
          }
        }
      }
      if (!found) return missing(fmt::format("the number of {}s", key));
    }
    return {};
  }

  // "  b1 =   500         250           2.3894212918E+02  2.7070075241E+00"
  Expected<void> parse_parameters() {
    for (int k = 1; k <= num_parameters_; ++k) {
      const std::string name = fmt::format("b{}", k);
      for (; line_ < lines_.size(); ++line_) {
        const auto words = words_of(lines_[line_]);
        if (words.size() >= 2 && words[0] == name && words[1] == "=") break;
      }
      if (line_ == lines_.size()) {
        return missing(
            fmt::format("the line of {} (the file declares {} parameters)", name, num_parameters_));
      }
      THALLO_TRY(auto numbers,
                 parse_numbers(2, 4, "start 1, start 2, certified value, standard deviation"));
      data_.starts[0].push_back(numbers[0]);
      data_.starts[1].push_back(numbers[1]);
      data_.certified.push_back(numbers[2]);
      data_.standard_deviations.push_back(numbers[3]);
      ++line_;
    }
    return {};
  }

  Expected<void> parse_residual_sum() {
    const auto line = find_line("Residual Sum of Squares:");
    if (!line) return missing("'Residual Sum of Squares:'");
    line_ = *line;
    THALLO_TRY(const auto numbers, parse_numbers(4, 1, "the residual sum of squares"));
    data_.residual_sum_of_squares = numbers.front();
    ++line_;
    return {};
  }

  Expected<void> parse_rows() {
    const auto head = find_line("Data:");
    if (!head) return missing("the table of observations ('Data:')");
    line_ = *head + 1;
    const auto num_columns = static_cast<std::size_t>(num_predictors_) + 1;
    data_.predictors.resize(num_columns - 1);
    for (; line_ < lines_.size(); ++line_) {
      if (words_of(lines_[line_]).empty()) continue;
      if (data_.num_observations() == num_observations_) {
        return fail_at(at(line_), "there are more rows than the {} observations declared",
                       num_observations_);
      }
      THALLO_TRY(const auto numbers,
                 parse_numbers(0, num_columns, "the response and its predictors"));
      data_.response.push_back(numbers[0]);
      for (std::size_t c = 1; c < num_columns; ++c) {
        data_.predictors[c - 1].push_back(numbers[c]);
      }
    }
    if (data_.num_observations() < num_observations_) {
      return fail_at(at(lines_.size() - 1),
                     "the file ends after {} of the {} observations it declares",
                     data_.num_observations(), num_observations_);
    }
    return {};
  }

  // The words of the current line from `first` on, which must be `count` numbers.
  Expected<std::vector<double>> parse_numbers(std::size_t first, std::size_t count,
                                              std::string_view what) const {
    const auto words = words_of(lines_[line_]);
    const std::size_t found = words.size() - std::min(first, words.size());
    if (found != count) {
      return fail_at(at(line_), "{} number{} should stand here ({}), found {}", count,
                     count == 1 ? "" : "s", what, found);
    }
    std::vector<double> numbers;
    for (std::size_t w = first; w < words.size(); ++w) {
      const auto value = number_of<double>(words[w]);
      if (!value) return fail_at(at(line_), "'{}' is not a finite number", words[w]);
      numbers.push_back(*value);
    }
    return numbers;
  }

  // The next line that contains the key, from the current one on.
  std::optional<std::size_t> find_line(std::string_view key) const {
    for (std::size_t line = line_; line < lines_.size(); ++line) {
      if (lines_[line].find(key) != std::string_view::npos) return line;
    }
    return std::nullopt;
  }

  tl::unexpected<Diagnostic> missing(std::string_view what) const {
    return fail_at(at(lines_.size() - 1), "the file ends without {}", what);
  }
  SourceLocation at(std::size_t line) const { return {file_, static_cast<int>(line) + 1, 0}; }

  std::string file_;
  std::vector<std::string_view> lines_;
  std::size_t line_ = 0;
  int num_predictors_ = 0;
  int num_observations_ = 0;
  int num_parameters_ = 0;
  NistData data_;
};

}  // namespace

Expected<NistData> parse_nist(const std::string& file, std::string_view text) {
  return NistParser(file, text).parse();
}

Expected<NistData> read_nist(const std::filesystem::path& path) {
  THALLO_TRY(const auto text, read_file(path));
  return parse_nist(path.string(), text);
}

double correct_digits(double value, double certified) {
  constexpr double MostDigits = 11;
  if (!std::isfinite(value)) return 0;
  const double error = std::abs(value - certified);
  if (error == 0) return MostDigits;
  return std::clamp(-std::log10(error / std::abs(certified)), 0.0, MostDigits);
}

}  // namespace thallo::curve_fit
