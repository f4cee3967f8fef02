#include "core/base/io/bal.h"

#include <iterator>
#include <string>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"

namespace thallo {
namespace {

class BalParser {
 public:
  BalParser(const std::filesystem::path& path, std::string_view content)
      : path_(path), content_(content), cursor_(path, content) {}

  Expected<BalProblem> parse() {
    THALLO_CHECK(parse_counts());
    THALLO_CHECK(parse_observations());
    THALLO_CHECK(parse_blocks(problem_.cameras, "camera"));
    THALLO_CHECK(parse_blocks(problem_.points, "point"));
    if (!cursor_.at_end()) return fail(cursor_.unexpected("the end of the file"));
    return std::move(problem_);
  }

 private:
  Expected<void> parse_counts() {
    constexpr std::string_view Names[] = {"cameras", "points", "observations"};
    std::int64_t counts[3] = {};
    for (int i = 0; i < 3; ++i) {
      constexpr std::string_view Rule =
          "a BAL file starts with three counts: cameras, points and observations";
      if (!cursor_.read_count(counts[i])) {
        Diagnostic diagnostic = cursor_.unexpected(fmt::format("the number of {}", Names[i]));
        diagnostic.what += fmt::format("; {}", Rule);
        return fail(std::move(diagnostic));
      }
    }
    // Each number takes two characters at least ("0\n"): a damaged header must not make us allocate
    // more than the file can hold.
    const auto room = static_cast<std::int64_t>(content_.size()) / 2;
    for (int i = 0; i < 3; ++i) {
      constexpr std::int64_t Numbers[] = {9, 3, 4};
      if (counts[i] > room / Numbers[i]) {
        return fail_at(
            {path_, 1, 0},
            "the file is truncated: it promises {} {}, for which its {} bytes are too few",
            counts[i], Names[i], content_.size());
      }
    }
    problem_.cameras.resize(static_cast<std::size_t>(counts[0]));
    problem_.points.resize(static_cast<std::size_t>(counts[1]));
    problem_.observations.resize(static_cast<std::size_t>(counts[2]));
    return {};
  }

  Expected<void> parse_observations() {
    for (std::size_t i = 0; i < problem_.observations.size(); ++i) {
      BalObservation& o = problem_.observations[i];
      const auto name = [i](std::string_view part) {
        return fmt::format("{} of observation {}", part, i);
      };
      THALLO_CHECK(parse_index(o.camera, problem_.cameras.size(), i, "camera"));
      THALLO_CHECK(parse_index(o.point, problem_.points.size(), i, "point"));
      if (!cursor_.read_finite(o.x)) return fail(bad_value(name("x")));
      if (!cursor_.read_finite(o.y)) return fail(bad_value(name("y")));
    }
    return {};
  }

  Expected<void> parse_index(std::int32_t& index, std::size_t count, std::size_t observation,
                             std::string_view what) {
    cursor_.at_end();  // skips the space before the index
    const std::size_t before = cursor_.offset();
    if (!cursor_.read(index)) {
      return fail(cursor_.unexpected(fmt::format("the {} of observation {}", what, observation)));
    }
    if (index < 0 || static_cast<std::size_t>(index) >= count) {
      return fail_at(cursor_.where_at(before),
                     "observation {} names {} {}, but there are {} {}s (from 0)", observation, what,
                     index, count, what);
    }
    return {};
  }

  template <std::size_t N>
  Expected<void> parse_blocks(std::vector<std::array<double, N>>& blocks, std::string_view what) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (std::size_t k = 0; k < N; ++k) {
        if (!cursor_.read_finite(blocks[i][k]))
          return fail(bad_value(fmt::format("number {} of {} {}", k, what, i)));
      }
    }
    return {};
  }

  Diagnostic bad_value(const std::string& name) {
    return cursor_.unexpected(name + " (a finite number)");
  }

  std::filesystem::path path_;
  std::string_view content_;
  TextCursor cursor_;
  BalProblem problem_;
};

}  // namespace

Expected<BalProblem> parse_bal(const std::filesystem::path& name, std::string_view content) {
  return BalParser(name, content).parse();
}

Expected<void> write_bal(const std::filesystem::path& path, const BalProblem& problem) {
  std::string text = fmt::format("{} {} {}\n", problem.cameras.size(), problem.points.size(),
                                 problem.observations.size());
  auto out = std::back_inserter(text);
  for (const BalObservation& o : problem.observations)
    fmt::format_to(out, "{} {} {} {}\n", o.camera, o.point, o.x, o.y);
  for (const auto& camera : problem.cameras) fmt::format_to(out, "{}\n", fmt::join(camera, "\n"));
  for (const auto& point : problem.points) fmt::format_to(out, "{}\n", fmt::join(point, "\n"));
  return write_file(path, text);
}

}  // namespace thallo
