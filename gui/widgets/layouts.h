// Widgets beside or below one another, told as one list.
#pragma once

#include <initializer_list>

#include <QBoxLayout>
#include <QList>
#include <QMargins>
#include <QSplitter>
#include <QString>

class QTableView;
class QToolButton;

namespace thallo::gui {

// A widget, a layout or a gap, with its share of the room that is left over.
class Cell {
 public:
  Cell(QWidget* widget, int stretch = 0) : m_widget(widget), m_stretch(stretch) {}
  Cell(QLayout* layout, int stretch = 0) : m_layout(layout), m_stretch(stretch) {}
  static Cell gap() { return {static_cast<QWidget*>(nullptr), 0}; }

  void addTo(QBoxLayout& layout) const;

 private:
  QWidget* m_widget = nullptr;
  QLayout* m_layout = nullptr;
  int m_stretch;
};

// The margins and the spacing of the style.
inline constexpr QMargins OwnMargins(-1, -1, -1, -1);
inline constexpr int OwnSpacing = -1;

QVBoxLayout* makeColumn(std::initializer_list<Cell> cells, const QMargins& margins = OwnMargins,
                        int spacing = OwnSpacing);
QHBoxLayout* makeRow(std::initializer_list<Cell> cells, const QMargins& margins = OwnMargins,
                     int spacing = OwnSpacing);

// A widget that is there for its layout.
QWidget* makePane(QLayout* layout);

// Widgets with a thin line between them, which moves and folds none of them away.
QSplitter* makeSplitter(Qt::Orientation orientation, std::initializer_list<QWidget*> widgets,
                        const QList<int>& sizes = {});

// Gives a widget the name that tests find it by, and the one that is read to people who do not see
// it.
template <class Widget>
Widget* named(Widget* widget, const QString& name, const QString& read = {}) {
  widget->setObjectName(name);
  if (!read.isEmpty()) widget->setAccessibleName(read);
  return widget;
}

// A button with a text that can be a sign, and a tool tip, which is also read in place of a sign.
QToolButton* toolButton(const QString& name, const QString& text, const QString& toolTip);

// Lets rows be selected as a whole, without a grid and without numbers of rows.
void showWholeRows(QTableView& table);

}  // namespace thallo::gui
