#include "gui/widgets/theme.h"

#include <algorithm>
#include <array>
#include <utility>

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QStyleFactory>

namespace thallo::gui {
namespace {

struct Inks {
  Ink ink;
  const char* light;
  const char* dark;
};
constexpr std::array All = {
    Inks{Ink::Field, "#7f8790", "#9aa2ab"},        Inks{Ink::Unknown, "#e69f00", "#f0b232"},
    Inks{Ink::Intermediate, "#0072b2", "#4ba3dc"}, Inks{Ink::Residual, "#009e73", "#2fbf95"},
    Inks{Ink::Product, "#d55e00", "#ee8033"},      Inks{Ink::Sum, "#56b4e9", "#7cc7f2"},
    Inks{Ink::Cut, "#cc79a7", "#e094bd"},          Inks{Ink::Text, "#1c2127", "#e6e9ec"},
    Inks{Ink::Muted, "#69727c", "#929ba5"},        Inks{Ink::Frame, "#d6dade", "#3a4149"},
    Inks{Ink::Surface, "#f6f7f8", "#1b1f24"},      Inks{Ink::Raised, "#ffffff", "#262b31"},
    Inks{Ink::Accent, "#0b63a5", "#5aaef0"},       Inks{Ink::Good, "#00805d", "#38c99d"},
    Inks{Ink::Bad, "#b8321f", "#ff8a75"}};

class ThemeWatch final : public QObject {
 public:
  ThemeWatch(QWidget& widget, std::function<void()> work)
      : QObject(&widget), m_work(std::move(work)) {
    widget.installEventFilter(this);
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::PaletteChange)
      QMetaObject::invokeMethod(watched, m_work, Qt::QueuedConnection);
    return false;
  }

 private:
  std::function<void()> m_work;
};

Theme theTheme = Theme::Light;

QPalette paletteOf() {
  QPalette palette;
  palette.setColor(QPalette::Window, ink(Ink::Surface));
  palette.setColor(QPalette::Base, ink(Ink::Raised));
  palette.setColor(QPalette::AlternateBase, ink(Ink::Surface));
  palette.setColor(QPalette::Button, ink(Ink::Raised));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText,
                          QPalette::ToolTipText, QPalette::BrightText}) {
    palette.setColor(role, ink(Ink::Text));
    palette.setColor(QPalette::Disabled, role, ink(Ink::Muted));
  }
  palette.setColor(QPalette::PlaceholderText, ink(Ink::Muted));
  palette.setColor(QPalette::ToolTipBase, ink(Ink::Raised));
  palette.setColor(QPalette::Highlight, ink(Ink::Accent));
  palette.setColor(QPalette::HighlightedText,
                   theTheme == Theme::Light ? QColor(Qt::white) : ink(Ink::Surface));
  palette.setColor(QPalette::Link, ink(Ink::Accent));
  palette.setColor(FaultRole, ink(Ink::Bad));
  palette.setColor(QPalette::Mid, ink(Ink::Frame));
  palette.setColor(QPalette::Midlight, ink(Ink::Frame));
  palette.setColor(QPalette::Dark, ink(Ink::Frame));
  palette.setColor(QPalette::Light, ink(Ink::Raised));
  palette.setColor(QPalette::Shadow, ink(Ink::Frame));
  return palette;
}

// The style sheet sets what a palette cannot: flat areas without nested frames.
QString styleSheet() {
  return QStringLiteral(
             "QToolTip { border: 1px solid %1; padding: 4px; }"
             "QDockWidget { titlebar-close-icon: none; }"
             "QMainWindow::separator { background: %1; width: 1px; height: 1px; }"
             "QTabBar::tab { padding: 8px 16px; border: none; color: %2; background: transparent; }"
             "QTabBar::tab:selected { color: %3; border-bottom: 2px solid %4; }"
             "QTabBar::tab:disabled { color: %1; }"
             "QListView, QTreeView, QTableView, QPlainTextEdit, QTextEdit, QScrollArea"
             " { border: none; }"
             "QListView, QTreeView, QTableView"
             " { selection-background-color: %1; selection-color: %3; }"
             // A click selects even on desktops where one click opens.
             "QAbstractItemView { activate-on-singleclick: 0; }"
             "QHeaderView::section { border: none; border-bottom: 1px solid %1; padding: 4px;"
             " background: %5; color: %2; }"
             "QStatusBar::item { border: none; }")
      .arg(ink(Ink::Frame).name(), ink(Ink::Muted).name(), ink(Ink::Text).name(),
           ink(Ink::Accent).name(), ink(Ink::Surface).name());
}

}  // namespace

QString toText(Theme theme) {
  return theme == Theme::Light ? QStringLiteral("light") : QStringLiteral("dark");
}

QColor ink(Ink ink, int alpha) {
  const auto& inks = *std::ranges::find(All, ink, &Inks::ink);
  QColor color(theTheme == Theme::Light ? inks.light : inks.dark);
  color.setAlpha(alpha);
  return color;
}

Theme currentTheme() { return theTheme; }

void setTheme(Theme theme) {
  theTheme = theme;
  // Needed only once: the themes differ in the palette and the style sheet, which wraps this style.
  if (qApp->styleSheet().isEmpty()) QApplication::setStyle(QStyleFactory::create("Fusion"));
  QApplication::setPalette(paletteOf());
  qApp->setStyleSheet(styleSheet());
  for (QWidget* widget : QApplication::allWidgets()) widget->update();
}

void onThemeChange(QWidget& widget, std::function<void()> work) {
  new ThemeWatch(widget, std::move(work));
}

QTextCharFormat linkedFormat() {
  QTextCharFormat format;
  format.setBackground(ink(Ink::Accent, 48));
  format.setProperty(QTextFormat::FullWidthSelection, true);
  return format;
}

QFont codeFont() {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPointSizeF(QApplication::font().pointSizeF());
  return font;
}

QFont boldFont(QFont font) {
  font.setWeight(QFont::DemiBold);
  return font;
}

QFont titleFont() {
  QFont font = boldFont(QApplication::font());
  font.setPointSizeF(font.pointSizeF() * 1.25);
  return font;
}

}  // namespace thallo::gui
