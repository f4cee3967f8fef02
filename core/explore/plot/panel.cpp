#include "core/explore/plot/panel.h"

#include <algorithm>
#include <utility>

namespace thallo::plot {
namespace {

constexpr double LegendLine = 16;
constexpr double LegendGlyph = 8;

struct LegendPlace {
  double x = 0;
  int line = 0;
};

std::vector<LegendPlace> legend_places(std::span<const LegendEntry> entries, double width) {
  std::vector<LegendPlace> places;
  double x = 0;
  int line = 0;
  for (const LegendEntry& entry : entries) {
    const double its = LegendGlyph + 5 + text_width(entry.text, FontSize);
    if (x > 0 && x + its > width) {
      x = 0;
      ++line;
    }
    places.push_back({x, line});
    x += its + 14;
  }
  return places;
}

}  // namespace

Panel::Panel(Svg& svg, const Box& box, Axis x, Axis y)
    : svg_(svg), box_(box), x_(std::move(x)), y_(std::move(y)) {
  draw_y_axis();
  draw_x_axis();
}

void Panel::draw_x_axis() {
  for (const Tick& tick : x_.scale.ticks(x_.num_labels)) {
    const double at = x(tick.value);
    svg_.line({{at, box_.bottom()}, {at, box_.bottom() + (tick.label.empty() ? 2 : 4)}},
              {Ink::Muted, 1});
    if (!tick.label.empty()) {
      svg_.text({at, box_.bottom() + 15}, tick.label,
                {.size = SmallFontSize, .anchor = Anchor::Middle, .ink = Ink::Muted});
    }
  }
  svg_.line({{box_.left, box_.bottom()}, {box_.right(), box_.bottom()}}, {Ink::Muted, 1});
  svg_.text({box_.left + box_.width / 2, box_.bottom() + 31}, x_.title,
            {.size = FontSize, .anchor = Anchor::Middle});
}

void Panel::draw_y_axis() {
  double widest = 0;
  std::vector<Tick> ticks;
  if (y_.num_labels > 0) ticks = y_.scale.ticks(y_.num_labels);
  for (const Tick& tick : ticks) {
    if (tick.label.empty()) continue;
    const double at = y(tick.value);
    svg_.line({{box_.left, at}, {box_.right(), at}}, {Ink::Grid, 1});
    svg_.text({box_.left - 5, at + 0.35 * SmallFontSize}, tick.label,
              {.size = SmallFontSize, .anchor = Anchor::End, .ink = Ink::Muted});
    widest = std::max(widest, text_width(tick.label, SmallFontSize));
  }
  svg_.text({box_.left - 12 - widest, box_.top + box_.height / 2}, y_.title,
            {.size = FontSize, .anchor = Anchor::Middle, .is_upright = true});
}

void Panel::note(const std::vector<std::string>& lines) {
  double y = box_.top + 4 + FontSize;
  for (const std::string& line : lines) {
    svg_.text({box_.left + 6, y}, line, {.size = FontSize, .has_halo = true});
    y += 1.3 * FontSize;
  }
}

double legend_height(std::span<const LegendEntry> entries, double width) {
  if (entries.empty()) return 0;
  return LegendLine * (1 + legend_places(entries, width).back().line);
}

void draw_legend(Svg& svg, Point corner, double width, std::span<const LegendEntry> entries) {
  const std::vector<LegendPlace> places = legend_places(entries, width);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Point at{corner.x + places[i].x, corner.y + LegendLine * (places[i].line + 0.5)};
    svg.glyph({at.x + LegendGlyph / 2, at.y}, entries[i].glyph, entries[i].ink, LegendGlyph);
    svg.text({at.x + LegendGlyph + 5, at.y + 0.35 * FontSize}, entries[i].text, {.size = FontSize});
  }
}

}  // namespace thallo::plot
