// Colors of the app, light and dark. Kinds have hues from a palette that is safe for color
// blindness (Okabe and Ito, "Color Universal Design", 2008), the same on all pages. Stored things
// are filled, recomputed ones outlined; measured values are solid, estimated ones hatched or
// hollow; illegal choices are gray.
#pragma once

#include <functional>

#include <QBrush>
#include <QColor>
#include <QFont>
#include <QPalette>
#include <QPen>
#include <QString>
#include <QTextFormat>
#include <QWidget>

namespace thallo::gui {

enum class Theme { Light, Dark };
// Returns "light" or "dark".
QString toText(Theme theme);

enum class Ink {
  Field,         // gray
  Unknown,       // orange
  Intermediate,  // blue
  Residual,      // bluish green
  Product,       // vermillion
  Sum,           // sky blue
  Cut,           // reddish purple
  Text,
  Muted,    // secondary text, illegal choices
  Frame,    // lines between areas
  Surface,  // background of pages
  Raised,   // background of cards and nodes
  Accent,   // what is chosen or selected
  Good,     // an improvement
  Bad       // a fault, or what became slower
};

// Returns the ink of the current theme; with less than 255, what is below it shines through.
QColor ink(Ink ink, int alpha = 255);
// Sets the line and the fill of a painter, or of an item of a plot or a scene.
template <class Target>
void setInks(Target& target, const QPen& line, const QBrush& fill) {
  target.setPen(line);
  target.setBrush(fill);
}
Theme currentTheme();
// Sets the palette and the style sheet of the application. Must be called before widgets are made,
// and whenever the theme changes. Widgets with their own painting are repainted. While Qt visits
// all widgets for this, it also visits deleted ones: code that deletes a widget because of that, or
// makes one, must do so in onThemeChange().
void setTheme(Theme theme);
// Calls `work` after each change of the theme, once that is complete and as long as the widget is
// there.
void onThemeChange(QWidget& widget, std::function<void()> work);

// The format of a line of text that belongs to what is selected: a light accent, as wide as the
// text's page.
QTextCharFormat linkedFormat();

// The palette role for faults: setForegroundRole(FaultRole) of a label.
constexpr QPalette::ColorRole FaultRole = QPalette::LinkVisited;

// The font of code and of schedule text.
QFont codeFont();
// The same font in bold.
QFont boldFont(QFont font);
// The font of titles of pages and groups.
QFont titleFont();

}  // namespace thallo::gui
