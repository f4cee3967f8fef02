#include "gui/problem/view/problem_gallery.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include <QLinearGradient>
#include <QPainter>
#include <QPainterPath>
#include <QString>
#include <QStyledItemDelegate>

#include "gui/problem/problem_list.h"
#include "gui/widgets/layouts.h"
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

class Sketch {
 public:
  Sketch(const QString& name, const QSize& size) : m_random(seedOf(name)), m_size(size) {}

  void paint(QPainter& painter) {
    constexpr std::array Hues = {Ink::Intermediate, Ink::Residual, Ink::Sum, Ink::Cut,
                                 Ink::Unknown};
    const Ink hue = Hues.at(m_random() % Hues.size());
    QLinearGradient ground(0, 0, m_size.width(), m_size.height());
    ground.setColorAt(0, ink(hue, 18));
    ground.setColorAt(1, ink(hue, 64));
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
      painter.setBrush(ink(Ink::Unknown, 210));
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
    painter.setPen(QPen(ink(Ink::Muted, 90), 1));
    painter.drawLine(from, to);
    setInks(painter, Qt::NoPen, ink(Ink::Residual, 170));
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

// Draws a substitute for the picture of a problem that has none: unknowns and residuals between
// them. A name always gives the same drawing, and different names give different ones.
// Uses the colors of the current theme. `size` is in pixels of a screen with scale 1.
QPixmap problemSketch(const QString& name, const QSize& size, double scale);

QPixmap problemSketch(const QString& name, const QSize& size, double scale) {
  QPixmap pixmap(size * scale);
  pixmap.setDevicePixelRatio(scale);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  Sketch(name, size).paint(painter);
  return pixmap;
}

constexpr int MinCardWidth = 200, CardGap = 6, CardPadding = 12, CardRadius = 8;
// The ratio of a picture's height to its width.
constexpr double PictureAspect = 0.6;

int cardTextHeight(const QFontMetrics& metrics) {
  return 3 * metrics.lineSpacing() + 2 * CardPadding + 4;
}

// Returns the picture from its file, or a sketch if there is none; cropped to the size.
QPixmap makePicture(const QString& file, const QString& name, const QSize& size, double scale) {
  const QPixmap loaded = file.isEmpty() ? QPixmap() : QPixmap(file);
  if (loaded.isNull()) return problemSketch(name, size, scale);
  const QSize pixels = size * scale;
  const QPixmap filled =
      loaded.scaled(pixels, Qt::KeepAspectRatioByExpanding, Qt::SmoothTransformation);
  QPixmap picture =
      filled.copy((filled.width() - pixels.width()) / 2, (filled.height() - pixels.height()) / 2,
                  pixels.width(), pixels.height());
  picture.setDevicePixelRatio(scale);
  return picture;
}

class ProblemCardDelegate final : public QStyledItemDelegate {
 public:
  explicit ProblemCardDelegate(ProblemGallery& gallery)
      : QStyledItemDelegate(&gallery), m_gallery(gallery) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const bool isSelected = option.state.testFlag(QStyle::State_Selected);
    const bool isHovered = option.state.testFlag(QStyle::State_MouseOver);
    const QRect card = option.rect.adjusted(CardGap, CardGap, -CardGap, -CardGap);
    QPainterPath outline;
    outline.addRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), CardRadius, CardRadius);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->fillPath(outline, ink(Ink::Raised));
    const QRect picture(card.topLeft(),
                        QSize(card.width(), card.height() - cardTextHeight(option.fontMetrics)));
    painter->save();
    painter->setClipPath(outline);
    painter->drawPixmap(picture, m_gallery.picture(index, picture.size()));
    painter->restore();
    painter->setPen(
        QPen(ink(isSelected || isHovered ? Ink::Accent : Ink::Frame), isSelected ? 2.0 : 1.0));
    painter->drawPath(outline);
    paintText(
        painter, option, index,
        QRect(card.left(), picture.bottom() + 1, card.width(), card.bottom() - picture.bottom())
            .adjusted(CardPadding, CardPadding, -CardPadding, -CardPadding));
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const override {
    const auto* view = qobject_cast<const QListView*>(option.widget);
    return view != nullptr ? view->gridSize() : QSize(MinCardWidth, MinCardWidth);
  }

