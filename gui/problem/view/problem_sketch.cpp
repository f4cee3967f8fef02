#include "gui/problem/view/problem_sketch.h"

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <QLinearGradient>
#include <QPainter>

#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

// FNV-1a, because std::hash and qHash differ between platforms.
std::uint32_t seedOf(const QString& name) {
  std::uint32_t seed = 2166136261u;
  for (const char letter : name.toUtf8())
    seed = (seed ^ static_cast<unsigned char>(letter)) * 16777619u;
  return seed;
}

QColor faded(Ink which, int alpha) {
  QColor color = ink(which);
  color.setAlpha(alpha);
  return color;
}

class Sketch {
 public:
  Sketch(const QString& name, const QSize& size) : m_random(seedOf(name)), m_size(size) {}

  void paint(QPainter& painter) {
    constexpr std::array Hues = {Ink::Intermediate, Ink::Residual, Ink::Sum, Ink::Cut,
                                 Ink::Unknown};
    const Ink hue = Hues.at(m_random() % Hues.size());
    QLinearGradient ground(0, 0, m_size.width(), m_size.height());
    ground.setColorAt(0, faded(hue, 18));
    ground.setColorAt(1, faded(hue, 64));
    painter.fillRect(QRectF(QPointF(), m_size), ink(Ink::Surface));
    painter.fillRect(QRectF(QPointF(), m_size), ground);
    placeUnknowns();
    const bool hasDiagonals = m_random() % 2 == 0;
    for (int row = 0; row < m_rows; ++row) {
      for (int column = 0; column < m_columns; ++column) {
        if (column + 1 < m_columns) residual(painter, at(row, column), at(row, column + 1));
        if (row + 1 < m_rows) residual(painter, at(row, column), at(row + 1, column));
        if (hasDiagonals && row + 1 < m_rows && column + 1 < m_columns)
          residual(painter, at(row, column), at(row + 1, column + 1));
      }
    }
    painter.setPen(Qt::NoPen);
    for (const QPointF& unknown : m_unknowns) {
      painter.setBrush(faded(Ink::Unknown, 210));
      painter.drawEllipse(unknown, 3.6, 3.6);
    }
  }

 private:
  // Places a grid, bent by a slow wave and a little disorder.
  void placeUnknowns() {
    m_columns = 5 + static_cast<int>(m_random() % 4);
    m_rows = 3 + static_cast<int>(m_random() % 3);
    const double phase = uniform(0, 6.28), bend = uniform(0.2, 0.5), disorder = uniform(0, 0.14);
    const double dx = m_size.width() / (m_columns + 0.0), dy = m_size.height() / (m_rows + 0.0);
    for (int row = 0; row < m_rows; ++row) {
      for (int column = 0; column < m_columns; ++column) {
        const double wave = bend * std::sin(phase + 0.9 * column + 0.4 * row);
        m_unknowns.emplace_back((column + 0.5 + uniform(-disorder, disorder)) * dx,
                                (row + 0.5 + 0.5 * wave + uniform(-disorder, disorder)) * dy);
      }
    }
  }

  void residual(QPainter& painter, const QPointF& from, const QPointF& to) const {
    painter.setPen(QPen(faded(Ink::Muted, 90), 1));
    painter.drawLine(from, to);
    painter.setPen(Qt::NoPen);
    painter.setBrush(faded(Ink::Residual, 170));
    const QPointF middle = (from + to) / 2;
    painter.drawRect(QRectF(middle.x() - 2, middle.y() - 2, 4, 4));
  }

  const QPointF& at(int row, int column) const {
    return m_unknowns[static_cast<std::size_t>(row * m_columns + column)];
  }
  // The distributions of the standard library differ between platforms.
  double uniform(double from, double to) {
    return from + (to - from) * (static_cast<double>(m_random()) / 4294967295.0);
  }

  std::mt19937 m_random;
  QSizeF m_size;
  int m_rows = 0, m_columns = 0;
  std::vector<QPointF> m_unknowns;
};

}  // namespace

QPixmap problemSketch(const QString& name, const QSize& size, double scale) {
  QPixmap pixmap(size * scale);
  pixmap.setDevicePixelRatio(scale);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  Sketch(name, size).paint(painter);
  return pixmap;
}

}  // namespace thallo::gui
