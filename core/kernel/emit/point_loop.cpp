#include "core/kernel/emit/point_loop.h"

#include <optional>
#include <set>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/kernel/emit/body.h"
#include "core/kernel/emit/vectorizable.h"

namespace thallo {
namespace {

void collect_reductions(const CodeBlock& block, std::set<std::size_t>& found) {
  for (const CodeItem& item : block) {
    if (const auto* branch = std::get_if<IfItem>(&item.node))
      collect_reductions(branch->body, found);
    if (const auto* reduce = std::get_if<ReduceItem>(&item.node)) found.insert(reduce->reduction);
  }
}

class PointLoop {
 public:
  PointLoop(EmitContext& context, const CodeBody& section)
      : context_(context),
        section_(section),
        body_(context, section),
        rank_(section.domains.size()),
        uniform_(body_.uniform_block(2)) {}

  std::string text() {
    if (rank_ == 0) {
      return uniform_ + "  for (long long point = begin; point < end; ++point) {\n" +
             body_.block(4) + "  }\n";
    }
    if (rank_ == 1) return uniform_ + row(2, "idx_t i0 = (idx_t)begin; i0 < (idx_t)end; ++i0");
    return uniform_ + rows();
  }

 private:
  std::string extent(std::size_t d) const { return context_.dim(section_.extents[d]); }

  // With several domains the multi-index is decoded once, then counted like an odometer.
  std::string rows() {
    std::string text = "  long long rest = begin;\n";
    for (std::size_t d = 0; d < rank_; ++d) {
      const bool last = d + 1 == rank_;
      text += fmt::format("  idx_t i{} = (idx_t){};\n", d,
                          last ? "rest" : fmt::format("(rest % {})", extent(d)));
      if (!last) text += fmt::format("  rest /= {};\n", extent(d));
    }
    text += fmt::format(
        "  for (long long point = begin; point < end;) {{\n"
        "    const idx_t first = i0;\n"
        "    const idx_t stop = end - point < {0} - first ? (idx_t)(first + (end - point)) : "
        "{0};\n",
        extent(0));
    text += row(4, "i0 = first; i0 < stop; ++i0") + "    point += stop - first;\n    i0 = 0;\n";
    for (std::size_t d = 1; d < rank_; ++d) {
      const std::string space(2 + 2 * d, ' ');
      text += d + 1 == rank_
                  ? fmt::format("{}++i{};\n", space, d)
                  : fmt::format("{0}if (++i{1} == {2}) {{\n{0}  i{1} = 0;\n", space, d, extent(d));
    }
    for (std::size_t d = rank_ - 1; d-- > 1;) text += std::string(2 + 2 * d, ' ') + "}\n";
    return text + "  }\n";
  }

  // The points of one row, `all` of which a for statement with this header visits.
  std::string row(int indent, std::string_view all) {
    const std::string space(static_cast<std::size_t>(indent), ' ');
    const auto loop = [&](BodyWriter& body, std::string_view header) {
      return fmt::format("{0}for ({1}) {{\n{2}{0}}}\n", space, header, body.block(indent + 2));
    };
    const std::optional<Inside> inside = vectorizable_points(context_.program(), section_);
    if (!inside) return loop(body_, all);
    if (inside->guards.empty()) {
      body_.vectorize();
      return pragma() + loop(body_, all);
    }
    BodyWriter unguarded(context_, section_);
    unguarded.uniform_block(indent);  // gives its values their names; the text stands above already
    for (const ValueId guard : inside->guards) unguarded.assume(guard);
    unguarded.vectorize();
    return bounds(*inside, space) + pragma() + loop(unguarded, "i0 = low; i0 < high; ++i0") +
           loop(body_,
                "i0 = first == low ? high : first; i0 < stop; i0 = i0 + 1 == low ? high : i0 + 1");
  }

  // The points of a row from `low` to `high` are inside; there may be none.
  std::string bounds(const Inside& inside, const std::string& space) {
    std::vector<std::string> conditions;
    for (std::size_t d = 1; d < rank_; ++d) {
      const auto [before, behind] = inside.margins[d];
      if (before > 0) conditions.push_back(fmt::format("i{} >= {}", d, before));
      if (behind > 0) conditions.push_back(fmt::format("i{} < {} - {}", d, extent(d), behind));
    }
    std::string text;
    if (rank_ == 1) {
      text = fmt::format(
          "{0}const idx_t first = (idx_t)begin;\n{0}const idx_t stop = (idx_t)end;\n"
          "{0}idx_t i0;\n",
          space);
    }
    const auto [before, behind] = inside.margins[0];
    const std::string from =
        before > 0 ? fmt::format("first < {0} ? {0} : first", before) : std::string("first");
    text += fmt::format(
        "{}const idx_t low = {};\n", space,
        conditions.empty() ? from
                           : fmt::format("!({}) ? stop : {}", fmt::join(conditions, " && "), from));
    std::string end = "stop";
    if (behind > 0) {
      end = "last";
      text += fmt::format("{0}const idx_t last = {1} - {2} < stop ? {1} - {2} : stop;\n", space,
                          extent(0), behind);
    }
    return text + fmt::format("{0}const idx_t high = {1} < low ? low : {1};\n", space, end);
  }

  std::string pragma() const {
    std::set<std::size_t> reductions;
    collect_reductions(section_.block, reductions);
    std::vector<std::string> sums;
    std::vector<std::string> maxima;
    for (const std::size_t r : reductions) {
      const bool sum = context_.code().reductions[r].op == ReduceOp::Sum;
      (sum ? sums : maxima).push_back(fmt::format("r{}", r));
    }
    std::string text = "#pragma omp simd";
    if (!sums.empty()) text += fmt::format(" reduction(+:{})", fmt::join(sums, ","));
    if (!maxima.empty()) text += fmt::format(" reduction(max:{})", fmt::join(maxima, ","));
    return text + "\n";
  }

  EmitContext& context_;
  const CodeBody& section_;
  BodyWriter body_;
  std::size_t rank_;
  std::string uniform_;
};

}  // namespace

std::string point_loop(EmitContext& context, const CodeBody& section) {
  return PointLoop(context, section).text();
}

}  // namespace thallo
