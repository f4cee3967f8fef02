// Labels of vertical lines: none covers another, and no line runs through one.
#include "core/explore/plot/label_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/random.h"

namespace thallo::plot {
namespace {

constexpr double Left = 0;
constexpr double Right = 400;

struct Span {
  double from, to;
};

Span span_of(const LineLabel& label, const LabelPlace& place) {
  return place.is_right ? Span{label.x, label.x + label.width}
                        : Span{label.x - label.width, label.x};
}

// Labels are apart and inside; with `crossed`, lines may run through them.
void expect_legible(const std::vector<LineLabel>& labels, bool crossed = false) {
  const std::vector<LabelPlace> places = place_labels(labels, Left, Right);
  ASSERT_EQ(places.size(), labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Span its = span_of(labels[i], places[i]);
    EXPECT_GE(its.from, Left);
    EXPECT_LE(its.to, Right);
    for (std::size_t j = 0; j < labels.size(); ++j) {
      if (i == j) continue;
      const Span other = span_of(labels[j], places[j]);
      const bool touch = its.from < other.to && other.from < its.to;
      EXPECT_FALSE(places[i].row == places[j].row && touch) << i << " covers " << j;
      // The line of j runs from its row down to row 0.
      const bool is_crossed =
          labels[j].x > its.from && labels[j].x < its.to && places[j].row >= places[i].row;
      EXPECT_FALSE(is_crossed && !crossed) << "the line of " << j << " runs through " << i;
    }
  }
}

TEST(LabelRows, AreNextToTheDiagramAndDifferentWhereLinesAreNear) {
  const std::vector<LineLabel> labels = {{20, 80}, {150, 80}, {380, 80}};
  const std::vector<LabelPlace> places = place_labels(labels, Left, Right);
  for (const LabelPlace& place : places) EXPECT_EQ(place.row, 0);
  EXPECT_TRUE(places[0].is_right);
  EXPECT_FALSE(places[2].is_right);
  expect_legible({{100, 80}, {101, 80}, {102, 80}, {103, 80}, {104, 80}, {105, 80}});
  expect_legible({{2, 120}, {5, 120}, {395, 120}, {398, 120}, {200, 120}});
}

std::vector<LineLabel> random_labels(Random& random, double last_line) {
  std::vector<LineLabel> labels;
  const auto count = 1 + random.below(9);
  for (std::uint64_t k = 0; k < count; ++k)
    labels.push_back({random.uniform(0, last_line), random.uniform(20, 150)});
  return labels;
}

TEST(LabelRows, AreLegibleAndNotCrossed) {
  Random random(7);
  for (int i = 0; i < 500; ++i) expect_legible(random_labels(random, Right), true);
  for (int i = 0; i < 500; ++i) expect_legible(random_labels(random, Right - 150));
}

}  // namespace
}  // namespace thallo::plot
