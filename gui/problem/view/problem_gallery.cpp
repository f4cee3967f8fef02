#include "gui/problem/view/problem_gallery.h"

#include <algorithm>

#include <QPainter>
#include <QPainterPath>
#include <QPixmapCache>
#include <QStyledItemDelegate>

#include "gui/problem/problem_list.h"
#include "gui/problem/view/problem_sketch.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr int MinCardWidth = 200, CardGap = 6, CardPadding = 12, CardRadius = 8;
// The ratio of a picture's height to its width.
constexpr double PictureAspect = 0.6;

int cardTextHeight(const QFontMetrics& metrics) {
  return 3 * metrics.lineSpacing() + 2 * CardPadding + 4;
}

// Returns the picture from its file, or a sketch if there is none; cropped to the size.
QPixmap cardPicture(const QModelIndex& index, const QSize& size, double scale) {
  const QString file = index.data(ProblemList::PictureRole).toString();
  const QString name = index.data(ProblemList::NameRole).toString();
  const QString key = QStringLiteral("card %1 %2 %3 %4x%5 %6")
                          .arg(name, file, toText(currentTheme()))
                          .arg(size.width())
                          .arg(size.height())
                          .arg(scale);
  QPixmap pixmap;
  if (QPixmapCache::find(key, &pixmap)) return pixmap;
  const QSize pixels = size * scale;
  const QPixmap loaded = file.isEmpty() ? QPixmap() : QPixmap(file);
  if (loaded.isNull()) {
    pixmap = problemSketch(name, size, scale);
  } else {
    const QPixmap filled =
        loaded.scaled(pixels, Qt::KeepAspectRatioByExpanding, Qt::SmoothTransformation);
    pixmap = filled.copy((filled.width() - pixels.width()) / 2,
                         (filled.height() - pixels.height()) / 2, pixels.width(), pixels.height());
    pixmap.setDevicePixelRatio(scale);
  }
  QPixmapCache::insert(key, pixmap);
  return pixmap;
}

class ProblemCardDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

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
    painter->drawPixmap(picture.topLeft(),
                        cardPicture(index, picture.size(), painter->device()->devicePixelRatioF()));
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
    QFont bold = option.font;
    bold.setWeight(QFont::DemiBold);
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
};

}  // namespace

ProblemGallery::ProblemGallery(QWidget* parent) : QListView(parent) {
  setObjectName("problemCards");
  setAccessibleName(tr("Problems"));
  setViewMode(QListView::IconMode);
  setMovement(QListView::Static);
  setResizeMode(QListView::Adjust);
  setUniformItemSizes(true);
  setMouseTracking(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setItemDelegate(new ProblemCardDelegate(this));
  viewport()->setAutoFillBackground(false);
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
