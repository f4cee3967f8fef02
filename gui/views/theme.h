// Colors of the app, light and dark. Kinds have a hue from a palette that is safe for color
// blindness (Okabe and Ito, "Color Universal Design", 2008), the same on all pages: stored
// is filled, recomputed is outlined; measured is solid, estimated is hatched or hollow;
// illegal is gray.
#pragma once

#include <functional>

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>
#include <QWidget>

namespace thallo::gui {

enum class Theme { Light, Dark };
// "light", "dark".
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

// Of the theme that was set last.
QColor ink(Ink ink);
Theme currentTheme();
// Sets the palette and the style sheet of the application; to be called before widgets are made,
// and whenever the theme changes. Widgets that paint by themselves are repainted. Qt walks over all
// widgets meanwhile and goes on to those that are gone: who answers QEvent::PaletteChange by
// deleting a widget does so by afterThemeChange().
void setTheme(Theme theme);
// Runs `work` when the change is through, unless the widget is gone by then.
void afterThemeChange(QWidget& widget, std::function<void()> work);

// The role of the palette that faults are written in: setForegroundRole(FaultRole) of a label.
constexpr QPalette::ColorRole FaultRole = QPalette::LinkVisited;

// The font of code and of schedule text.
QFont codeFont();
// Titles on a page: of a page, of a group.
QFont titleFont();

}  // namespace thallo::gui