 private:
  // Paints the title on one line, and two lines of what the problem shows.
  static void paintText(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index, QRect area) {
    const QFont bold = boldFont(option.font);
    painter->setFont(bold);
    painter->setPen(ink(Ink::Text));
    const int line = option.fontMetrics.lineSpacing();
    painter->drawText(
        area, Qt::AlignLeft | Qt::AlignTop,
        QFontMetrics(bold).elidedText(index.data().toString(), Qt::ElideRight, area.width()));
    painter->setFont(option.font);
    painter->setPen(ink(Ink::Muted));
    area.setTop(area.top() + line + 1);
    QString rest = index.data(ProblemList::ShowsRole).toString();
    QTextLayout layout(rest, option.font);
    layout.beginLayout();
    const QTextLine first = layout.createLine();
    if (!first.isValid()) return;
    QTextLine(first).setLineWidth(area.width());
    layout.endLayout();
    painter->drawText(area, Qt::AlignLeft | Qt::AlignTop, rest.left(first.textLength()));
    rest.remove(0, first.textLength());
    area.setTop(area.top() + line);
    painter->drawText(area, Qt::AlignLeft | Qt::AlignTop,
                      option.fontMetrics.elidedText(rest, Qt::ElideRight, area.width()));
  }

  ProblemGallery& m_gallery;
};

}  // namespace

ProblemGallery::ProblemGallery() {
  named(this, "problemCards", tr("Problems"));
  setViewMode(QListView::IconMode);
  setMovement(QListView::Static);
  setResizeMode(QListView::Adjust);
  setUniformItemSizes(true);
  setMouseTracking(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setItemDelegate(new ProblemCardDelegate(*this));
  m_next.setSingleShot(true);
  connect(&m_next, &QTimer::timeout, this, &ProblemGallery::makeNext);
  viewport()->setAutoFillBackground(false);
}

QPixmap ProblemGallery::picture(const QModelIndex& index, const QSize& size) {
  Wanted wanted{.name = index.data(ProblemList::NameRole).toString(),
                .file = index.data(ProblemList::PictureRole).toString(),
                .size = size,
                .scale = devicePixelRatioF()};
  wanted.key = QStringLiteral("%1 %2 %3x%4 %5")
                   .arg(wanted.file, toText(currentTheme()))
                   .arg(size.width())
                   .arg(size.height())
                   .arg(wanted.scale);
  const Made& made = m_made[wanted.name];
  if (made.key == wanted.key) return made.picture;
  std::erase_if(m_wanted, [&](const Wanted& earlier) { return earlier.name == wanted.name; });
  m_wanted.push_back(std::move(wanted));
  m_next.start(0);
  return made.picture;
}

void ProblemGallery::makeNext() {
  if (m_wanted.empty()) return;
  const Wanted wanted = m_wanted.front();
  m_wanted.pop_front();
  m_made[wanted.name] = {wanted.key,
                         makePicture(wanted.file, wanted.name, wanted.size, wanted.scale)};
  if (!m_wanted.empty()) return m_next.start(0);
  viewport()->update();
}

void ProblemGallery::resizeEvent(QResizeEvent* event) {
  const int width = viewport()->width() - 2;
  const int columns = std::max(1, width / (MinCardWidth + 2 * CardGap));
  const int card = width / columns;
  const int picture = static_cast<int>((card - 2 * CardGap) * PictureAspect);
  setGridSize({card, picture + cardTextHeight(fontMetrics()) + 2 * CardGap});
  QListView::resizeEvent(event);
}

}  // namespace thallo::gui
